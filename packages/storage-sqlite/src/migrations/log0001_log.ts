/** The log's own file: workspaces, keys, events and the heads of their chains. */
export default `
-- Every other table leads with the workspace's number, which is shorter than its id in each row and index entry.
CREATE TABLE workspace (
  number       INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  name         TEXT NOT NULL,
  plan         TEXT NOT NULL,
  overrides    TEXT NOT NULL,
  ip_allowlist TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL
) STRICT;

CREATE TABLE api_key (
  id           TEXT PRIMARY KEY,
  public_id    TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL REFERENCES workspace (id),
  name         TEXT,
  scopes       TEXT NOT NULL,
  hash         TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at   INTEGER,
  revoked_at   INTEGER
) STRICT;
CREATE INDEX api_key_workspace ON api_key (workspace_id, created_at);
CREATE INDEX api_key_revoked ON api_key (revoked_at) WHERE revoked_at IS NOT NULL;

-- Where each chain ends, and how far into the inbox it has come. The inbox is a file of its own: the epoch tells
-- whether the position is one of the inbox that is there now.
CREATE TABLE head (
  workspace       INTEGER PRIMARY KEY REFERENCES workspace (number),
  sequence        INTEGER NOT NULL DEFAULT 0,
  event_hash      TEXT,
  event_id        TEXT,
  created_at      INTEGER NOT NULL DEFAULT 0,
  legacy_count    INTEGER NOT NULL DEFAULT 0,
  legacy_frontier TEXT NOT NULL DEFAULT '[]',
  inbox_epoch     TEXT,
  inbox_id        INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The events. created_at is in microseconds; content is the canonical JSON that was hashed; the columns from action
-- on are derived from it, to filter by.
CREATE TABLE event (
  workspace           INTEGER NOT NULL,
  sequence            INTEGER NOT NULL,
  id                  TEXT NOT NULL,
  created_at          INTEGER NOT NULL,
  content             TEXT,
  salt                TEXT,
  content_hash        TEXT,
  previous_event_hash TEXT,
  event_hash          TEXT,
  action              TEXT NOT NULL,
  actor_id            TEXT NOT NULL,
  resource_type       TEXT,
  resource_id         TEXT,
  tenant_id           TEXT,
  session_id          TEXT,
  PRIMARY KEY (workspace, sequence)
) STRICT;
CREATE UNIQUE INDEX event_id ON event (id);
CREATE UNIQUE INDEX event_created_at ON event (workspace, created_at);
CREATE INDEX event_action ON event (workspace, action, sequence);
CREATE INDEX event_actor ON event (workspace, actor_id, sequence);
CREATE INDEX event_resource_type ON event (workspace, resource_type, sequence) WHERE resource_type IS NOT NULL;
CREATE INDEX event_resource_id ON event (workspace, resource_id, sequence) WHERE resource_id IS NOT NULL;
CREATE INDEX event_tenant ON event (workspace, tenant_id, sequence) WHERE tenant_id IS NOT NULL;
CREATE INDEX event_session ON event (workspace, session_id, sequence) WHERE session_id IS NOT NULL;

-- The targets of an event, one row each, in their order.
CREATE TABLE event_target (
  workspace INTEGER NOT NULL,
  sequence  INTEGER NOT NULL,
  ordinal   INTEGER NOT NULL,
  type      TEXT NOT NULL,
  id        TEXT,
  PRIMARY KEY (workspace, sequence, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX event_target_type ON event_target (workspace, type, sequence);
CREATE INDEX event_target_id ON event_target (workspace, id, type, sequence) WHERE id IS NOT NULL;

CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
  BEGIN SELECT RAISE(ABORT, 'the log is append-only: an event is never changed'); END;
CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
  BEGIN SELECT RAISE(ABORT, 'the log is append-only: an event is never deleted'); END;
CREATE TRIGGER event_target_is_never_changed BEFORE UPDATE ON event_target
  BEGIN SELECT RAISE(ABORT, 'the log is append-only: a target is never changed'); END;
CREATE TRIGGER event_target_is_never_deleted BEFORE DELETE ON event_target
  BEGIN SELECT RAISE(ABORT, 'the log is append-only: a target is never deleted'); END;
`
