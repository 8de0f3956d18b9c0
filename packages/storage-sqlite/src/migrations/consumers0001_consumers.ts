/** The consumers' file: their positions, state and effects, so that all of it is in one transaction. */
export default `
-- version changes with every commit and command; held_until ends the hold of its holder. Times are in microseconds.
CREATE TABLE consumer (
  workspace_id TEXT NOT NULL,
  name         TEXT NOT NULL,
  sequence     INTEGER NOT NULL,
  paused       INTEGER NOT NULL,
  version      INTEGER NOT NULL,
  holder       TEXT,
  held_until   INTEGER,
  updated_at   INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX consumer_name ON consumer (name);

CREATE TABLE consumer_row (
  workspace_id TEXT NOT NULL,
  consumer     TEXT NOT NULL,
  key          TEXT NOT NULL,
  value        TEXT NOT NULL,
  expires_at   INTEGER,
  PRIMARY KEY (workspace_id, consumer, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX consumer_row_expiry ON consumer_row (workspace_id, consumer, expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE alert (
  workspace_id TEXT NOT NULL,
  id           TEXT NOT NULL,
  rule_id      TEXT NOT NULL,
  rule_name    TEXT NOT NULL,
  rule_type    TEXT NOT NULL,
  event_id     TEXT NOT NULL,
  reason       TEXT NOT NULL,
  triggered_at INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX alert_triggered_at ON alert (workspace_id, triggered_at);
CREATE INDEX alert_type ON alert (workspace_id, rule_type, triggered_at);

-- due_at is null once a delivery has arrived or was given up; claim is the one who is sending it.
CREATE TABLE outbox (
  number       INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT NOT NULL UNIQUE,
  workspace_id TEXT NOT NULL,
  channel      TEXT NOT NULL,
  target       TEXT NOT NULL,
  type         TEXT NOT NULL,
  payload      TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  status       TEXT NOT NULL,
  attempts     INTEGER NOT NULL,
  due_at       INTEGER,
  claim        TEXT
) STRICT;
CREATE INDEX outbox_due ON outbox (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX outbox_target ON outbox (workspace_id, target, number);
CREATE INDEX outbox_workspace ON outbox (workspace_id, number);
CREATE INDEX outbox_settled ON outbox (created_at) WHERE due_at IS NULL;

CREATE TABLE delivery_attempt (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  delivery   INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  duration   INTEGER NOT NULL,
  status     INTEGER,
  answer     TEXT NOT NULL,
  error      TEXT
) STRICT;
CREATE INDEX delivery_attempt_delivery ON delivery_attempt (delivery, number);
`
