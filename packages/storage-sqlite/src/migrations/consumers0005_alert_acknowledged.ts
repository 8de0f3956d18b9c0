/** When an alert was acknowledged and by whom, a key's id; null until then. */
export default `
ALTER TABLE alert ADD COLUMN acknowledged_at INTEGER;
ALTER TABLE alert ADD COLUMN acknowledged_by TEXT;
`
