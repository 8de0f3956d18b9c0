/** The storage under the HTTP tests: in memory, or on the database that `CAIRN_TEST_STORAGE` names. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { Sha256 } from "@cairn/core/hashing"
import type { InboxSignal, SearchIndexer, StrayKeys } from "@cairn/core/log"
import type { StoragePorts } from "@cairn/core/storage-ports"
import type { StoreCheck } from "@cairn/core/verification"
import { PostgresStorage } from "@cairn/storage-postgres"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { MemoryAnchors, MemoryStorage } from "@cairn/testing"
import { emptyDatabases } from "@cairn/testing/EmbeddedPostgres"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { folderCopies, quickFolder } from "@cairn/testing/TestFolders"
import { Effect, Layer, Logger, Redacted } from "effect"

/** The ports that the HTTP tests need: nothing there sequences by itself, or indexes. */
export type Ports = Exclude<StoragePorts, InboxSignal | SearchIndexer | StoreCheck | StrayKeys>

/** Makes the tables of a database. */
const makeTables = <E>(storage: Layer.Layer<Ports, E, Sha256>) =>
  Layer.build(storage).pipe(Effect.provide(Sha256.layer), Effect.scoped, Effect.asVoid, Effect.runPromise)

const sqliteStorage = (folder: string, inboxCapacity: number) =>
  SqliteStorage.layer({ filename: join(folder, "cairn.db"), inboxCapacity })

const copyEmpty = folderCopies((folder) => makeTables(sqliteStorage(folder, 1)))

const onSqlite = (inboxCapacity: number) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => quickFolder("cairn-http-")),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
      )
      yield* Effect.promise(() => copyEmpty(folder))
      return sqliteStorage(folder, inboxCapacity)
    })
  )

/** A storage that does not log: each would warn that the shared server does not sync. */
const postgresStorage = (url: string, inboxCapacity: number) =>
  PostgresStorage.layer({ url: Redacted.make(url), inboxCapacity, maxConnections: 4 }).pipe(
    Layer.provide(Logger.layer([]))
  )

const databases = emptyDatabases(sharedPostgres, (url) => makeTables(postgresStorage(url, 1)))

/** A database that has its tables and nothing in them, for as long as the scope lasts. */
const emptyDatabase = Effect.acquireRelease(
  Effect.promise(() => databases.take()),
  (url) => Effect.sync(() => databases.giveBack(url))
)

const onPostgres = (inboxCapacity: number) =>
  Layer.unwrap(Effect.map(emptyDatabase, (url) => postgresStorage(url, inboxCapacity)))

/** A storage of its own for each test. */
export const storage = (inboxCapacity = 1_000): Layer.Layer<Ports, never, Sha256> => {
  switch (process.env.CAIRN_TEST_STORAGE) {
    case "sqlite":
      return Layer.orDie(onSqlite(inboxCapacity))
    case "postgres":
      return Layer.orDie(onPostgres(inboxCapacity))
    case "memory":
    case undefined:
      return MemoryAnchors.layer.pipe(Layer.provideMerge(MemoryStorage.layer({ inboxCapacity })))
    default:
      throw new Error(`CAIRN_TEST_STORAGE names no storage: ${process.env.CAIRN_TEST_STORAGE}`)
  }
}
