/**
 * Signs checkpoints of the logs on the service's own schedule, round after round, for as long as the process
 * works.
 */
import { ScheduledCheckpoints } from "@cairn/core/outbound"
import { Effect } from "effect"

/** Most milliseconds between two rounds: a checkpoint is at most this late. */
const LONGEST_PAUSE = 10_000
/** Least milliseconds between two rounds. */
const SHORTEST_PAUSE = 250

/** Never ends, unless 0 switches it off. A failure is logged, and the next round tries again. */
export const checkpointLoop = Effect.fnUntraced(function* (everySeconds: number) {
  if (everySeconds === 0) return
  const { round } = yield* ScheduledCheckpoints
  const pause = Math.min(Math.max((everySeconds * 1_000) / 4, SHORTEST_PAUSE), LONGEST_PAUSE)
  return yield* round.pipe(
    Effect.catchCause((cause) => Effect.logError("Checkpoints could not be signed; trying again", cause)),
    Effect.andThen(Effect.sleep(pause)),
    Effect.forever
  )
})
