/** Removes the contents that have left their workspace's retention window. */
import { makeRoundIncident } from "@cairn/core/log"
import { Retention, RetentionNotices } from "@cairn/core/retention"
import { Duration, Effect } from "effect"

/**
 * How long contents that can no longer be read may still be stored: windows are counted in days, and reads
 * keep to them exactly.
 */
const EVERY = "1 hour"
/** Earlier if something failed: an archive that could not be reached, a database that did not respond. */
const AFTER_FAILURE = "1 minute"

/** Never ends; the first round begins at once. A failure is logged, and the next round tries again. */
export const retentionLoop = Effect.gen(function* () {
  const { round } = yield* Retention
  const once = round.pipe(
    Effect.tap(({ removed }) =>
      removed === 0
        ? Effect.void
        : Effect.logInfo("Contents were removed: their retention time is over").pipe(
            Effect.annotateLogs({ removed })
          )
    ),
    Effect.map(({ failed }) => failed > 0)
  )
  const incident = yield* makeRoundIncident({
    begins: "Retention could not be applied; trying again later",
    over: "Retention is applied again"
  })
  return yield* incident.around(once, Effect.succeed(true)).pipe(
    Effect.flatMap((failed) => Effect.sleep(failed ? AFTER_FAILURE : EVERY)),
    Effect.forever
  )
})

/** Owners are notified of a change within this many milliseconds, by the process that comes first. */
const NOTIFY_EVERY = 5_000
/** After a round the loop rests this many times as long, however many workspaces there are. */
const NOTIFY_SHARE = 20

/**
 * Notifies owners of contents that will be kept for a shorter time. Never ends; a failure is logged, and the
 * next round tries again.
 */
export const retentionNoticeLoop = Effect.gen(function* () {
  const { round } = yield* RetentionNotices
  const incident = yield* makeRoundIncident({
    begins: "Owners could not be notified of a shorter retention; trying again",
    over: "Owners can be notified of a shorter retention again"
  })
  return yield* incident.around(round, Effect.void).pipe(
    Effect.timed,
    Effect.flatMap(([took]) => Effect.sleep(Math.max(NOTIFY_EVERY, Duration.toMillis(took) * NOTIFY_SHARE))),
    Effect.forever
  )
})
