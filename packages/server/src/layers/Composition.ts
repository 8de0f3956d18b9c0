/** Which layers make up the two sides of the server. */
import { isMainThread } from "node:worker_threads"
import {
  Acceptance,
  type AlertRules,
  type Alerts,
  AnchorChain,
  AnchorEvidence,
  Anchoring,
  AnchorReader,
  type Anchors,
  AnchorVerifier,
  Announcer,
  type ApiKeys,
  ChainVerifier,
  CheckpointSigner,
  type Checkpoints,
  ClockGuard,
  type Consumers,
  type ContentRemoval,
  EventCounts,
  EventHistogram,
  type EventLog,
  EventProver,
  EventReader,
  type EventUsage,
  EvidenceExport,
  type Exports,
  type Inbox,
  type InboxSignal,
  LogCheckpoints,
  type LogStreams,
  LogTree,
  logIdOf,
  type Members,
  Micros,
  type Outbox,
  Randomness,
  RateBuckets,
  type SearchIndexer,
  Sequencer,
  Sha256,
  type StrayKeys,
  type TreeStore,
  UnknownAnchors,
  UsageReader,
  type ViewerKeys,
  type Webhooks,
  type Workspaces
} from "@cairn/core"
import { MaxmindGeoIp } from "@cairn/geo"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { Effect, Layer, Option, Redacted, Result } from "effect"
import { Authenticator } from "../http/gate/Authenticator.ts"
import { WorkspaceDirectory } from "../http/gate/WorkspaceDirectory.ts"
import { Draining } from "../http/HttpApp.ts"
import { RateLimiter } from "../http/limits/RateLimiter.ts"
import * as SharedRateLimiter from "../http/limits/SharedRateLimiter.ts"
import { ApiKeyManagement } from "../management/ApiKeyManagement.ts"
import { ManagementEvents } from "../management/ManagementEvent.ts"
import { WorkspaceManagement } from "../management/WorkspaceManagement.ts"
import { layerEd25519Signers } from "../secret/NodeEd25519.ts"
import { layerSecrets } from "../secret/SecretKeys.ts"
import { AnchorRequests } from "../thread/AnchorRequests.ts"
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

type Failures = Layer.Error<ReturnType<typeof onSqlite>> | Layer.Error<ReturnType<typeof onPostgres>>

/** The ports on the database, and what the use cases need besides. */
export const storage = (config: StorageConfig) => {
  const { database } = config
  const ports: Layer.Layer<Ports, Failures> =
    database.kind === "sqlite" ? onSqlite(database.filename, config) : onPostgres(database.url, config)
  return Layer.merge(ports, platform)
}

/** Sequencing, reading and verifying: the log thread, or a command that opens the database itself. */
export const logSide = (config: StorageConfig & Pick<ThreadConfig, "geoipFiles">) =>
  Layer.mergeAll(
    Sequencer.layer,
    Layer.merge(EventReader.layer, EventHistogram.layer).pipe(Layer.provide(EventCounts.layer)),
    ChainVerifier.layer,
    LogTree.layer
  ).pipe(
    Layer.provideMerge(MaxmindGeoIp.layer({ files: config.geoipFiles })),
    Layer.provideMerge(storage(config))
  )

/** What signs checkpoints, over the ports. */
export const signing = ({ secretKeys }: Pick<ThreadConfig, "secretKeys">) =>
  CheckpointSigner.layer.pipe(Layer.provide([layerEd25519Signers, layerSecrets(secretKeys)]))

/** Checkpoints and proofs, over {@link logSide}. */
export const proofSide = (config: Pick<ThreadConfig, "secretKeys">) =>
  EventProver.layer.pipe(Layer.provideMerge(LogCheckpoints.layer), Layer.provide(signing(config)))

