/** How much of each log this inbox has seen, and the progress of a repair. */
export default `
-- The keys of all events up to the sequence are in here. The hash tells whether the log is still the one that was seen; null
-- claims nothing of it.
CREATE TABLE log_seen (
  workspace    INTEGER PRIMARY KEY,
  workspace_id TEXT NOT NULL,
  sequence     INTEGER NOT NULL,
  event_hash   TEXT
) STRICT;

-- One row while idempotency keys are being held against the log: first those that are here, then those of the log.
CREATE TABLE repair (
  step      TEXT NOT NULL,
  workspace INTEGER NOT NULL,
  key       TEXT NOT NULL
) STRICT;
`
