/**
 * The delivery thread: raises alerts, sends what waits in the outbox, sends log streams, makes exports, applies retention, verifies
 * the logs and has them signed for. Nothing waits for it, and whatever it was doing when it ended is done again by the next one.
 */
import { parentPort, workerData } from "node:worker_threads"
import { LogTree } from "@cairn/core/checkpoint"
import { EventCounts } from "@cairn/core/log"
import { Retention, RetentionNotices } from "@cairn/core/retention"
import { OutboxWorker, StreamWorker } from "@cairn/delivery"
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Layer, Schema } from "effect"
import { layerArchive } from "../layers/Archive.ts"
import { layerExportMaking } from "../layers/Exports.ts"
import { layerLogging } from "../layers/Logging.ts"
import { layerEvidence } from "../layers/Proofs.ts"
import { layerScheduledCheckpoints } from "../layers/ScheduledCheckpoints.ts"
import { layerSelfVerification } from "../layers/SelfVerification.ts"
import { layerSending } from "../layers/Sending.ts"
import { alertLoop } from "../loops/AlertLoop.ts"
import { checkpointLoop } from "../loops/CheckpointLoop.ts"
import { exportLoop } from "../loops/ExportLoop.ts"
import { retentionLoop, retentionNoticeLoop } from "../loops/RetentionLoop.ts"
import { verificationLoop } from "../loops/VerificationLoop.ts"
import { lowerPriority } from "./BackgroundPriority.ts"
import { DeliveryThreadConfig } from "./DeliveryThreadConfig.ts"
import { hearGrowth } from "./Growth.ts"
import { collectStartupGarbage } from "./StartupGarbage.ts"
import * as TurnWatch from "./TurnWatch.ts"
import { named } from "./WatchedWork.ts"

const config = Schema.decodeUnknownSync(DeliveryThreadConfig)(workerData)

const work = Effect.gen(function* () {
  yield* lowerPriority
  yield* Effect.forkScoped(collectStartupGarbage)
  const growth = yield* hearGrowth(config.growth)
  const outbox = yield* OutboxWorker
  const streams = yield* StreamWorker
  return yield* Effect.all(
    [
      named("alerts", alertLoop(growth)),
      named("outbox", outbox.run),
      named("streams", streams.run),
      named("exports", exportLoop),
      named("retention", retentionLoop),
      named("retention notices", retentionNoticeLoop),
      named("verification", verificationLoop(config.verification)),
      named("checkpoints", checkpointLoop(config.checkpointEverySeconds))
    ],
    { concurrency: "unbounded", discard: true }
  )
})

/** Any message means that it is to end. */
const told = Effect.callback<void>((resume) => {
  parentPort?.once("message", () => resume(Effect.void))
})

Effect.raceFirst(work, told).pipe(
  Effect.scoped,
  Effect.provide(
    Layer.mergeAll(
      layerSelfVerification(config),
      layerScheduledCheckpoints(config),
      layerExportMaking({ ...config, store: config.exportStore }).pipe(
        Layer.provide(layerEvidence(config)),
        Layer.provide(LogTree.layer)
      ),
      RetentionNotices.layer({ mail: config.outbound.mail !== null }),
      Retention.layer.pipe(Layer.provide([EventCounts.layer, layerArchive(config.archiveStore)]))
    ).pipe(Layer.provideMerge(layerSending(config)))
  ),
  Effect.provide(TurnWatch.layer("delivery")),
  Effect.provide(layerLogging(config.logLevel)),
  NodeRuntime.runMain({ disableErrorReporting: false })
)
