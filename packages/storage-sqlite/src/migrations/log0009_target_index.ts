/** The events of a target in their order, whatever its type: a page of a common one ends where it is full. */
export default `
DROP INDEX event_target_id;
CREATE INDEX event_target_id ON event_target (workspace, id, sequence, type) WHERE id IS NOT NULL;
`
