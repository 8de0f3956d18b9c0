/**
 * How long a workspace wants its contents kept, including pending changes, as a JSON object; NULL for the
 * plan's.
 */
export default ["ALTER TABLE workspace ADD COLUMN retention text"]
