/**
 * The log thread: sequences what waits, fills the search index, and does reads and verifications, so that the
 * thread that accepts events never does anything long.
 */

import { workerData } from "node:worker_threads"
import { AlertBacktest, AlertReader } from "@cairn/core/alert"
import { LogCheckpoints, LogTree } from "@cairn/core/checkpoint"
import { SentExports } from "@cairn/core/export"
import {
  EventFacets,
  EventHistogram,
  InboxSignal,
  RangeCounts,
  Replicas,
  SearchIndexer,
  Sequencer
} from "@cairn/core/log"
import { DeliveryReader } from "@cairn/core/outbound"
import { ChainVerifier } from "@cairn/core/verification"
import { NodeRuntime, NodeWorkerRunner } from "@effect/platform-node"
import { Effect, Layer, Option, Schema } from "effect"
import { type RpcGroup, RpcServer } from "effect/rpc"
import { layerLogThread } from "../layers/LogThread.ts"
import { anchorLoop } from "../loops/AnchorLoop.ts"
import { storeFailed } from "../loops/StoreIncidents.ts"
import { AnchorRequests } from "./AnchorRequests.ts"
import { EventAnswers } from "./EventAnswers.ts"
import { announceGrowth } from "./Growth.ts"
import { LogRpcs } from "./LogRpc.ts"
import { neededOf } from "./ReadNeeds.ts"
import { spacedLooks } from "./SpacedLooks.ts"
import { collectStartupGarbage } from "./StartupGarbage.ts"
import { ThreadConfig } from "./ThreadConfig.ts"
import { makeNameWork, named, nameEach, nameStream } from "./WatchedWork.ts"

/**
 * Pause after a round that sequenced all there was. Events that come meanwhile share the next transaction and
 * its pages, and one that waits for its hash still has it well within a tenth of a second.
 */
const GATHER_MILLIS = 20
/**
 * While events keep arriving, the index and the tree still get one round in this many; with a backlog, one in
 * more.
 */
const TURN_EVERY = 5
const TURN_EVERY_OF_BACKLOG = 25
/**
 * A look at all logs for those with enough new events for the index costs, with thousands of logs that have
 * grown a little, as much as appending to them.
 */
const LOOK_SHARE = 20

/**
 * One round after the other, without end: sequence what waits, then index a little. A failure of the store is
 * logged and tried again; what waits is safe in the inbox.
 */
const work = Effect.gen(function* () {
  const sequencer = yield* Sequencer
  const index = yield* SearchIndexer
  const signal = yield* InboxSignal
  const tree = yield* LogTree
  const announce = yield* announceGrowth(config.growth)
  const name = yield* makeNameWork
  const growing = new Set<string>()
  let idle = 0
  let rounds = 0
  /**
   * A step of the tree of one log that has grown. A request for a proof that comes sooner makes these steps
   * itself.
   */
  const growTree = Effect.gen(function* () {
    const [workspaceId] = growing
    if (workspaceId === undefined) return
    const added = yield* tree.advance(workspaceId).pipe(
      // A verification or a request for a proof reports a log that was tampered with.
      Effect.catchTags({ MissingNode: () => Effect.succeed(0), MalformedHash: () => Effect.succeed(0) })
    )
    if (added === 0) growing.delete(workspaceId)
  })
  /** A step of the index; the number of events indexed. */
  const fillIndex = spacedLooks(name("index")(index.advance), LOOK_SHARE)
  const round = Effect.gen(function* () {
    const { count, more, grown } = yield* name("sequence")(sequencer.round)
    for (const workspaceId of grown) growing.add(workspaceId)
    yield* announce(grown)
    const turn = ++rounds % (more ? TURN_EVERY_OF_BACKLOG : TURN_EVERY) === 0
    const indexed = count === 0 || turn ? yield* fillIndex : 0
    if (count + indexed === 0 || turn) yield* name("tree")(growTree)
    idle = count + indexed > 0 ? 0 : idle + 1
    if (more || (count === 0 && indexed > 0)) return yield* Effect.yieldNow
    yield* count > 0 ? Effect.sleep(GATHER_MILLIS) : signal.wait(idle)
  })
  return yield* round.pipe(
    Effect.catchTag("StorageUnavailable", (error) =>
      Effect.andThen(storeFailed("The log thread failed, and tries again", error), Effect.sleep("1 second"))
    ),
    Effect.forever
  )
})

