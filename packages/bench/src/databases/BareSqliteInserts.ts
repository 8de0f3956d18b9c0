/** The limit of rows 2 and 3 on SQLite. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { MIGRATIONS } from "@cairn/storage-sqlite"
import { BARE_ROWS, bareRow, ROWS_A_TRANSACTION } from "./BareRow.ts"

const INSERT = `
  INSERT INTO event (workspace, sequence, id, created_at, content, salt, content_hash, previous_event_hash, event_hash)
  VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Rows a second. */
export const bareInserts = (): number => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-bare-"))
  // A migration of the log edits the schema.
  const db = new DatabaseSync(join(folder, "bare.db"), { defensive: false })
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  for (const statements of MIGRATIONS.log) db.exec(statements)
  const insert = db.prepare(INSERT)
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
      row.eventHash
    )
    if (sequence % ROWS_A_TRANSACTION === 0) db.exec("COMMIT")
  }
  const seconds = (performance.now() - begun) / 1000
  db.close()
  rmSync(folder, { recursive: true, force: true })
  return BARE_ROWS / seconds
}
