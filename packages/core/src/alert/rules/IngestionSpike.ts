/** `ingestion_spike`: more events in a window than a multiple of the mean of the hour before it. */
import { Effect, Schema } from "effect"
import { SECOND } from "../../encoding/Micros.ts"
import { type AlertStateRows, rowCodec, stateTable } from "../AlertState.ts"
import { integer } from "../ParameterSchemas.ts"
import { type RuleEvaluator, seconds } from "../RuleEvaluator.ts"

const HOUR_SECONDS = 3_600
/** The shortest window. */
const LEAST_WINDOW = 10
/** The largest multiple of the mean. */
const MAX_FACTOR = 1_000
/** The window moves by a sixth of its length. That limits what is stored: counts of steps, not times. */
const STEPS_PER_WINDOW = 6

/** The lengths of a window, in seconds: the divisors of an hour from {@link LEAST_WINDOW} on. */
const WINDOWS = Array.from({ length: HOUR_SECONDS }, (_, index) => index + 1).filter(
  (seconds) => seconds >= LEAST_WINDOW && HOUR_SECONDS % seconds === 0
)

/** The parameters, each with its default. */
export const IngestionSpikeParameters = Schema.Struct({
  window_seconds: integer(LEAST_WINDOW, HOUR_SECONDS)
    .check(
      Schema.makeFilter(
        (window: number) =>
          HOUR_SECONDS % window === 0 ? undefined : "must divide an hour (3600) without remainder",
        { toJsonSchema: () => ({ enum: WINDOWS }) }
      )
    )
    .annotate({ description: "The window's length in seconds, a divisor of an hour; 60 unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(60))),
  factor: Schema.Finite.check(
    Schema.makeFilter(
      (factor: number) =>
        factor > 1 && factor <= MAX_FACTOR ? undefined : `must lie between 1 and ${MAX_FACTOR}`,
      {
        expected: `a number between 1 and ${MAX_FACTOR}`,
        toJsonSchema: () => ({ exclusiveMinimum: 1, maximum: MAX_FACTOR })
      }
    )
  )
    .annotate({ description: "A spike is more than this many times the mean; 5 unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(5))),
  minimum_events: integer(1, 10_000_000)
    .annotate({ description: "Fewer than these in a window are never a spike; 100 unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(100)))
}).annotate({ identifier: "IngestionSpikeParameters", description: "What counts as a spike" })
export type IngestionSpikeParameters = typeof IngestionSpikeParameters.Type

const Counts = Schema.Struct({
  /**
   * The window whose sixth is the length of a step. Counts of another window are discarded when the rule has
   * been changed.
   */
  window_seconds: Schema.Number,
  /** The step of the last count, in steps since the epoch. */
  step: Schema.Number,
  /** Events of each step, oldest first; steps before the first had none. */
  counts: Schema.Array(Schema.Number)
})

const rows = rowCodec(Counts)

const sum = (counts: ReadonlyArray<number>): number => counts.reduce((total, count) => total + count, 0)

/** The counts with that of `step` last, at most `keep` of them. */
const advance = (
  { step: last, counts }: typeof Counts.Type,
  step: number,
  keep: number
): ReadonlyArray<number> =>
  step - last >= keep ? [0] : [...counts, ...new Array<number>(step - last).fill(0)].slice(-keep)

/**
 * An event fires if its window (its own step and the five before it) has at least `minimum_events` events and
 * more than `factor` times the mean number of events per window in the hour before that window. An hour
 * without events has mean 0.
 */
export const ingestionSpike = (
  { window_seconds, factor, minimum_events }: IngestionSpikeParameters,
  ruleId: string,
  stored: AlertStateRows
): RuleEvaluator => {
  const table = stateTable(rows, ruleId, stored)
  const row = "counts"
  const windows = HOUR_SECONDS / window_seconds
  const keep = (windows + 1) * STEPS_PER_WINDOW
  // There are six steps in a window: the index is exact although a step need not be a whole number of
  // seconds.
  const stepOf = (at: number) => Math.floor((at * STEPS_PER_WINDOW) / (window_seconds * SECOND))
  const remembered = (window_seconds + HOUR_SECONDS + window_seconds) * SECOND
  // The hour before does not change within a step, so it is summed once a step and not for each event.
  let open:
    | { readonly step: number; readonly counts: Array<number>; window: number; readonly mean: number }
    | undefined
  return {
    concern: () => ({ row, actor: null }),
    step: ({ createdAt }) => {
      const step = stepOf(createdAt)
      if (open === undefined || open.step !== step) {
        const before = table.get(row, createdAt)
        const counts =
          before === undefined || before.window_seconds !== window_seconds
            ? [0]
            : [...advance(before, step, keep)]
        const window = sum(counts.slice(-STEPS_PER_WINDOW))
        open = { step, counts, window, mean: (sum(counts) - window) / windows }
      }
      open.counts[open.counts.length - 1] = (open.counts.at(-1) ?? 0) + 1
      open.window++
      table.set(row, { window_seconds, step, counts: open.counts }, createdAt + remembered)
      return open.window < minimum_events || open.window <= factor * open.mean
        ? undefined
        : `${open.window} events within ${seconds(window_seconds)}, against a mean of ${Math.round(open.mean * 10) / 10} over the hour before`
    },
    changed: table.changed
  }
}
