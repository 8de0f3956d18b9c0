/** Requested exports, and the keys that sign viewer tokens, with their secrets sealed. */
export default `
-- claim is the one who makes it, for as long as nobody takes it over once held_until is past. Times are in microseconds.
CREATE TABLE export (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspace (id),
  format       TEXT NOT NULL,
  filters      TEXT NOT NULL,
  status       TEXT NOT NULL,
  progress     INTEGER NOT NULL,
  attempts     INTEGER NOT NULL,
  total_rows   INTEGER,
  file_size    INTEGER,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  has_files    INTEGER NOT NULL,
  claim        TEXT,
  held_until   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX export_workspace ON export (workspace_id, created_at);
CREATE INDEX export_unsettled ON export (created_at) WHERE status IN ('pending', 'processing');
CREATE INDEX export_files ON export (expires_at) WHERE has_files = 1;

CREATE TABLE viewer_key (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspace (id),
  created_at   INTEGER NOT NULL,
  body         TEXT NOT NULL
) STRICT;
CREATE INDEX viewer_key_workspace ON viewer_key (workspace_id, created_at);
`
