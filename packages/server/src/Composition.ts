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
import { Layer } from "effect"
import { Authenticator } from "./http/Authenticator.ts"
import { Draining } from "./http/HttpApp.ts"
import { RateLimiter } from "./http/RateLimiter.ts"
import { WorkspaceDirectory } from "./http/WorkspaceDirectory.ts"
import { ApiKeyManagement } from "./management/ApiKeyManagement.ts"
import { ManagementEvents } from "./management/ManagementEvent.ts"
import { WorkspaceManagement } from "./management/WorkspaceManagement.ts"
import type { ThreadConfig } from "./thread/ThreadConfig.ts"

/** Where the database is. */
export type StorageConfig = Pick<ThreadConfig, "filename" | "inboxCapacity">

const platform = Layer.mergeAll(Sha256.layer, Randomness.layer, ClockGuard.layer)

/** The ports on SQLite, and what the use cases need besides. */
const storage = ({ filename, inboxCapacity }: StorageConfig) =>
  Layer.merge(SqliteStorage.layer({ filename, inboxCapacity }), platform)

/** Sequencing, reading and verifying: the log thread, or a command that opens the database itself. */
export const logSide = (config: ThreadConfig) =>
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

/** What requests need beside the use cases. */
export const httpSide = Layer.mergeAll(
  Authenticator.layer,
  WorkspaceDirectory.layer,
  RateLimiter.layer,
  Draining.layer
)
