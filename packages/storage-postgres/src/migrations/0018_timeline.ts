/**
 * The timeline on which each head was written, and what processes have seen that this database lacks. The
 * function is part of every commit that accepts events: it fails while such a loss is open, or while the
 * database is on an older timeline than the process has seen (0 if it knows of none).
 */
export default [
  "ALTER TABLE head ADD COLUMN timeline bigint",
  `CREATE TABLE log_loss (
    number          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    workspace_id    text COLLATE "C",
    seen_timeline   bigint,
    seen_sequence   bigint,
    seen_event_hash text,
    found_timeline   bigint,
    found_sequence   bigint,
    found_event_hash text,
    noticed_at      bigint NOT NULL,
    accepted_at     bigint
  )`,
  `CREATE FUNCTION cairn_not_behind(seen bigint) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (SELECT FROM log_loss WHERE accepted_at IS NULL) THEN
        RAISE EXCEPTION 'the database lacks what was seen of it: see cairn recover' USING ERRCODE = 'CN001';
      END IF;
      IF seen > 0 AND ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint < seen THEN
        RAISE EXCEPTION 'the database is on an older timeline than %: see cairn recover', seen USING ERRCODE = 'CN001';
      END IF;
      RETURN true;
    END
  $$`
]
