/**
 * The one change of an event that the log allows: its content is removed and its header stays, and only for
 * an event that the same transaction has put on a list, which is otherwise empty.
 */
export default `
CREATE TABLE removal_permit (
  workspace INTEGER NOT NULL,
  sequence  INTEGER NOT NULL,
  PRIMARY KEY (workspace, sequence)
) STRICT, WITHOUT ROWID;

CREATE INDEX event_removed ON event (workspace, sequence) WHERE content IS NULL;

DROP TRIGGER event_is_never_changed;
CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
  WHEN NOT (
    EXISTS (SELECT 1 FROM removal_permit p WHERE p.workspace = OLD.workspace AND p.sequence = OLD.sequence)
    AND NEW.workspace = OLD.workspace AND NEW.sequence = OLD.sequence AND NEW.id = OLD.id
    AND NEW.created_at = OLD.created_at AND NEW.previous_event_hash IS OLD.previous_event_hash
    AND NEW.event_hash IS OLD.event_hash
    AND (NEW.content_hash = OLD.content_hash OR (OLD.content_hash IS NULL AND NEW.content_hash IS NOT NULL))
    AND NEW.content IS NULL AND NEW.salt IS NULL AND NEW.action = '' AND NEW.actor_id = ''
    AND NEW.resource_type IS NULL AND NEW.resource_id IS NULL AND NEW.tenant_id IS NULL AND NEW.session_id IS NULL
  )
  BEGIN SELECT RAISE(ABORT, 'the log is append-only: an event is never changed'); END;

DROP TRIGGER event_target_is_never_deleted;
CREATE TRIGGER event_target_is_never_deleted BEFORE DELETE ON event_target
  WHEN NOT EXISTS (SELECT 1 FROM removal_permit p WHERE p.workspace = OLD.workspace AND p.sequence = OLD.sequence)
  BEGIN SELECT RAISE(ABORT, 'the log is append-only: a target is never deleted'); END;
`
