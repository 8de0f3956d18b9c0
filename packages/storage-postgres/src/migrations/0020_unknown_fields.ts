/** What becomes of an event with an unknown member: `reject` or `warn`. */
export default ["ALTER TABLE workspace ADD COLUMN unknown_fields text NOT NULL DEFAULT 'reject'"]
