/** The inbox's file: apart from the log's, so that accepting never waits for an append's lock. */
export default `
CREATE TABLE inbox (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace   INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL,
  event_count INTEGER NOT NULL,
  events      TEXT NOT NULL
) STRICT;
CREATE INDEX inbox_workspace ON inbox (workspace, id);

-- Rows that could not be appended, kept for the operator.
CREATE TABLE parked (
  id          INTEGER PRIMARY KEY,
  workspace   INTEGER NOT NULL,
  accepted_at INTEGER NOT NULL,
  event_count INTEGER NOT NULL,
  events      TEXT NOT NULL,
  reason      TEXT NOT NULL
) STRICT;

CREATE TABLE idempotency_key (
  workspace   INTEGER NOT NULL,
  key         TEXT NOT NULL,
  event_id    TEXT NOT NULL,
  accepted_at INTEGER NOT NULL,
  PRIMARY KEY (workspace, key)
) STRICT, WITHOUT ROWID;

-- One row: which inbox this is, and how many events wait in it.
CREATE TABLE state (
  epoch   TEXT NOT NULL,
  waiting INTEGER NOT NULL
) STRICT;
INSERT INTO state VALUES (lower(hex(randomblob(16))), 0);
`
