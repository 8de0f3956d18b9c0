/**
 * Workspaces, keys, the inbox, events and the heads of their chains, as in the SQLite adapter. Text is
 * compared byte by byte (`COLLATE "C"`), as everywhere in Cairn. Every primary key and unique index of a
 * large table begins with the workspace, so that the table can be partitioned by it.
 */
export default [
  `CREATE TABLE workspace (
    number       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           text COLLATE "C" NOT NULL UNIQUE,
    name         text NOT NULL,
    plan         text NOT NULL,
    overrides    text NOT NULL,
    ip_allowlist text NOT NULL,
    created_at   bigint NOT NULL,
    updated_at   bigint NOT NULL
  )`,

  `CREATE TABLE api_key (
    id           text COLLATE "C" PRIMARY KEY,
    public_id    text COLLATE "C" NOT NULL UNIQUE,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspace (id),
    name         text,
    scopes       text NOT NULL,
    hash         text NOT NULL,
    created_at   bigint NOT NULL,
    last_used_at bigint,
    expires_at   bigint,
    revoked_at   bigint
  )`,
  "CREATE INDEX api_key_workspace ON api_key (workspace_id, created_at)",
  "CREATE INDEX api_key_revoked ON api_key (revoked_at) WHERE revoked_at IS NOT NULL",

  // One row for each chain, changed with every append: room on the page keeps that from touching an index.
  `CREATE TABLE head (
    workspace       bigint PRIMARY KEY REFERENCES workspace (number),
    sequence        bigint NOT NULL DEFAULT 0,
    event_hash      text,
    event_id        text,
    created_at      bigint NOT NULL DEFAULT 0,
    legacy_count    bigint NOT NULL DEFAULT 0,
    legacy_frontier text NOT NULL DEFAULT '[]'
  ) WITH (fillfactor = 25)`,

  // Rows come and go at the rate of events: vacuumed by number, since a share of a table this small says
  // nothing.
  `CREATE TABLE inbox (
    workspace   bigint NOT NULL,
    id          bigint GENERATED ALWAYS AS IDENTITY,
    accepted_at bigint NOT NULL,
    event_count integer NOT NULL,
    events      text NOT NULL,
    PRIMARY KEY (workspace, id)
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0)`,

  `CREATE TABLE parked (
    workspace   bigint NOT NULL,
    id          bigint NOT NULL,
    accepted_at bigint NOT NULL,
    event_count integer NOT NULL,
    events      text NOT NULL,
    reason      text NOT NULL,
    PRIMARY KEY (workspace, id)
  )`,

  `CREATE TABLE idempotency_key (
    workspace   bigint NOT NULL,
    key         text COLLATE "C" NOT NULL,
    event_id    text NOT NULL,
    accepted_at bigint NOT NULL,
    PRIMARY KEY (workspace, key)
  )`,

  // created_at is in microseconds; content is the canonical JSON that was hashed; the columns from action on
  // are derived from it, to filter by.
  `CREATE TABLE event (
    workspace           bigint NOT NULL,
    sequence            bigint NOT NULL,
    created_at          bigint NOT NULL,
    id                  text COLLATE "C" NOT NULL,
    content             text COLLATE "C",
    salt                text,
    content_hash        text,
    previous_event_hash text,
    event_hash          text,
    action              text COLLATE "C" NOT NULL,
    actor_id            text COLLATE "C" NOT NULL,
    resource_type       text COLLATE "C",
    resource_id         text COLLATE "C",
    tenant_id           text COLLATE "C",
    session_id          text COLLATE "C",
    PRIMARY KEY (workspace, sequence)
  )`,
  "CREATE UNIQUE INDEX event_id ON event (workspace, id)",
  "CREATE UNIQUE INDEX event_created_at ON event (workspace, created_at)",
  "CREATE INDEX event_action ON event (workspace, action, sequence)",
  "CREATE INDEX event_actor ON event (workspace, actor_id, sequence)",
  "CREATE INDEX event_resource_type ON event (workspace, resource_type, sequence) WHERE resource_type IS NOT NULL",
  "CREATE INDEX event_resource_id ON event (workspace, resource_id, sequence) WHERE resource_id IS NOT NULL",
  "CREATE INDEX event_tenant ON event (workspace, tenant_id, sequence) WHERE tenant_id IS NOT NULL",
  "CREATE INDEX event_session ON event (workspace, session_id, sequence) WHERE session_id IS NOT NULL",

  // The targets of an event, one row each, in their order.
  `CREATE TABLE event_target (
    workspace bigint NOT NULL,
    sequence  bigint NOT NULL,
    ordinal   integer NOT NULL,
    type      text COLLATE "C" NOT NULL,
    id        text COLLATE "C",
    PRIMARY KEY (workspace, sequence, ordinal)
  )`,
  "CREATE INDEX event_target_type ON event_target (workspace, type, sequence)",
  "CREATE INDEX event_target_id ON event_target (workspace, id, type, sequence) WHERE id IS NOT NULL",

  `CREATE FUNCTION cairn_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'the log is append-only: % on % is refused', TG_OP, TG_TABLE_NAME; END
  $$`,
  `CREATE TRIGGER event_is_append_only BEFORE UPDATE OR DELETE ON event
    FOR EACH ROW EXECUTE FUNCTION cairn_refuse_change()`,
  `CREATE TRIGGER event_is_never_truncated BEFORE TRUNCATE ON event
    FOR EACH STATEMENT EXECUTE FUNCTION cairn_refuse_change()`,
  `CREATE TRIGGER event_target_is_append_only BEFORE UPDATE OR DELETE ON event_target
    FOR EACH ROW EXECUTE FUNCTION cairn_refuse_change()`,
  `CREATE TRIGGER event_target_is_never_truncated BEFORE TRUNCATE ON event_target
    FOR EACH STATEMENT EXECUTE FUNCTION cairn_refuse_change()`
]
