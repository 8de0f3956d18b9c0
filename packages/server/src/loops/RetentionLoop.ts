/** Removes the contents that have left their workspace's retention window. */
import { Retention, RetentionNotices } from "@cairn/core/retention"
import { Duration, Effect } from "effect"

/** Windows are counted in days, and reads keep to them exactly; this is how long what nobody can read any more may still lie there. */
const EVERY = "1 hour"
/** Sooner where something failed: an archive that was down, a database that did not answer. */
const AFTER_FAILURE = "1 minute"

/** Goes on for ever, beginning at once. What fails is logged, and done in the next round. */
export const retentionLoop = Effect.gen(function* () {
  const { round } = yield* Retention
  const once = round.pipe(
    Effect.tap(({ removed }) =>
      removed === 0
        ? Effect.void
        : Effect.logInfo("Contents left their retention window").pipe(Effect.annotateLogs({ removed }))
    ),
    Effect.map(({ failed }) => failed > 0),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logError("Retention could not be applied; trying again later", cause), true)
    )
  )
  return yield* once.pipe(
    Effect.flatMap((failed) => Effect.sleep(failed ? AFTER_FAILURE : EVERY)),
    Effect.forever
  )
})

/** What was changed a moment ago is told of within this time, in milliseconds, by whichever process comes first. */
const TELL_EVERY = 5_000
/** Looking takes at most so much of the time, however many workspaces there are. */
const TELL_SHARE = 20

/** Tells of what will be kept for a shorter time, for ever. What fails is logged, and done in the next round. */
export const retentionNoticeLoop = Effect.gen(function* () {
  const { round } = yield* RetentionNotices
  return yield* round.pipe(
    Effect.catchCause((cause) =>
      Effect.logError("Owners could not be told of a shorter retention; trying again", cause)
    ),
    Effect.timed,
    Effect.flatMap(([took]) => Effect.sleep(Math.max(TELL_EVERY, Duration.toMillis(took) * TELL_SHARE))),
    Effect.forever
  )
})
