/**
 * The files of one database as plain rows, for copying from it and to it, on one connection that is not
 * shared.
 *
 * SQLite's exclusive locking mode cannot be taken while any other connection is open, even an idle one, and
 * keeps all others out. A process that ends in any way releases it.
 */
import { existsSync, renameSync, rmSync } from "node:fs"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { StorageUnavailable } from "@cairn/core/log"
import {
  type Cell,
  type CopiedTable,
  CopyRefused,
  type CopySource,
  type CopyTarget,
  lastStatement,
  quoted,
  type Row,
  readStatement,
  type TableShape
} from "@cairn/storage-sql"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { makeFolderOf } from "./DatabaseFolder.ts"
import { recoverFiles, tellDamage } from "./FileRecovery.ts"
import { migrateInbox, moveAllKeys } from "./KeyMove.ts"
import { migrate } from "./Migrations.ts"
import { siblingFile } from "./SiblingFile.ts"
import { make } from "./SqliteClient.ts"
import { refuseHalfRestored } from "./UnfinishedRestore.ts"

/**
 * The files that are copied, the log's last: a database is found by its log. The search index is built again.
 */
const NAMES = ["consumers", "inbox", "log"] as const

const filesOf = (filename: string) => ({
  log: filename,
  inbox: siblingFile(filename, "inbox"),
  consumers: siblingFile(filename, "consumers")
})

const SUFFIXES = ["", "-wal", "-shm", "-journal"]

/** Rows that were appended but not yet removed because of a crash are no longer waiting. */
const WAITING = `id > coalesce((
  SELECT inbox_id FROM head, state WHERE head.workspace = inbox.workspace AND head.inbox_epoch = state.epoch), 0)`

const CONDITIONS: Readonly<Record<string, string>> = { inbox: WAITING }

const TYPES: Readonly<Record<string, string>> = { INTEGER: "integer", TEXT: "text", BLOB: "bytes" }

/**
 * Brings the files up to date, and creates missing ones. Files to copy from must also be from the same time.
 */
const prepareFiles = (filename: string, isSource: boolean) =>
  Effect.gen(function* () {
    yield* makeFolderOf(filename)
    yield* refuseHalfRestored(filename)
    const files = filesOf(filename)
    const [log, inbox, consumers] = yield* Effect.all([
      make({ filename: files.log }),
      make({ filename: files.inbox }),
      make({ filename: files.consumers })
    ])
    yield* tellDamage("log", log)
    yield* tellDamage("inbox", inbox)
    yield* tellDamage("consumers", consumers)
    yield* migrate(consumers, "consumers")
    yield* migrateInbox(inbox)
    yield* moveAllKeys(inbox)
    yield* migrate(log, "log")
    if (!isSource) return
    const search = yield* make({ filename: siblingFile(filename, "search"), synchronous: "NORMAL" })
    yield* migrate(search, "search")
    yield* recoverFiles({ log, inbox, consumers, search })
  }).pipe(
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.catchTag(["SqlError", "FolderUnusable", "RestoreUnfinished"], (cause) =>
      Effect.fail(new StorageUnavailable({ operation: `open ${filename}`, cause }))
    )
  )

const open = (filename: string): DatabaseSync => {
  const files = filesOf(filename)
  const db = new DatabaseSync(files.log, { timeout: 2_000 })
  try {
    // Called before anything is read, so that the first read of each file locks all of it.
    db.exec("PRAGMA locking_mode = EXCLUSIVE")
    db.prepare("ATTACH ? AS inbox").run(files.inbox)
    db.prepare("ATTACH ? AS consumers").run(files.consumers)
    for (const schema of ["main", "inbox", "consumers"]) {
      db.exec(`PRAGMA ${schema}.synchronous = NORMAL`)
      db.prepare(`SELECT count(*) FROM ${schema}.sqlite_master`).get()
    }
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Opens a database until the scope ends. */
const acquire = (filename: string, name: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => open(filename),
      catch: (cause) =>
        new CopyRefused({
          database: name,
          reason: "in use",
          detail: cause instanceof Error ? cause.message : String(cause)
        })
    }),
    (db) =>
      Effect.sync(() => {
        if (db.isOpen) db.close()
      })
  )

