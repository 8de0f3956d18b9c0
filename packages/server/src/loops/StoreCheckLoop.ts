/** Checks on a schedule whether the database finds all that it holds, which no hash of the chain shows. */
import { LOG_METRICS, Meters, makeAgeMeter } from "@cairn/core/log"
import { MAX_DAMAGES, StoreCheck, type StoreFindings } from "@cairn/core/verification"
import { Effect, Option } from "effect"
import type { VerificationSettings } from "../settings/VerificationSettings.ts"
import { storeFailed } from "./StoreIncidents.ts"

/** Seconds after the start, which has enough to do. */
const FIRST_AFTER = 300
/** Seconds until a check that failed is tried again, at most. */
const AGAIN_AFTER = 3_600

const DAMAGED =
  "The database is damaged: it does not find all that it holds, and lists may lack events. See Operations, damaged indexes"

/** Says in the log what is new since the last check. */
const tell = Effect.fnUntraced(function* (
  { sound, damages, not_checked }: StoreFindings,
  before: StoreFindings | undefined
) {
  const found = damages.map(({ where, what }) => `${where}: ${what}`)
  const isNews = damages.some(({ where }) => !before?.damages.some((known) => known.where === where))
  if (isNews)
    yield* Effect.logError(DAMAGED).pipe(
      Effect.annotateLogs({
        damages: JSON.stringify(found.slice(0, 10)),
        count: found.length === MAX_DAMAGES ? `${MAX_DAMAGES} or more` : found.length
      })
    )
  if (sound && before?.sound === false) yield* Effect.logInfo("The database is no longer damaged")
  const unchecked = not_checked.join("; ")
  if (unchecked !== "" && unchecked !== before?.not_checked.join("; "))
    yield* Effect.logWarning("Not all of the database could be checked for damage").pipe(
      Effect.annotateLogs({ unchecked })
    )
})

/**
 * Never ends, unless it is switched off. Each damage is logged once, for as long as the checks find it;
 * `noted` gets what every check found.
 */
export const storeCheckLoop = Effect.fnUntraced(function* (
  { everySeconds }: Pick<VerificationSettings, "everySeconds">,
  noted: (findings: StoreFindings) => Effect.Effect<void> = () => Effect.void
) {
  if (everySeconds === 0) return
  const { check } = yield* StoreCheck
  let before: StoreFindings | undefined
  const noteChecked = yield* makeAgeMeter(LOG_METRICS.storeCheckAge)
  const meters = yield* Meters
  meters.observed(LOG_METRICS.storeCheckDamages, () => before?.damages.length)
  const round = Effect.gen(function* () {
    const found = yield* Effect.option(
      check.pipe(
        Effect.tapError((error) =>
          storeFailed("The database could not be checked for damage, which is tried again", error)
        )
      )
    )
    if (Option.isNone(found)) return Math.min(everySeconds, AGAIN_AFTER)
    yield* tell(found.value, before)
    yield* noted(found.value)
    before = found.value
    noteChecked()
    return everySeconds
  })
  yield* Effect.sleep(Math.min(everySeconds, FIRST_AFTER) * 1_000)
  return yield* round.pipe(
    Effect.flatMap((seconds) => Effect.sleep(seconds * 1_000)),
    Effect.forever
  )
})
