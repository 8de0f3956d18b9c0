/** Who may embed the viewer of a workspace, as a JSON list; NULL for the service's default. */
export default ["ALTER TABLE workspace ADD COLUMN viewer_frame_ancestors text"]
