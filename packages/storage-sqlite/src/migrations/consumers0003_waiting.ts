/** An index along which the outbox steps from one receiver to the next. */
export default `
CREATE INDEX outbox_waiting ON outbox (channel, workspace_id, target, due_at, number) WHERE due_at IS NOT NULL;
`
