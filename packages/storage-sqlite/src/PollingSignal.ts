/**
 * Polling with a pause: on SQLite no process can notify another that it has written, and a check costs a few
 * microseconds.
 */
import { InboxSignal } from "@cairn/core/log"
import { Effect, Layer } from "effect"

/** Pause after a round that found nothing, and after many. */
const WATCH_MILLIS = 5
const IDLE_MILLIS = 40
/** Rounds that found nothing before the pause grows. */
const PATIENCE = 100

/** The pauses. */
export const layer = Layer.succeed(
  InboxSignal,
  InboxSignal.of({ wait: (idleRounds) => Effect.sleep(idleRounds < PATIENCE ? WATCH_MILLIS : IDLE_MILLIS) })
)