const rowsOf = (db: DatabaseSync, sql: string, ...params: ReadonlyArray<SQLInputValue>) =>
  db.prepare(sql).all(...params)

const readShapes = (db: DatabaseSync): ReadonlyArray<TableShape> =>
  ["main", "inbox", "consumers"].flatMap((schema) => {
    const tables = rowsOf(
      db,
      `SELECT name, sql FROM ${schema}.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`
    )
    return tables.map(({ name: table, sql }): TableShape => {
      const name = String(table)
      const columns = rowsOf(db, `SELECT name, type, pk FROM pragma_table_info(?, ?)`, name, schema)
      const key = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk))
      const [only] = key
      return {
        name,
        columns: new Map(
          columns.map((column) => [String(column.name), TYPES[String(column.type)] ?? String(column.type)])
        ),
        key: key.map((column) => String(column.name)),
        references: rowsOf(db, `SELECT "table" AS name FROM pragma_foreign_key_list(?, ?)`, name, schema).map(
          (reference) => String(reference.name)
        ),
        numbered: /\bAUTOINCREMENT\b/.test(String(sql)) ? String(only?.name) : null
      }
    })
  })

const schemaOf = (db: DatabaseSync, table: string): string => {
  const found = ["main", "inbox", "consumers"].find(
    (schema) => rowsOf(db, `SELECT 1 FROM ${schema}.sqlite_master WHERE name = ?`, table).length > 0
  )
  if (found === undefined) throw new Error(`there is no table ${table}`)
  return found
}

const attempt = <A>(operation: string, f: () => A) =>
  Effect.try({ try: f, catch: (cause) => new StorageUnavailable({ operation, cause }) })

/** STRICT tables hold no other types, and JavaScript's numbers can hold all their numbers. */
const cellOf = (value: unknown): Cell => {
  if (value === null || typeof value === "string" || typeof value === "number") return value
  if (value instanceof Uint8Array) return value
  throw new Error(`a column holds a ${typeof value}`)
}

const readRows = (db: DatabaseSync, sql: string, params: ReadonlyArray<Cell>): ReadonlyArray<Row> =>
  rowsOf(db, sql, ...params).map((row) => Object.values(row).map(cellOf))

const sourceOf = (db: DatabaseSync, name: string): CopySource => ({
  name,
  shapes: readShapes(db),
  count: (table) =>
    attempt("count rows", () => {
      const condition = CONDITIONS[table.name] ?? "true"
      const [row] = rowsOf(db, `SELECT count(*) AS count FROM ${quoted(table.name)} WHERE ${condition}`)
      return Number(row?.count)
    }),
  read: (table, after, limit) =>
    attempt("read rows", () => {
      const condition = CONDITIONS[table.name]
      const sql = readStatement(table, { mark: (n) => `?${n}`, after: after !== null, condition })
      return readRows(db, sql, [...(after ?? []), limit])
    }),
  lastNumber: (table) =>
    attempt("read the last number", () => {
      const column = quoted(table.numbered ?? "")
      const [highest] = rowsOf(db, `SELECT max(${column}) AS number FROM ${quoted(table.name)}`)
      const schema = schemaOf(db, table.name)
      const counts = rowsOf(db, `SELECT 1 FROM ${schema}.sqlite_master WHERE name = 'sqlite_sequence'`)
      const [given] =
        counts.length === 0
          ? []
          : rowsOf(db, `SELECT seq FROM ${schema}.sqlite_sequence WHERE name = ?`, table.name)
      return Math.max(Number(highest?.number ?? 0), Number(given?.seq ?? 0))
    })
})

/** Runs `body` in a transaction. */
const transaction = (db: DatabaseSync, body: () => void): void => {
  db.exec("BEGIN IMMEDIATE")
  try {
    body()
    db.exec("COMMIT")
  } catch (error) {
    if (db.isTransaction) db.exec("ROLLBACK")
    throw error
  }
}

const insertRows = (db: DatabaseSync, { name, columns }: CopiedTable, rows: ReadonlyArray<Row>): void => {
  const statement = db.prepare(
    `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`
  )
  transaction(db, () => {
    for (const row of rows) statement.run(...row)
  })
}

