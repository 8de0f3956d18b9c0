/**
 * The events of the demo's week. A function of the seed and of when the week ends: the same give the same
 * events, so a start that was cut off can be gone on with.
 */
import { Micros } from "@cairn/core/encoding"
import { dayOf } from "./Days.ts"
import type { DemoEvent } from "./DemoEvent.ts"
import { seededNumbers } from "./SeededNumbers.ts"
import { storiesUntil } from "./Stories.ts"

/** How long it is. */
export const WEEK: Micros.Micros = 7 * Micros.DAY

/** The seed of the demo that users get. */
export const DEMO_SEED = 20_260_101

/** Which week. */
export interface WeekOptions {
  readonly seed: number
  /** All events are before. */
  readonly until: Micros.Micros
}

/** The events in order of `at`, which is strictly increasing, each with a key of its own. About 3,000. */
export const demoWeek = ({ seed, until }: WeekOptions): ReadonlyArray<DemoEvent> => {
  const from = until - WEEK
  const today = Math.floor(until / Micros.DAY) * Micros.DAY
  const days = Array.from({ length: 8 }, (_, index) => today - (7 - index) * Micros.DAY)
  const events = [
    // Of numbers of its own, so that a day is the same whichever days are in the week.
    ...days.flatMap((day) => dayOf(seededNumbers(seed + day / Micros.DAY), day)),
    ...storiesUntil(seededNumbers(seed), today)
  ]
    .filter(({ at }) => at >= from && at < until)
    .toSorted((one, other) => one.at - other.at)
  let last = 0
  return events.map(({ at, body }, index) => {
    last = Math.max(at, last + 1)
    return { at: last, body: { ...body, idempotency_key: `demo ${seed} ${index}` } }
  })
}
