/** Anchors, the transactions that carry them, and when their periods end. */
export default `
-- A closed period, status 'waiting', which becomes an anchor: 'pending', 'submitted', 'confirmed'.
CREATE TABLE anchor (
  workspace            INTEGER NOT NULL REFERENCES workspace (number),
  ordinal              INTEGER NOT NULL,
  id                   TEXT NOT NULL UNIQUE,
  first_sequence       INTEGER NOT NULL,
  last_sequence        INTEGER NOT NULL,
  first_event_hash     TEXT NOT NULL,
  last_event_hash      TEXT NOT NULL,
  merkle_root          TEXT NOT NULL,
  period_start         INTEGER NOT NULL,
  period_end           INTEGER NOT NULL,
  status               TEXT NOT NULL,
  previous_anchor_hash TEXT,
  created_at           INTEGER,
  chain_id             INTEGER,
  submission           TEXT,
  tx_hash              TEXT,
  block_number         INTEGER,
  block_hash           TEXT,
  PRIMARY KEY (workspace, ordinal)
) STRICT;
CREATE INDEX anchor_waiting ON anchor (workspace, ordinal) WHERE status = 'waiting';
CREATE INDEX anchor_unsubmitted ON anchor (chain_id, created_at, workspace) WHERE status = 'pending' AND submission IS NULL;
CREATE INDEX anchor_submission_anchor ON anchor (submission) WHERE submission IS NOT NULL;

-- Anchors that travel in one transaction: 'open', 'confirmed', and 'settled' once the chain cannot drop it any more.
CREATE TABLE anchor_submission (
  id             TEXT PRIMARY KEY,
  chain_id       INTEGER NOT NULL,
  account        TEXT NOT NULL,
  status         TEXT NOT NULL,
  confirmed_hash TEXT,
  created_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX anchor_submission_unsettled ON anchor_submission (chain_id, created_at) WHERE status <> 'settled';

-- Every transaction that was signed, kept before it is sent. Fees are decimal text: they may exceed 64 bits.
CREATE TABLE anchor_transaction (
  hash         TEXT PRIMARY KEY,
  submission   TEXT NOT NULL REFERENCES anchor_submission (id),
  nonce        INTEGER NOT NULL,
  raw          TEXT NOT NULL,
  max_fee      TEXT NOT NULL,
  priority_fee TEXT NOT NULL,
  signed_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX anchor_transaction_submission ON anchor_transaction (submission, signed_at);

-- Whose each nonce is, so that no two submissions are ever signed for one.
CREATE TABLE anchor_nonce (
  chain_id   INTEGER NOT NULL,
  account    TEXT NOT NULL,
  nonce      INTEGER NOT NULL,
  submission TEXT NOT NULL,
  PRIMARY KEY (chain_id, account, nonce)
) STRICT;
CREATE INDEX anchor_nonce_submission ON anchor_nonce (submission);

-- For workspaces whose periods do not end by the service's schedule.
CREATE TABLE anchor_schedule (
  workspace      INTEGER PRIMARY KEY REFERENCES workspace (number),
  every_seconds  INTEGER NOT NULL,
  offset_seconds INTEGER NOT NULL
) STRICT;
`
