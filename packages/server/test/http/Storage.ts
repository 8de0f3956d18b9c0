/** The storage under the HTTP tests: in memory, or on the database that `CAIRN_TEST_STORAGE` names. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type {
  AlertRules,
  Alerts,
  Anchors,
  ApiKeys,
  Checkpoints,
  Consumers,
  ContentRemoval,
  EventLog,
  EventUsage,
  Exports,
  Inbox,
  LogStreams,
  Members,
  Outbox,
  Sha256,
  TreeStore,
  ViewerKeys,
  Webhooks,
  Workspaces
} from "@cairn/core"
import { PostgresStorage } from "@cairn/storage-postgres"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { MemoryAnchors, MemoryStorage } from "@cairn/testing"
import { startPostgres, type TestPostgres } from "@cairn/testing/EmbeddedPostgres"
import { Effect, Layer, Redacted } from "effect"
import { afterAll } from "vitest"

/** The ports that the server needs. */
export type Ports =
  | AlertRules
  | Alerts
  | Anchors
  | ApiKeys
  | Checkpoints
  | Consumers
  | ContentRemoval
  | EventLog
  | EventUsage
  | Exports
  | Inbox
  | LogStreams
  | Members
  | Outbox
  | TreeStore
  | ViewerKeys
  | Webhooks
  | Workspaces

const onSqlite = (inboxCapacity: number) =>
  Layer.unwrap(
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn-http-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
      ),
      (folder) => SqliteStorage.layer({ filename: join(folder, "cairn.db"), inboxCapacity })
    )
  )

/** One PostgreSQL server for all tests of a file. */
let server: Promise<TestPostgres> | undefined
if (process.env.CAIRN_TEST_STORAGE === "postgres") afterAll(async () => (await server)?.stop())

const onPostgres = (inboxCapacity: number) =>
  Layer.unwrap(
    Effect.promise(async () => {
      server ??= startPostgres()
      const url = Redacted.make(await (await server).newDatabase())
      return PostgresStorage.layer({ url, inboxCapacity, maxConnections: 4 })
    })
  )

/** A storage of its own for each test. */
export const storage = (inboxCapacity = 1_000): Layer.Layer<Ports, never, Sha256> => {
  switch (process.env.CAIRN_TEST_STORAGE) {
    case "sqlite":
      return Layer.orDie(onSqlite(inboxCapacity))
    case "postgres":
      return Layer.orDie(onPostgres(inboxCapacity))
    default:
      return MemoryAnchors.layer.pipe(Layer.provideMerge(MemoryStorage.layer({ inboxCapacity })))
  }
}
