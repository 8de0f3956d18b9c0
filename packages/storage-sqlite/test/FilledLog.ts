/** A long log in place of an hour of requests. */
import type { DatabaseSync } from "node:sqlite"

const START = 1_700_000_000_000_000

/** When an event happened. */
export const time = (sequence: number): number => START + sequence * 1_000

/** A value of each row, made by the database from its number `n`. */
const ACTION = "'document.' || CASE n % 5 WHEN 0 THEN 'created' WHEN 4 THEN 'deleted' ELSE 'read' END"

/** Fills the log of the first workspace with rows: nothing of them can be verified, only found. */
export const fillLog = (db: DatabaseSync, events: number): void => {
  const indexes = db
    .prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name LIKE 'event%'"
    )
    .all()
  db.exec("PRAGMA synchronous = OFF; BEGIN")
  // An index is made much faster at once than row by row.
  for (const { name } of indexes) db.exec(`DROP INDEX ${String(name)}`)
  const numbers = (step: number) =>
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + ${step} FROM numbers WHERE n + ${step} <= ${events})`
  db.exec(`
    INSERT INTO event (workspace, sequence, id, created_at, content, action, actor_id, resource_type, resource_id, tenant_id, session_id)
    ${numbers(1)}
    SELECT 1, n, 'evt-' || n, ${START} + n * 1000, '{}', ${ACTION}, 'actor-' || (n % 1000), 'document', 'doc-' || (n % 5000),
      'tenant-' || (n % 50), 'session-' || (n / 20) FROM numbers`)
  db.exec(`
    INSERT INTO event_target (workspace, sequence, ordinal, type, id)
    ${numbers(2)}
    SELECT 1, n, 0, CASE WHEN n % 1000 = 3 THEN 'vault' ELSE 'folder' END, 'folder-' || (n % 5000) FROM numbers`)
  for (const { sql } of indexes) db.exec(String(sql))
  db.exec(`UPDATE head SET sequence = ${events}, created_at = ${time(events)} WHERE workspace = 1; COMMIT`)
}
