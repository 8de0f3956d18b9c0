/** The events of a target in order, whatever its type: a page of a common target ends when it is full. */
export default [
  "DROP INDEX event_target_id",
  "CREATE INDEX event_target_id ON event_target (workspace, id, sequence, type) WHERE id IS NOT NULL"
]
