/** Who may embed the viewer of a workspace, as a JSON list; NULL leaves it to the service. */
export default ["ALTER TABLE workspace ADD COLUMN viewer_frame_ancestors text"]
