/** Whether what API keys read is recorded in the log: 1 or 0. */
export default `
ALTER TABLE workspace ADD COLUMN key_access_events INTEGER NOT NULL DEFAULT 0;
`
