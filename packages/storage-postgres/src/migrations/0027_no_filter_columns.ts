/**
 * Events are found by the frames of the index, which has the values that they are filtered by beside their
 * texts: the columns, indexes and targets that did go. What was indexed before is built again.
 */
export default [
  "DROP TABLE event_target",
  `ALTER TABLE event DROP COLUMN action, DROP COLUMN actor_id, DROP COLUMN resource_type,
    DROP COLUMN resource_id, DROP COLUMN tenant_id, DROP COLUMN session_id`,
  "DROP FUNCTION cairn_refuse_target_change()",
  `CREATE OR REPLACE FUNCTION cairn_refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' AND cairn_removes_content()
        AND NEW.workspace = OLD.workspace AND NEW.sequence = OLD.sequence AND NEW.id = OLD.id
        AND NEW.created_at = OLD.created_at AND NEW.previous_event_hash IS NOT DISTINCT FROM OLD.previous_event_hash
        AND NEW.event_hash IS NOT DISTINCT FROM OLD.event_hash
        AND (NEW.content_hash = OLD.content_hash OR (OLD.content_hash IS NULL AND NEW.content_hash IS NOT NULL))
        AND NEW.content IS NULL AND NEW.salt IS NULL
      THEN
        RETURN NEW;
      END IF;
      RAISE EXCEPTION 'the log is append-only: % on % is refused', TG_OP, TG_TABLE_NAME;
    END
  $$`,
  "DROP TABLE search_frame",
  "TRUNCATE search_part",
  `UPDATE search_position SET sequence = ${Number.MIN_SAFE_INTEGER}, frames = 0`,
  // The folded texts and the values of some 256 events, compressed, see FrameTexts and FrameColumns of the
  // core, and their signature. Values and signature go once the parts and postings of the group have them.
  `CREATE TABLE search_frame (
    workspace bigint NOT NULL,
    number    bigint NOT NULL,
    first     bigint NOT NULL,
    since     bigint NOT NULL,
    texts     bytea NOT NULL,
    columns   bytea,
    signature bytea,
    PRIMARY KEY (workspace, number)
  )`,
  "ALTER TABLE search_frame ALTER texts SET STORAGE EXTERNAL, ALTER columns SET STORAGE EXTERNAL",
  "CREATE INDEX search_frame_first ON search_frame (workspace, first)",
  // The values of 64 frames, each with its events, compressed, see Postings of the core.
  `CREATE TABLE search_posting (
    workspace   bigint NOT NULL,
    number      int NOT NULL,
    frame_group bigint NOT NULL,
    blob        bytea NOT NULL,
    PRIMARY KEY (workspace, number, frame_group)
  )`,
  "ALTER TABLE search_posting ALTER blob SET STORAGE EXTERNAL"
]
