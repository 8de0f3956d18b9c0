/**
 * The main thread's side of the delivery thread: starts it, starts it again should it end, and ends it with
 * the server.
 */
import { Worker } from "node:worker_threads"
import { Effect, Layer } from "effect"
import type { DeliveryThreadConfig } from "./DeliveryThreadConfig.ts"

/** Rest before a thread that ended is followed by another. */
const RESTART_AFTER = "5 seconds"
/** How long a thread may take to end. */
const GRACE_MILLIS = 5_000

// The source runs as it is where Node strips types, and from `dist` where it is installed.
const entry = new URL(
  import.meta.url.endsWith(".ts") ? "./DeliveryThread.ts" : "./DeliveryThread.js",
  import.meta.url
)

/** Runs the thread until it ends by itself, and returns why; ends it when interrupted. */
const runThread = (config: DeliveryThreadConfig): Effect.Effect<string> =>
  Effect.callback<string>((resume) => {
    const worker = new Worker(entry, { name: "cairn-delivery", workerData: config })
    let reason = "it ended by itself"
    worker.on("error", (error) => {
      reason = String(error)
    })
    const ended = new Promise<void>((resolve) => {
      worker.on("exit", () => {
        resume(Effect.succeed(reason))
        resolve()
      })
    })
    return Effect.promise(async () => {
      worker.postMessage("end")
      const late = setTimeout(() => worker.terminate(), GRACE_MILLIS)
      await ended
      clearTimeout(late)
    })
  })

/**
 * The thread, for as long as the scope lasts. The server continues without it: what it should have sent
 * waits.
 */
export const layer = (config: DeliveryThreadConfig) =>
  runThread(config).pipe(
    Effect.flatMap((reason) =>
      Effect.logError("The delivery thread ended; starting it again").pipe(Effect.annotateLogs({ reason }))
    ),
    Effect.andThen(Effect.sleep(RESTART_AFTER)),
    Effect.forever,
    Effect.forkScoped,
    Layer.effectDiscard
  )
