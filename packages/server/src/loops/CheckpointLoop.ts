/**
 * Signs checkpoints of the logs on the service's own schedule, round after round, for as long as the process
 * works.
 */
import { makeRoundIncident } from "@cairn/core/log"
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
  const incident = yield* makeRoundIncident({
    begins: "Checkpoints could not be signed; trying again",
    over: "Checkpoints are signed again"
  })
  return yield* incident.around(round, Effect.void).pipe(Effect.andThen(Effect.sleep(pause)), Effect.forever)
})
