/** How the viewer of a workspace tells events, as a JSON object; NULL for the viewer's own way. */
export default ["ALTER TABLE workspace ADD COLUMN viewer text"]
