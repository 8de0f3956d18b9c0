/** The ports on the configured database. */
import { isMainThread } from "node:worker_threads"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { ClockGuard } from "@cairn/core/log"
import type { StoragePorts } from "@cairn/core/storage-ports"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { Effect, Layer, Redacted } from "effect"
import { StoreIncidents } from "../loops/StoreIncidents.ts"
import { byKind } from "../settings/Database.ts"
import type { ThreadConfig } from "../thread/ThreadConfig.ts"
import { prepareFolder } from "./DatabaseErrors.ts"
import { waitingFor } from "./DatabaseWait.ts"
import { layerMeteredStorage } from "./MeteredStorage.ts"

/** Where the database is. */
export interface StorageConfig
  extends Pick<
    ThreadConfig,
    "database" | "inboxCapacity" | "connections" | "seen" | "clock" | "waitSeconds"
  > {
  /** Whether read replicas are looked at from the start on, and their state is logged. */
  readonly watchesReplicas?: boolean
}

const platform = Layer.mergeAll(Sha256.layer, Randomness.layer)

const onSqlite = (filename: string, { database, inboxCapacity, clock }: StorageConfig) =>
  Layer.merge(
    Layer.unwrap(Effect.as(prepareFolder(database), SqliteStorage.layer({ filename, inboxCapacity }))),
    clock === undefined ? ClockGuard.layer : ClockGuard.layerSince(clock)
  )

type PostgresDatabase = Extract<ThreadConfig["database"], { kind: "postgres" }>

/** PostgreSQL, whose client is loaded only where it is used. */
const postgresPorts = (
  { url, readUrl }: PostgresDatabase,
  { inboxCapacity, connections, seen, watchesReplicas = false }: StorageConfig
) =>
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
              replicas:
                readUrl === undefined
                  ? undefined
                  : {
                      url: Redacted.make(readUrl),
                      maxConnections: connections,
                      watches: watchesReplicas
                    },
              seen: seen === undefined ? undefined : { timeline: seen, tells: isMainThread }
            })
        )
      )
    )
  )

const onPostgres = (primary: PostgresDatabase, config: StorageConfig) =>
  waitingFor(config.database, config.waitSeconds ?? null, postgresPorts(primary, config))

type Failures = Layer.Error<ReturnType<typeof onSqlite>> | Layer.Error<ReturnType<typeof onPostgres>>

const portsOn = (config: StorageConfig) =>
  byKind<Layer.Layer<StoragePorts | ClockGuard, Failures>>(config.database, {
    sqlite: ({ filename }) => onSqlite(filename, config),
    postgres: (primary) => onPostgres(primary, config)
  })

/** The ports on the database, and what the use cases need besides. */
export const layerStorage = (config: StorageConfig) => {
  return Layer.mergeAll(
    layerMeteredStorage.pipe(Layer.provideMerge(portsOn(config))),
    platform,
    StoreIncidents.layer
  )
}
