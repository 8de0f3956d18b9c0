/** When a workspace's log was closed, in microseconds; NULL for one that takes events. */
export default `
ALTER TABLE workspace ADD COLUMN closed_at INTEGER;
CREATE INDEX workspace_closed ON workspace (number) WHERE closed_at IS NOT NULL;
`
