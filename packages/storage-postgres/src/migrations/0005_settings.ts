/**
 * What people set up in a workspace: alert rules, webhooks, log streams and members. The body is JSON, as the
 * core's schema has it.
 */
export default [
  `CREATE TABLE alert_rule (
    id           text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspace (id),
    created_at   bigint NOT NULL,
    body         text NOT NULL
  )`,
  "CREATE INDEX alert_rule_workspace ON alert_rule (workspace_id, created_at)",
  `CREATE TABLE webhook (
    id           text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspace (id),
    created_at   bigint NOT NULL,
    body         text NOT NULL
  )`,
  "CREATE INDEX webhook_workspace ON webhook (workspace_id, created_at)",
  `CREATE TABLE log_stream (
    id           text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspace (id),
    created_at   bigint NOT NULL,
    body         text NOT NULL
  )`,
  "CREATE INDEX log_stream_workspace ON log_stream (workspace_id, created_at)",
  `CREATE TABLE member (
    id           text COLLATE "C" PRIMARY KEY,
    workspace_id text COLLATE "C" NOT NULL REFERENCES workspace (id),
    created_at   bigint NOT NULL,
    body         text NOT NULL
  )`,
  "CREATE INDEX member_workspace ON member (workspace_id, created_at)"
]