const handlers = LogRpcs.toLayer(
  Effect.gen(function* () {
    const events = yield* EventAnswers
    const histogram = yield* EventHistogram
    const facets = yield* EventFacets
    const ranges = yield* RangeCounts
    const verifier = yield* ChainVerifier
    const sequencer = yield* Sequencer
    const checkpoints = yield* LogCheckpoints
    const anchors = yield* AnchorRequests
    const alerts = yield* AlertReader
    const backtest = yield* AlertBacktest
    const deliveries = yield* DeliveryReader
    const exports = yield* SentExports
    const replicas = yield* Replicas
    const handlers = {
      // One that a replica does not have may be new.
      Get: (request, { headers }) =>
        Effect.map(replicas.reading(neededOf(headers), events.get(request), Option.isSome), Option.getOrNull),
      List: (request, { headers }) => replicas.reading(neededOf(headers), events.list(request)),
      Count: (request, { headers }) => replicas.reading(neededOf(headers), events.count(request)),
      // What has grown just now is counted.
      CountRange: (request) => ranges.count(request),
      Histogram: (request, { headers }) => replicas.reading(neededOf(headers), histogram.read(request)),
      Facets: (request, { headers }) => replicas.reading(neededOf(headers), facets.read(request)),
      Verify: (request) => verifier.verify(request),
      Checkpoint: ({ workspaceId }) => checkpoints.current(workspaceId),
      Consistency: ({ workspaceId, from, to }) => checkpoints.consistency(workspaceId, from, to),
      Prove: (request) => events.prove(request),
      ClosePeriod: ({ workspaceId }) => Effect.map(anchors.close(workspaceId), Option.getOrNull),
      VerifyAnchor: ({ workspaceId, anchorId }) =>
        Effect.map(anchors.verify(workspaceId, anchorId), Option.getOrNull),
      Alerts: (request) => alerts.list(request),
      Backtest: ({ workspaceId, ruleId, definition }) =>
        backtest.run(workspaceId, { id: ruleId, ...definition }),
      Deliveries: (request) => deliveries.list(request),
      Delivery: ({ workspaceId, id }) => Effect.map(deliveries.get(workspaceId, id), Option.getOrNull),
      Drain: () => Effect.asVoid(sequencer.drain)
    } satisfies Omit<RpcGroup.HandlersFrom<RpcGroup.Rpcs<typeof LogRpcs>>, "SendExport">
    const nameWork = yield* makeNameWork
    return LogRpcs.of({
      ...nameEach(nameWork, handlers),
      SendExport: (request) => nameStream(nameWork, "SendExport", exports.text(request))
    })
  })
)

const config = Schema.decodeUnknownSync(ThreadConfig)(workerData)

// An unexpected failure of one call must not affect others: otherwise it would end all calls in progress.
RpcServer.layer(LogRpcs, { disableFatalDefects: true }).pipe(
  Layer.merge(
    config.works
      ? Layer.effectDiscard(
          Effect.andThen(Effect.forkScoped(work), Effect.forkScoped(named("anchors", anchorLoop)))
        )
      : Layer.empty
  ),
  Layer.merge(Layer.effectDiscard(Effect.forkScoped(collectStartupGarbage))),
  Layer.provide(handlers),
  Layer.provide(RpcServer.layerProtocolWorkerRunner),
  Layer.provide(NodeWorkerRunner.layer),
  Layer.provide(layerLogThread(config)),
  Layer.launch,
  NodeRuntime.runMain({ disableErrorReporting: false })
)