/** The chain, whose client is loaded only where one is configured. */
const anchorChain = (chain: ThreadConfig["chain"]) =>
  chain === null
    ? AnchorChain.layerNone
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("@cairn/anchor-base")),
          ({ BaseChain, privateKeyFrom }) => {
            const [first = "", ...others] = chain.urls
            return BaseChain.layer({
              urls: [first, ...others],
              privateKey: Result.getOrThrow(privateKeyFrom(chain.privateKey)),
              formerAccounts: chain.formerAccounts,
              chainId: chain.chainId,
              confirmations: BaseChain.confirmationsFrom(chain.confirmations) ?? "finalized",
              maxFeePerGas: BigInt(Math.round(chain.maxFeeGwei * 1e9))
            })
          }
        )
      )

const logId = (workspaceId: string) => Effect.succeed(logIdOf(workspaceId))

/** Anchoring, which tells the webhooks of each anchor that is confirmed: once, because its id is the cause. */
const anchoring = (everySeconds: number) =>
  Layer.unwrap(
    Effect.map(Announcer, ({ announce }) =>
      Anchoring.layer({
        logId,
        schedule: { every_seconds: everySeconds, offset_seconds: 0 },
        onConfirmed: (anchors) =>
          Effect.forEach(
            anchors,
            ({ workspaceId, anchor }) =>
              announce(workspaceId, { type: "anchor.confirmed", data: anchor }, anchor.id),
            { discard: true }
          )
      })
    )
    // No mail is sent of an anchor.
  ).pipe(Layer.provide(Announcer.layer({ mail: false })))

/** Anchoring, over {@link logSide}. */
export const anchorSide = ({
  chain,
  anchorEverySeconds
}: Pick<ThreadConfig, "chain" | "anchorEverySeconds">) =>
  AnchorRequests.layer.pipe(
    Layer.provideMerge(Layer.merge(anchoring(anchorEverySeconds), AnchorVerifier.layer({ logId }))),
    Layer.provide(anchorChain(chain))
  )

/** Evidence bundles, over {@link logSide}. */
export const evidenceSide = (config: Pick<ThreadConfig, "secretKeys" | "chain">) =>
  EvidenceExport.layer.pipe(
    Layer.provide(AnchorEvidence.layer.pipe(Layer.provide(anchorChain(config.chain)))),
    Layer.provide(proofSide(config)),
    Layer.provide(signing(config))
  )

/** What the chain knows of that the stores do not, over {@link logSide}. */
export const chainSide = ({ chain }: Pick<ThreadConfig, "chain">) =>
  UnknownAnchors.layer.pipe(Layer.provide(anchorChain(chain)))

/** How long the old figure counts on when a workspace's contents are to be kept for a shorter time. */
export interface RetentionConfig {
  readonly retentionDelayDays: number
}

/** Accepting and managing: the main thread, or a command. */
export const acceptSide = (config: StorageConfig & RetentionConfig) =>
  Layer.mergeAll(
    WorkspaceManagement.layer({ retentionDelay: config.retentionDelayDays * Micros.DAY }),
    ApiKeyManagement.layer,
    AnchorReader.layer,
    UsageReader.layer
  ).pipe(
    Layer.provide(ManagementEvents.layer),
    Layer.provideMerge(Acceptance.layer),
    Layer.provideMerge(storage(config))
  )

/**
 * Rate limits: in Redis when there is one, whose client is larger than all the rest and loaded only then; in the database where
 * processes can share one; else for this process alone.
 */
const rateLimiter = (redisUrl: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (redisUrl !== "")
        return (yield* Effect.promise(() => import("../http/limits/RedisRateLimiter.ts"))).layer(redisUrl)
      const buckets = yield* Effect.serviceOption(RateBuckets)
      return Option.isNone(buckets)
        ? RateLimiter.layer
        : SharedRateLimiter.layer.pipe(Layer.provide(Layer.succeed(RateBuckets, buckets.value)))
    })
  )

/** What requests need beside the use cases. */
export const httpSide = ({ redisUrl }: { readonly redisUrl: string }) =>
  Layer.mergeAll(Authenticator.layer, WorkspaceDirectory.layer, rateLimiter(redisUrl), Draining.layer)
