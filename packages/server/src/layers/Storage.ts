/** The ports on the configured database. */
import { isMainThread } from "node:worker_threads"
import type { AlertRules, Alerts } from "@cairn/core/alert"
import type { Anchors } from "@cairn/core/anchor"
import type { Checkpoints, TreeStore } from "@cairn/core/checkpoint"
import type { Consumers } from "@cairn/core/consumer"
import type { Exports } from "@cairn/core/export"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import {
  ClockGuard,
  type EventLog,
  type EventUsage,
  type Inbox,
  type InboxSignal,
  type SearchIndexer,
  type StrayKeys,
  type Workspaces
} from "@cairn/core/log"
import type { LogStreams, Outbox, Webhooks } from "@cairn/core/outbound"
import type { ContentRemoval } from "@cairn/core/retention"
import type { ApiKeys, ManagedWorkspaces, Members, ViewerKeys } from "@cairn/core/workspace"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { Effect, Layer, Redacted } from "effect"
import type { ThreadConfig } from "../thread/ThreadConfig.ts"

/** Where the database is. */
export type StorageConfig = Pick<
  ThreadConfig,
  "database" | "inboxCapacity" | "connections" | "seen" | "clock"
>

const platform = Layer.mergeAll(Sha256.layer, Randomness.layer)

const onSqlite = (filename: string, { inboxCapacity, clock }: StorageConfig) =>
  Layer.merge(
    SqliteStorage.layer({ filename, inboxCapacity }),
    clock === undefined ? ClockGuard.layer : ClockGuard.layerSince(clock)
  )

/** PostgreSQL, whose client is loaded only where it is used. */
const onPostgres = (url: string, { inboxCapacity, connections, seen }: StorageConfig) =>
  ClockGuard.layerAgainstStore.pipe(
    Layer.provideMerge(
      Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("@cairn/storage-postgres")),
          ({ PostgresStorage }) =>
            PostgresStorage.layer({
              url: Redacted.make(url),
              inboxCapacity,
              maxConnections: connections,
              seen: seen === undefined ? undefined : { timeline: seen, tells: isMainThread }
            })
        )
      )
    )
  )

/** The ports that the server stands on. */
type Ports =
  | AlertRules
  | Alerts
  | Anchors
  | ApiKeys
  | Checkpoints
  | ClockGuard
  | Consumers
  | ContentRemoval
  | EventLog
  | EventUsage
  | Exports
  | Inbox
  | InboxSignal
  | LogStreams
  | Members
  | Outbox
  | SearchIndexer
  | StrayKeys
  | TreeStore
  | ViewerKeys
  | Webhooks
  | Workspaces
  | ManagedWorkspaces

type Failures = Layer.Error<ReturnType<typeof onSqlite>> | Layer.Error<ReturnType<typeof onPostgres>>

/** The ports on the database, and what the use cases need besides. */
export const layerStorage = (config: StorageConfig) => {
  const { database } = config
  const ports: Layer.Layer<Ports, Failures> =
    database.kind === "sqlite" ? onSqlite(database.filename, config) : onPostgres(database.url, config)
  return Layer.merge(ports, platform)
}
