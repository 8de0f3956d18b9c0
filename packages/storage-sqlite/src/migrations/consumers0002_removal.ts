/** Alerts by the event that raised them, for when its content is removed. */
export default `
CREATE INDEX alert_event ON alert (workspace_id, event_id);
`
