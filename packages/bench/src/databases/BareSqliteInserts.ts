/** The limit of rows 2 and 3 on SQLite. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { MIGRATIONS } from "@cairn/storage-sqlite"
import { BARE_ROWS, bareRow, ROWS_A_TRANSACTION } from "./BareRow.ts"

/** Rows a second. */
export const bareInserts = (): number => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-bare-"))
  const db = new DatabaseSync(join(folder, "bare.db"))
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  for (const statements of MIGRATIONS.log) db.exec(statements)
  const insert = db.prepare("INSERT INTO event VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
  const target = db.prepare("INSERT INTO event_target VALUES (1, ?, 0, ?, ?)")
  const begun = performance.now()
  for (let sequence = 1; sequence <= BARE_ROWS; sequence++) {
    if (sequence % ROWS_A_TRANSACTION === 1) db.exec("BEGIN")
    const row = bareRow(sequence)
    insert.run(
      sequence,
      row.id,
      row.createdAt,
      row.content,
      row.salt,
      row.contentHash,
      row.previousEventHash,
      row.eventHash,
      row.action,
      row.actorId,
      row.resourceType,
      row.resourceId,
      row.tenantId,
      row.sessionId
    )
    target.run(sequence, row.targetType, row.targetId)
    if (sequence % ROWS_A_TRANSACTION === 0) db.exec("COMMIT")
  }
  const seconds = (performance.now() - begun) / 1000
  db.close()
  rmSync(folder, { recursive: true, force: true })
  return BARE_ROWS / seconds
}
