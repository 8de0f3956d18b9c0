/**
 * Evaluates alert rules as logs grow: at once in logs that are known to have grown, and in all of them now
 * and then.
 */
import { AlertConsumer } from "@cairn/core/alert"
import { makeRoundIncident } from "@cairn/core/log"
import { Clock, Effect } from "effect"
import type { Growth } from "../thread/Growth.ts"

/** Milliseconds between two looks at all logs, whose events other processes may have sequenced. */
const LOOK_EVERY = 1_000
/** After a look at all logs the loop rests this many times as long. */
const LOOK_SHARE = 20
/**
 * Milliseconds within which growth is evaluated together: an alert comes no later than that, and a row is
 * written once for all of it.
 */
const GATHER = 100
/** Rest after a failure, in milliseconds. */
const FAILURE_REST = 1_000

/** Never ends. A failure is logged and tried again: a consumer's position moves only with its effects. */
export const alertLoop = Effect.fnUntraced(function* (growth: Growth) {
  const consumer = yield* AlertConsumer
  let lookAt = 0

  const incident = yield* makeRoundIncident({
    begins: "Alerts could not be evaluated; trying again",
    over: "Alerts are evaluated again"
  })

  // A log whose evaluation fails does not delay the others: the look at all of them tries it again.
  const advance = Effect.fnUntraced(
    function* (workspaceId: string) {
      const { more } = yield* consumer.advance(workspaceId)
      if (more) yield* growth.note(workspaceId)
      return more
    },
    (advanced) => incident.around(advanced, Effect.succeed(false))
  )

  const look = Effect.gen(function* () {
    const began = yield* Clock.currentTimeMillis
    const { more } = yield* consumer.round
    const ended = yield* Clock.currentTimeMillis
    lookAt = more ? ended : ended + Math.max(LOOK_EVERY, (ended - began) * LOOK_SHARE)
  })

  const turn = Effect.gen(function* () {
    const behind = yield* Effect.forEach(yield* growth.take, advance)
    if (behind.length > 0 && !behind.includes(true)) yield* Effect.sleep(GATHER)
    if ((yield* Clock.currentTimeMillis) >= lookAt) yield* look
    const rest = lookAt - (yield* Clock.currentTimeMillis)
    if (rest > 0) yield* Effect.timeoutOption(growth.wait, rest)
    else yield* Effect.yieldNow
  })

  return yield* Effect.forever(incident.around(turn, Effect.sleep(FAILURE_REST)))
})
