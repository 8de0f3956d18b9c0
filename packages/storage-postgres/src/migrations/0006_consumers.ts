/** The position of each consumer of the log, its state, and its effects: alerts, and messages to send. */
export default [
  // version changes with every commit and command; held_until ends the hold of its holder. Times are in
  // microseconds.
  `CREATE TABLE consumer (
    workspace_id text COLLATE "C" NOT NULL,
    name         text COLLATE "C" NOT NULL,
    sequence     bigint NOT NULL,
    paused       bigint NOT NULL,
    version      bigint NOT NULL,
    holder       text COLLATE "C",
    held_until   bigint,
    updated_at   bigint NOT NULL,
    PRIMARY KEY (workspace_id, name)
  ) WITH (fillfactor = 25)`,
  "CREATE INDEX consumer_name ON consumer (name)",
  `CREATE TABLE consumer_row (
    workspace_id text COLLATE "C" NOT NULL,
    consumer     text COLLATE "C" NOT NULL,
    key          text COLLATE "C" NOT NULL,
    value        text NOT NULL,
    expires_at   bigint,
    PRIMARY KEY (workspace_id, consumer, key)
  )`,
  "CREATE INDEX consumer_row_expiry ON consumer_row (workspace_id, consumer, expires_at) WHERE expires_at IS NOT NULL",
  `CREATE TABLE alert (
    workspace_id text COLLATE "C" NOT NULL,
    id           text COLLATE "C" NOT NULL,
    rule_id      text NOT NULL,
    rule_name    text NOT NULL,
    rule_type    text NOT NULL,
    event_id     text NOT NULL,
    reason       text NOT NULL,
    triggered_at bigint NOT NULL,
    PRIMARY KEY (workspace_id, id)
  )`,
  "CREATE UNIQUE INDEX alert_triggered_at ON alert (workspace_id, triggered_at)",
  "CREATE INDEX alert_type ON alert (workspace_id, rule_type, triggered_at)",
  // due_at is null once a delivery has arrived or was given up; claim is the one who is sending it.
  `CREATE TABLE outbox (
    number       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           text COLLATE "C" NOT NULL UNIQUE,
    workspace_id text COLLATE "C" NOT NULL,
    channel      text NOT NULL,
    target       text COLLATE "C" NOT NULL,
    type         text NOT NULL,
    payload      text NOT NULL,
    created_at   bigint NOT NULL,
    status       text NOT NULL,
    attempts     bigint NOT NULL,
    due_at       bigint,
    claim        text COLLATE "C"
  )`,
  "CREATE INDEX outbox_due ON outbox (due_at) WHERE due_at IS NOT NULL",
  "CREATE INDEX outbox_target ON outbox (workspace_id, target, number)",
  "CREATE INDEX outbox_workspace ON outbox (workspace_id, number)",
  "CREATE INDEX outbox_settled ON outbox (created_at) WHERE due_at IS NULL",
  `CREATE TABLE delivery_attempt (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    delivery   bigint NOT NULL,
    started_at bigint NOT NULL,
    duration   bigint NOT NULL,
    status     bigint,
    answer     text NOT NULL,
    error      text
  )`,
  "CREATE INDEX delivery_attempt_delivery ON delivery_attempt (delivery, number)"
]