const writeLastNumber = (db: DatabaseSync, table: string, number: number): void => {
  const schema = schemaOf(db, table)
  transaction(db, () => {
    const { changes } = db
      .prepare(`UPDATE ${schema}.sqlite_sequence SET seq = ? WHERE name = ?`)
      .run(number, table)
    if (changes === 0) {
      db.prepare(`INSERT INTO ${schema}.sqlite_sequence (name, seq) VALUES (?, ?)`).run(table, number)
    }
  })
}

/** Removes the files of an unfinished copy. */
const discardPartial = (partial: ReturnType<typeof filesOf>): void => {
  for (const name of NAMES) {
    for (const suffix of SUFFIXES) rmSync(`${partial[name]}${suffix}`, { force: true })
  }
}

/** A crash may have come while files were renamed: those with their final name are renamed back. */
const takeBack = (partial: ReturnType<typeof filesOf>, files: ReturnType<typeof filesOf>): void => {
  if (existsSync(files.log) || !existsSync(partial.log)) return
  for (const name of NAMES) {
    if (!existsSync(partial[name]) && existsSync(files[name])) renameSync(files[name], partial[name])
  }
}

/** The database at `filename`, to copy from. Nobody else may have it open. It is brought up to date first. */
export const copySource = Effect.fnUntraced(function* (filename: string) {
  const missing = Object.values(filesOf(filename))
    .slice(0, 2)
    .find((file) => !existsSync(file))
  if (missing !== undefined) {
    return yield* new CopyRefused({ database: missing, reason: "missing", detail: "" })
  }
  // Locked before it is brought up to date: that is a change which a server that has it open must not see.
  if (existsSync(filesOf(filename).consumers)) yield* Effect.scoped(acquire(filename, filename))
  yield* prepareFiles(filename, true)
  return sourceOf(yield* acquire(filename, filename), filename)
})

/**
 * An empty place at `filename`, to copy to, or the copy that an earlier run has left there.
 *
 * Until it is put in place, the copy is in files whose names begin with `FILENAME.partial`; `restart` deletes
 * them.
 */
export const copyTarget = Effect.fnUntraced(function* (filename: string, restart: boolean) {
  const files = filesOf(filename)
  const partial = filesOf(`${filename}.partial`)
  yield* attempt("look for an earlier copy", () => {
    takeBack(partial, files)
    if (restart) discardPartial(partial)
  })
  const isInPlace = existsSync(files.log) && !existsSync(partial.log)
  const inTheWay = NAMES.find((name) => existsSync(files[name]))
  if (!isInPlace && inTheWay !== undefined) {
    const detail = `there is a file ${files[inTheWay]}`
    return yield* new CopyRefused({ database: filename, reason: "not empty", detail })
  }
  const missing = NAMES.find((name) => !existsSync(files[name]))
  if (isInPlace && missing !== undefined) {
    const detail = "there is a file, and no database of this version"
    return yield* new CopyRefused({ database: filename, reason: "not empty", detail })
  }
  if (!isInPlace) yield* prepareFiles(partial.log, false)
  const db = yield* acquire(isInPlace ? filename : partial.log, filename)
  const target: CopyTarget = {
    ...sourceOf(db, filename),
    isInPlace,
    last: (table) => attempt("find the last row", () => readRows(db, lastStatement(table), [])[0] ?? null),
    insert: (table, rows) => attempt("copy rows", () => insertRows(db, table, rows)),
    clear: (table) => attempt("clear a table", () => db.exec(`DELETE FROM ${quoted(table.name)}`)),
    setLastNumber: (table, number) =>
      attempt("write the last number", () => writeLastNumber(db, table.name, number)),
    putInPlace: attempt("put the copy in place", () => {
      db.exec("UPDATE state SET waiting = (SELECT coalesce(sum(event_count), 0) FROM inbox)")
      for (const schema of ["main", "inbox", "consumers"])
        db.exec(`PRAGMA ${schema}.wal_checkpoint(TRUNCATE)`)
      // Closing removes the empty write-ahead logs, which would not be found under the new names.
      db.close()
      for (const name of NAMES) renameSync(partial[name], files[name])
    })
  }
  return target
})
