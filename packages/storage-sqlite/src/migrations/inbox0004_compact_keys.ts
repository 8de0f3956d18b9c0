/**
 * Idempotency keys by their hash: 54 bytes a key in place of 100. The keys that are there are moved in the
 * background, see `KeyMove`.
 *
 * The former table has another name from now on, so that a server of before, which knows of no moved key,
 * claims none: its statements fail.
 */
export default `
ALTER TABLE idempotency_key RENAME TO idempotency_key_text;

-- The hash and the id are 16 bytes each, see KeyRows.
CREATE TABLE idempotency_key (
  workspace   INTEGER NOT NULL,
  hash        BLOB NOT NULL,
  event_id    BLOB NOT NULL,
  accepted_at INTEGER NOT NULL,
  PRIMARY KEY (workspace, hash)
) STRICT, WITHOUT ROWID;

-- A repair goes through the keys in another order from now on: it begins again.
UPDATE repair SET workspace = -1, key = '' WHERE step = 'free';
`
