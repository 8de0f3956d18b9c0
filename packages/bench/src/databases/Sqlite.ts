/** SQLite under test. */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { siblingFile } from "@cairn/storage-sqlite"
import { bareInserts } from "./BareSqliteInserts.ts"
import type { DatabaseServer, LogDatabase } from "./LogDatabase.ts"
import { storageAt } from "./Storage.ts"

/** Bytes of the files in a folder whose names are such. */
const bytesOf = (folder: string, isCounted: (name: string) => boolean): number =>
  readdirSync(folder)
    .filter(isCounted)
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

const SEARCH = "search"

/** The connection is opened when first used, because the migration creates the database. */
const bareDriver = (filename: string) => {
  let db: DatabaseSync | undefined
  const statements = new Map<string, StatementSync>()
  return {
    query: async (text: string) => {
      db ??= new DatabaseSync(filename, { readOnly: true })
      const statement = statements.get(text) ?? db.prepare(text)
      statements.set(text, statement)
      return statement.all()
    },
    close: () => db?.close()
  }
}

/** Moves what is in the write-ahead log into the file. */
const settleFile = (filename: string): void => {
  const db = new DatabaseSync(filename)
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  db.close()
}

const newDatabase = async (): Promise<LogDatabase> => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-bench-"))
  const filename = join(folder, "cairn.db")
  const environment = { CAIRN_DATABASE_URL: `sqlite:${filename}` }
  const files = [filename, siblingFile(filename, "inbox"), siblingFile(filename, SEARCH)]
  const { query, close } = bareDriver(filename)
  return {
    product: "SQLite",
    environment,
    storage: storageAt(environment),
    query,
    bulk: (task) => task(),
    settle: async () => files.forEach(settleFile),
    size: async () => ({
      log: bytesOf(folder, (name) => !name.includes(SEARCH)),
      search: bytesOf(folder, (name) => name.includes(SEARCH))
    }),
    writeAhead: async () => bytesOf(folder, (name) => name.endsWith("-wal")),
    processes: () => [],
    remove: async () => {
      close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** The product. */
export const sqlite = (): DatabaseServer => ({
  product: "SQLite",
  durability: "journal_mode=WAL, synchronous=FULL",
  newDatabase,
  bareInserts: async () => bareInserts(),
  stop: async () => undefined
})
