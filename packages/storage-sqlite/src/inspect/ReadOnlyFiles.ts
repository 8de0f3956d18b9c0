/**
 * The files of a database, opened to look at them beside a server or in its absence: nothing is written,
 * nothing is brought up to date, and no file is made beside them.
 */
import { existsSync } from "node:fs"
import { basename, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { Effect, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql/SqlError"
import { inboxFindings } from "../InboxFindings.ts"
import { MIGRATIONS, type MigratedFile, type SchemaVersion, versionOf } from "../Migrations.ts"
import { consumersState, type FileFinding, searchState, seenFile } from "../SeenFiles.ts"
import { make, type SqliteClient } from "../SqliteClient.ts"
import { pathsOf } from "../UnfinishedBackups.ts"

/** The files, the log first. */
export const FILE_NAMES = [
  "log",
  "inbox",
  "search",
  "consumers"
] as const satisfies ReadonlyArray<MigratedFile>

/** Where each file of a database is. */
export const filesOf = (filename: string): Readonly<Record<MigratedFile, string>> => pathsOf(filename)

/**
 * How a file is opened that only is read. SQLite makes a write-ahead log beside a file that has none, even to
 * read it; a file without one is open nowhere, and does not change.
 */
const readOnlyName = (filename: string): string =>
  existsSync(`${filename}-wal`) ? filename : `${pathToFileURL(resolve(filename)).href}?immutable=1`

/** Opens a file until the scope ends. It must be there. */
export const openReadOnly = (filename: string): Effect.Effect<SqliteClient, SqlError, Scope.Scope> =>
  Effect.provide(
    Effect.suspend(() => make({ filename: readOnlyName(filename), readonly: true })),
    Reactivity.layer
  )

/** How far a file is brought up to date, and the last migration that this program knows. */
export interface FileVersion extends SchemaVersion {
  readonly known: number
}

/** How far a file is brought up to date. */
export const fileVersion = (name: MigratedFile, { database }: SqliteClient): FileVersion => ({
  ...versionOf(database),
  known: MIGRATIONS[name].length
})

/** A table, an index or a trigger. */
export interface SchemaObject {
  readonly type: string
  readonly name: string
  readonly table: string
  /** The statement that makes it. */
  readonly sql: string
}

const objectsIn = (db: Pick<DatabaseSync, "prepare">): ReadonlyArray<SchemaObject> =>
  db
    .prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    .all()
    .map(({ type, name, tbl_name, sql }) => ({
      type: String(type),
      name: String(name),
      table: String(tbl_name),
      sql: String(sql)
    }))

/** What the migrations up to this number make, in a file of its own that is nowhere. */
const objectsMade = (name: MigratedFile, at: number): ReadonlyArray<SchemaObject> => {
  const db = new DatabaseSync(":memory:")
  try {
    // One of them changes the text of a table's definition, which is otherwise forbidden.
    db.enableDefensive?.(false)
    for (const statements of MIGRATIONS[name].slice(0, at)) db.exec(statements)
    return objectsIn(db)
  } finally {
    db.close()
  }
}

/** What the migrations make and is dropped once what it has is moved, see `KeyMove`. */
const PASSING = new Set(["idempotency_key_text"])

/** How the tables, indexes and triggers of a file differ from what the migrations make that it has. */
export interface SchemaDifference {
  readonly missing: ReadonlyArray<SchemaObject>
  /** Triggers that are there with another text; none where a newer program may have replaced them. */
  readonly altered: ReadonlyArray<SchemaObject>
}

const oneLine = (sql: string): string => sql.replaceAll(/\s+/g, " ")

/** What a file lacks of what the migrations make that it has, and which of its triggers are others. */
export const schemaDifference = (name: MigratedFile, { database }: SqliteClient): SchemaDifference => {
  const { found } = versionOf(database)
  const isNewer = found > MIGRATIONS[name].length
  const texts = new Map(
    objectsIn(database.db).map(({ type, name: object, sql }) => [`${type} ${object}`, oneLine(sql)])
  )
  const made = objectsMade(name, found).filter((object) => !PASSING.has(object.name))
  const textOf = (object: SchemaObject) => texts.get(`${object.type} ${object.name}`)
  return {
    missing: made.filter((object) => textOf(object) === undefined),
    altered: made.filter((object) => {
      const text = textOf(object)
      return object.type === "trigger" && text !== undefined && !isNewer && text !== oneLine(object.sql)
    })
  }
}

/** What SQLite says of the pages of a file, without holding tables against indexes; empty if whole. */
export const quickCheck = ({ database }: SqliteClient): ReadonlyArray<string> =>
  database.db
    .prepare("PRAGMA quick_check(10)")
    .all()
    .map((row) => String(Object.values(row)[0]))
    .filter((line) => line !== "ok")

/** The open files, all up to date. */
export type InspectedFiles = Readonly<Record<MigratedFile, SqliteClient>>

const strayed = (
  log: SqliteClient,
  name: "search" | "consumers",
  file: SqliteClient
): ReadonlyArray<FileFinding> => {
  const known = seenFile(log.database, name)
  const state = name === "search" ? searchState(file.database) : consumersState(file.database)
  if (known === undefined || (known.identity === state.identity && known.progress <= state.progress))
    return []
  const message =
    known.identity === state.identity
      ? `${basename(name)} has gone back in time`
      : `${basename(name)} is another file than the one that was in use with this log`
  return [{ file: name, message, detail: { progress: state.progress, known: known.progress } }]
}

/** Which files are not from the same time as the others. The log is read first, because the others grow. */
export const strayedFiles = ({
  log,
  inbox,
  search,
  consumers
}: InspectedFiles): ReadonlyArray<FileFinding> => [
  ...inboxFindings(log.database, inbox.database),
  ...strayed(log, "search", search),
  ...strayed(log, "consumers", consumers)
]

/** Rows that are counted of a table: beyond it, it is said to have more. */
const COUNTED_ROWS = 1_000_000

const PRAGMAS = ["page_size", "page_count", "freelist_count", "journal_mode", "encoding", "auto_vacuum"]

/** How large a file is and how it is set: nothing of what is in it. Counts at most a million rows a table. */
export const fileFacts = ({ database: { db } }: SqliteClient) => {
  const one = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0] ?? null
  const tables = objectsIn(db).filter(({ type }) => type === "table")
  return {
    sqlite: String(one("SELECT sqlite_version()")),
    pragmas: Object.fromEntries(PRAGMAS.map((name) => [name, one(`PRAGMA ${name}`)])),
    tables: tables.map(({ name }) => {
      const rows = Number(one(`SELECT count(*) FROM (SELECT 1 FROM "${name}" LIMIT ${COUNTED_ROWS + 1})`))
      return { name, rows: Math.min(rows, COUNTED_ROWS), more: rows > COUNTED_ROWS }
    })
  }
}
