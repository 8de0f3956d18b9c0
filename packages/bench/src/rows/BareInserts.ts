/** The limit of rows 2 and 3: a loop that inserts the same rows with the bare driver, 1,000 a transaction, with the same indexes. */

import { randomUUID } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { MIGRATIONS } from "@cairn/storage-sqlite"
import { sampleBody } from "../SampleEvent.ts"

const ROWS = 40_000

/** Rows a second. */
export const bareInserts = (): number => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-bare-"))
  const db = new DatabaseSync(join(folder, "bare.db"))
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  for (const statements of MIGRATIONS.log) db.exec(statements)
  const insert = db.prepare("INSERT INTO event VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
  const target = db.prepare("INSERT INTO event_target VALUES (1, ?, 0, 'folder', ?)")
  const hash = "0".repeat(64)
  const content = JSON.stringify(sampleBody(0)).padEnd(577, " ")
  const begun = performance.now()
  for (let row = 1; row <= ROWS; row++) {
    if (row % 1000 === 1) db.exec("BEGIN")
    insert.run(
      row,
      randomUUID(),
      row,
      content,
      hash.slice(32),
      hash,
      hash,
      hash,
      `action${row % 4}`,
      `user_${row % 500}`,
      "document",
      `doc_${row % 2000}`,
      `tenant_${row % 20}`,
      `session_${row % 100}`
    )
    target.run(row, `folder_${row % 50}`)
    if (row % 1000 === 0) db.exec("COMMIT")
  }
  const seconds = (performance.now() - begun) / 1000
  db.close()
  rmSync(folder, { recursive: true, force: true })
  return ROWS / seconds
}
