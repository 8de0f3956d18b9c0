/** Has the logs signed for unasked, round after round, for as long as the process works. */
import { ScheduledCheckpoints } from "@cairn/core/outbound"
import { Effect } from "effect"

/** Milliseconds between two rounds, at most: so late is a checkpoint that is due. */
const LONGEST_PAUSE = 10_000
/** Milliseconds between two rounds, at least. */
const SHORTEST_PAUSE = 250

/** Goes on for ever, unless it is switched off with 0. What fails is logged, and tried again in the next round. */
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
