/**
 * The one change of an event that the log allows: its content is removed and its header stays, and only in a
 * transaction that has announced a removal.
 */
export default [
  "CREATE INDEX event_removed ON event (workspace, sequence) WHERE content IS NULL",
  "CREATE INDEX alert_event ON alert (workspace_id, event_id)",
  `CREATE FUNCTION cairn_removes_content() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT coalesce(current_setting('cairn.removes_content', true), '') = 'on'
  $$`,
  `CREATE FUNCTION cairn_refuse_event_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'UPDATE' AND cairn_removes_content()
        AND NEW.workspace = OLD.workspace AND NEW.sequence = OLD.sequence AND NEW.id = OLD.id
        AND NEW.created_at = OLD.created_at AND NEW.previous_event_hash IS NOT DISTINCT FROM OLD.previous_event_hash
        AND NEW.event_hash IS NOT DISTINCT FROM OLD.event_hash
        AND (NEW.content_hash = OLD.content_hash OR (OLD.content_hash IS NULL AND NEW.content_hash IS NOT NULL))
        AND NEW.content IS NULL AND NEW.salt IS NULL AND NEW.action = '' AND NEW.actor_id = ''
        AND NEW.resource_type IS NULL AND NEW.resource_id IS NULL
        AND NEW.tenant_id IS NULL AND NEW.session_id IS NULL
      THEN
        RETURN NEW;
      END IF;
      RAISE EXCEPTION 'the log is append-only: % on % is refused', TG_OP, TG_TABLE_NAME;
    END
  $$`,
  `CREATE FUNCTION cairn_refuse_target_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' AND cairn_removes_content() THEN
        RETURN OLD;
      END IF;
      RAISE EXCEPTION 'the log is append-only: % on % is refused', TG_OP, TG_TABLE_NAME;
    END
  $$`,
  "DROP TRIGGER event_is_append_only ON event",
  `CREATE TRIGGER event_is_append_only BEFORE UPDATE OR DELETE ON event
    FOR EACH ROW EXECUTE FUNCTION cairn_refuse_event_change()`,
  "DROP TRIGGER event_target_is_append_only ON event_target",
  `CREATE TRIGGER event_target_is_append_only BEFORE UPDATE OR DELETE ON event_target
    FOR EACH ROW EXECUTE FUNCTION cairn_refuse_target_change()`
]
