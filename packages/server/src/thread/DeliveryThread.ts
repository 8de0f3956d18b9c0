/**
 * The delivery thread: raises alerts, sends what waits in the outbox, sends log streams, makes exports,
 * applies retention, verifies the logs, signs checkpoints and has backups made. Nothing waits for it, and the
 * next one repeats what it was doing when it ended.
 */
import { parentPort, workerData } from "node:worker_threads"
import { OutboxWorker, StreamWorker } from "@cairn/delivery"
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Schema } from "effect"
import { layerDeliveryThread } from "../layers/DeliveryThread.ts"
import { alertLoop } from "../loops/AlertLoop.ts"
import { backupLoop } from "../loops/BackupLoop.ts"
import { checkpointLoop } from "../loops/CheckpointLoop.ts"
import { exportLoop } from "../loops/ExportLoop.ts"
import { retentionLoop, retentionNoticeLoop } from "../loops/RetentionLoop.ts"
import { storeCheckLoop } from "../loops/StoreCheckLoop.ts"
import { verificationLoop } from "../loops/VerificationLoop.ts"
import { lowerPriority } from "./BackgroundPriority.ts"
import { DeliveryThreadConfig } from "./DeliveryThreadConfig.ts"
import { hearGrowth } from "./Growth.ts"
import { collectStartupGarbage } from "./StartupGarbage.ts"
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
      named("store check", storeCheckLoop(config.verification)),
      named("checkpoints", checkpointLoop(config.checkpointEverySeconds)),
      named("backups", backupLoop(config))
    ],
    { concurrency: "unbounded", discard: true }
  )
})

/** Any message means that it is to end. */
const ended = Effect.callback<void>((resume) => {
  parentPort?.once("message", () => resume(Effect.void))
})

Effect.raceFirst(work, ended).pipe(
  Effect.scoped,
  Effect.provide(layerDeliveryThread(config)),
  NodeRuntime.runMain({ disableErrorReporting: false })
)
