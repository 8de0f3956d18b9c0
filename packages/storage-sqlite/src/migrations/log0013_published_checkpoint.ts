/**
 * The checkpoints that were signed on schedule: at most one row an hour, for each log that grew in it, for
 * ever.
 */
export default `
CREATE TABLE published_checkpoint (
  workspace_id TEXT NOT NULL,
  size         INTEGER NOT NULL,
  root         TEXT NOT NULL,
  note         TEXT NOT NULL,
  signed_at    INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, size)
) STRICT, WITHOUT ROWID;
`
