/** The keys that sign checkpoints, their seeds sealed, and the newest checkpoint of each log. */
export default `
CREATE TABLE checkpoint_key (
  number      INTEGER PRIMARY KEY,
  name        TEXT NOT NULL,
  public_key  TEXT NOT NULL,
  sealed_seed TEXT NOT NULL,
  created_at  INTEGER NOT NULL
) STRICT;
CREATE TABLE checkpoint (
  workspace_id TEXT PRIMARY KEY,
  size         INTEGER NOT NULL,
  root         TEXT NOT NULL,
  key_number   INTEGER NOT NULL,
  note         TEXT NOT NULL
) STRICT;
`
