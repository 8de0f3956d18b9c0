/**
 * Which file this is, how often it was committed to, and events of each log that its consumers have come to.
 */
export default `
CREATE TABLE consumers_file (
  identity TEXT NOT NULL,
  commits  INTEGER NOT NULL
) STRICT;
INSERT INTO consumers_file VALUES (lower(hex(randomblob(16))), 0);

-- Fewer and fewer the longer ago: slot n holds the newest of every 2^n-th mark.
CREATE TABLE log_mark (
  workspace_id TEXT NOT NULL,
  slot         INTEGER NOT NULL,
  ordinal      INTEGER NOT NULL,
  sequence     INTEGER NOT NULL,
  mark         TEXT NOT NULL,
  PRIMARY KEY (workspace_id, slot)
) STRICT, WITHOUT ROWID;
`
