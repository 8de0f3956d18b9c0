/** Anchors, the transactions that carry them, and when their periods end, as in the SQLite adapter. */
export default [
  // A closed period, status 'waiting', which becomes an anchor: 'pending', 'submitted', 'confirmed'.
  `CREATE TABLE anchor (
    workspace            bigint NOT NULL REFERENCES workspace (number),
    ordinal              bigint NOT NULL,
    id                   text COLLATE "C" NOT NULL UNIQUE,
    first_sequence       bigint NOT NULL,
    last_sequence        bigint NOT NULL,
    first_event_hash     text NOT NULL,
    last_event_hash      text NOT NULL,
    merkle_root          text NOT NULL,
    period_start         bigint NOT NULL,
    period_end           bigint NOT NULL,
    status               text COLLATE "C" NOT NULL,
    previous_anchor_hash text,
    created_at           bigint,
    chain_id             bigint,
    submission           text COLLATE "C",
    tx_hash              text,
    block_number         bigint,
    block_hash           text,
    PRIMARY KEY (workspace, ordinal)
  )`,
  "CREATE INDEX anchor_waiting ON anchor (workspace, ordinal) WHERE status = 'waiting'",
  "CREATE INDEX anchor_unsubmitted ON anchor (chain_id, created_at, workspace) WHERE status = 'pending' AND submission IS NULL",
  "CREATE INDEX anchor_submission_anchor ON anchor (submission) WHERE submission IS NOT NULL",
  // Anchors that travel in one transaction: 'open', 'confirmed', and 'settled' once the chain cannot drop it
  // any more.
  `CREATE TABLE anchor_submission (
    id             text COLLATE "C" PRIMARY KEY,
    chain_id       bigint NOT NULL,
    account        text COLLATE "C" NOT NULL,
    status         text COLLATE "C" NOT NULL,
    confirmed_hash text,
    created_at     bigint NOT NULL
  )`,
  "CREATE INDEX anchor_submission_unsettled ON anchor_submission (chain_id, created_at) WHERE status <> 'settled'",
  // Every transaction that was signed, kept before it is sent. Fees are decimal text: they may exceed 64
  // bits.
  `CREATE TABLE anchor_transaction (
    hash         text COLLATE "C" PRIMARY KEY,
    submission   text COLLATE "C" NOT NULL REFERENCES anchor_submission (id),
    nonce        bigint NOT NULL,
    raw          text NOT NULL,
    max_fee      text NOT NULL,
    priority_fee text NOT NULL,
    signed_at    bigint NOT NULL
  )`,
  "CREATE INDEX anchor_transaction_submission ON anchor_transaction (submission, signed_at)",
  // Whose each nonce is, so that no two submissions are ever signed for one.
  `CREATE TABLE anchor_nonce (
    chain_id   bigint NOT NULL,
    account    text COLLATE "C" NOT NULL,
    nonce      bigint NOT NULL,
    submission text COLLATE "C" NOT NULL,
    PRIMARY KEY (chain_id, account, nonce)
  )`,
  "CREATE INDEX anchor_nonce_submission ON anchor_nonce (submission)",
  // For workspaces whose periods do not end by the service's schedule.
  `CREATE TABLE anchor_schedule (
    workspace      bigint PRIMARY KEY REFERENCES workspace (number),
    every_seconds  bigint NOT NULL,
    offset_seconds bigint NOT NULL
  )`
]
