/** When a workspace's log was closed, in microseconds; NULL for one that takes events. */
export default `
ALTER TABLE workspace ADD COLUMN closed_at INTEGER;
`
