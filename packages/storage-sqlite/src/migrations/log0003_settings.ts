/**
 * What people set up in a workspace: alert rules, webhooks, log streams and members. The body is JSON in the
 * core's schema.
 */
export default `
CREATE TABLE alert_rule (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspace (id),
  created_at   INTEGER NOT NULL,
  body         TEXT NOT NULL
) STRICT;
CREATE INDEX alert_rule_workspace ON alert_rule (workspace_id, created_at);

CREATE TABLE webhook (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspace (id),
  created_at   INTEGER NOT NULL,
  body         TEXT NOT NULL
) STRICT;
CREATE INDEX webhook_workspace ON webhook (workspace_id, created_at);

CREATE TABLE log_stream (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspace (id),
  created_at   INTEGER NOT NULL,
  body         TEXT NOT NULL
) STRICT;
CREATE INDEX log_stream_workspace ON log_stream (workspace_id, created_at);

CREATE TABLE member (
  id           TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspace (id),
  created_at   INTEGER NOT NULL,
  body         TEXT NOT NULL
) STRICT;
CREATE INDEX member_workspace ON member (workspace_id, created_at);
`
