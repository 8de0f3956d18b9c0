/** The configured database, opened only to read: beside a running server, or while none is there. */
import { existsSync } from "node:fs"
import type * as Postgres from "@cairn/storage-postgres"
import {
  FILE_NAMES,
  type FileVersion,
  filesOf,
  fileVersion,
  type MigratedFile,
  openReadOnly,
  type SqliteClient
} from "@cairn/storage-sqlite"
import { Data, Effect, Redacted, type Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { byKind, type Database } from "../settings/Database.ts"
import { Skipped } from "./Skipped.ts"

/** A part of the database, and how far it is brought up to date. */
export interface PartVersion extends FileVersion {
  /** The path of a file; empty for a database that is one. */
  readonly where: string
}

type SqliteFiles = Readonly<Partial<Record<MigratedFile, SqliteClient.SqliteClient>>>

/** The database, and the client for each group of its tables. */
export interface OpenedDatabase {
  readonly versions: ReadonlyArray<PartVersion>
  readonly log: SqlClient.SqlClient
  readonly inbox: SqlClient.SqlClient
  readonly consumers: SqlClient.SqlClient
  /** The files of SQLite that are there; none on PostgreSQL. */
  readonly files: SqliteFiles
  /** Null on SQLite. */
  readonly postgres: OpenedPostgres | null
}

/** A PostgreSQL server. */
export interface OpenedPostgres {
  readonly adapter: typeof Postgres
  /** Refuses to write. */
  readonly sql: Parameters<typeof Postgres.schemaStanding>[0]
  /** How it is set, asked once. */
  readonly facts: Effect.Effect<Postgres.ServerFacts, unknown>
  /** The servers that the URL names, asked once. */
  readonly hosts: Effect.Effect<ReadonlyArray<Postgres.HostFacts>, unknown>
  /** The machines beside it over which the log is spread. */
  readonly machines: ReadonlyArray<Postgres.MachineFacts>
  /** How the shards on all machines are, asked once. */
  readonly shards: Effect.Effect<ReadonlyArray<Postgres.ShardStanding>, unknown>
}

/** A file that is there cannot be read. */
export class FileUnreadable extends Data.TaggedError("FileUnreadable")<{
  readonly file: string
  readonly cause: unknown
}> {}

/** The tables are in a schema that `search_path` does not name. */
export class TablesHidden extends Data.TaggedError("TablesHidden")<Postgres.SchemaPlaces> {}

const NOT_YET = "there is no database yet: cairn serve or cairn migrate makes it"

const openSqlite = Effect.fnUntraced(function* (filename: string) {
  const paths = filesOf(filename)
  if (!existsSync(paths.log)) return yield* new Skipped({ reason: NOT_YET })
  const files: Partial<Record<MigratedFile, SqliteClient.SqliteClient>> = {}
  const versions: Array<PartVersion> = []
  for (const name of FILE_NAMES) {
    const file = paths[name]
    if (!existsSync(file)) continue
    const unreadable = (cause: unknown) => new FileUnreadable({ file, cause })
    const client = yield* Effect.mapError(openReadOnly(file), unreadable)
    const version = yield* Effect.try({ try: () => fileVersion(name, client), catch: unreadable })
    files[name] = client
    versions.push({ where: file, ...version })
  }
  const { log, inbox = log, consumers = log } = files
  if (log === undefined || inbox === undefined || consumers === undefined) {
    return yield* new Skipped({ reason: NOT_YET })
  }
  const opened: OpenedDatabase = { versions, log, inbox, consumers, files, postgres: null }
  return opened
})

/** Connections of the doctor: few, since the server needs the others. */
const CONNECTIONS = 2

const openPostgres = Effect.fnUntraced(function* (url: string) {
  const adapter = yield* Effect.promise(() => import("@cairn/storage-postgres"))
  const config = { url: Redacted.make(url), maxConnections: CONNECTIONS }
  const sql = yield* adapter.openReadOnly(config)
  const version = yield* adapter.schemaVersion(sql)
  if (version.found === 0) {
    const places = yield* adapter.schemaPlaces(sql)
    if (places.with_tables.length > 0) return yield* new TablesHidden(places)
    return yield* new Skipped({ reason: NOT_YET })
  }
  const opened: OpenedDatabase = {
    versions: [{ where: "", ...version }],
    log: sql,
    inbox: sql,
    consumers: sql,
    files: {},
    postgres: {
      adapter,
      sql,
      facts: yield* Effect.cached(adapter.serverFacts(config)),
      hosts: yield* Effect.cached(adapter.hostFacts(config)),
      machines: yield* adapter.machineFacts(sql),
      shards: yield* Effect.cached(adapter.shardStandings(sql))
    }
  }
  return opened
})

/** Opens the database until the scope ends. */
export const openDatabase = (database: Database) =>
  byKind<Effect.Effect<OpenedDatabase, unknown, Scope.Scope>>(database, {
    sqlite: ({ filename }) => openSqlite(filename),
    postgres: ({ url }) => openPostgres(url)
  })
