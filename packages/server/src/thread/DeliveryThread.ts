/**
 * The delivery thread: raises alerts, sends what waits in the outbox, and sends log streams. Nothing waits for it, and whatever it was
 * doing when it ended is done again by the next one.
 */
import { parentPort, workerData } from "node:worker_threads"
import { OutboxWorker, StreamWorker } from "@cairn/delivery"
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Schema } from "effect"
import { logging } from "../Logging.ts"
import { alertLoop } from "../outbound/AlertLoop.ts"
import { sendingSide } from "../outbound/OutboundComposition.ts"
import { DeliveryThreadConfig } from "./DeliveryThreadConfig.ts"
import { hearGrowth } from "./Growth.ts"

const config = Schema.decodeUnknownSync(DeliveryThreadConfig)(workerData)

const work = Effect.gen(function* () {
  const growth = yield* hearGrowth(config.growth)
  const outbox = yield* OutboxWorker
  const streams = yield* StreamWorker
  return yield* Effect.all([alertLoop(growth), outbox.run, streams.run], {
    concurrency: "unbounded",
    discard: true
  })
})

/** Any message means that it is to end. */
const told = Effect.callback<void>((resume) => {
  parentPort?.once("message", () => resume(Effect.void))
})

Effect.raceFirst(work, told).pipe(
  Effect.scoped,
  Effect.provide(sendingSide(config)),
  Effect.provide(logging(config.logLevel)),
  NodeRuntime.runMain({ disableErrorReporting: false })
)
