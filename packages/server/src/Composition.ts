/** Which layers make up the two sides of the server. */
import {
  Acceptance,
  ChainVerifier,
  ClockGuard,
  EventCounts,
  EventReader,
  Randomness,
  Sequencer,
  Sha256
} from "@cairn/core"
import { MaxmindGeoIp } from "@cairn/geo"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { Effect, Layer } from "effect"
import { Authenticator } from "./http/Authenticator.ts"
import { Draining } from "./http/HttpApp.ts"
import { RateLimiter } from "./http/RateLimiter.ts"
import { WorkspaceDirectory } from "./http/WorkspaceDirectory.ts"
import { ApiKeyManagement } from "./management/ApiKeyManagement.ts"
import { ManagementEvents } from "./management/ManagementEvent.ts"
import { WorkspaceManagement } from "./management/WorkspaceManagement.ts"
import type { ThreadConfig } from "./thread/ThreadConfig.ts"

/** Where the database is. */
export type StorageConfig = Pick<ThreadConfig, "database" | "inboxCapacity">

const platform = Layer.mergeAll(Sha256.layer, Randomness.layer, ClockGuard.layer)

/** The ports on the database, and what the use cases need besides. */
const storage = ({ database, inboxCapacity }: StorageConfig) =>
  Layer.merge(SqliteStorage.layer({ filename: database.filename, inboxCapacity }), platform)

/** Sequencing, reading and verifying: the log thread, or a command that opens the database itself. */
export const logSide = (config: StorageConfig & Pick<ThreadConfig, "geoipFiles">) =>
  Layer.mergeAll(
    Sequencer.layer,
    EventReader.layer.pipe(Layer.provide(EventCounts.layer)),
    ChainVerifier.layer
  ).pipe(
    Layer.provideMerge(MaxmindGeoIp.layer({ files: config.geoipFiles })),
    Layer.provideMerge(storage(config))
  )

/** Accepting and managing: the main thread, or a command. */
export const acceptSide = (config: StorageConfig) =>
  Layer.mergeAll(WorkspaceManagement.layer, ApiKeyManagement.layer).pipe(
    Layer.provide(ManagementEvents.layer),
    Layer.provideMerge(Acceptance.layer),
    Layer.provideMerge(storage(config))
  )

/** Rate limits, for this process alone or, with Redis, for all. Its client is loaded only then: it is larger than all the rest. */
const rateLimiter = (redisUrl: string) =>
  redisUrl === ""
    ? RateLimiter.layer
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./http/RedisRateLimiter.ts")),
          ({ layer }) => layer(redisUrl)
        )
      )

/** What requests need beside the use cases. */
export const httpSide = ({ redisUrl }: { readonly redisUrl: string }) =>
  Layer.mergeAll(Authenticator.layer, WorkspaceDirectory.layer, rateLimiter(redisUrl), Draining.layer)
