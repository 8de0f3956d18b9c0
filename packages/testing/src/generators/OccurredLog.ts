/** A log whose events occurred in another order than that in which they were recorded. */
import { Micros } from "@cairn/core/encoding"
import { type EventFilter, matches, occurrenceOf } from "@cairn/core/event"
import { newestOccurrence, type Occurrence, type SequenceRange } from "@cairn/core/log"
import { Effect } from "effect"
import { accept, importHistory, makeWorkspace, NOON, observeAppend } from "../contracts/StorageSteps.ts"
import { type Known, knownEvents } from "./EventCorpus.ts"
import { ordinaryEvents } from "./EventGenerator.ts"
import type { SeededRandom } from "./SeededRandom.ts"

/** Moments that many events share. */
const SHARED = [NOON - Micros.DAY, NOON - 1, NOON, NOON + 3 * Micros.MINUTE].map(Micros.format)

/** Before and after everything else, and beyond what an integer of a double holds. */
const FAR = [
  "0001-01-01T00:00:00Z",
  "1583-10-15T12:00:00.000001Z",
  "1970-01-01T00:00:00Z",
  "2255-06-05T23:47:34.740993Z",
  "9999-12-31T23:59:59.999999Z"
]

/** When an event occurred; undefined for one that does not say. */
const someOccurrence = (random: SeededRandom, recordedAt: Micros.Micros): string | undefined => {
  if (random.chance(0.2)) return undefined
  if (random.chance(0.2)) return random.pick(SHARED)
  if (random.chance(0.1)) return random.pick(FAR)
  const before = random.pick([Micros.SECOND, Micros.MINUTE, Micros.DAY, 1_000 * Micros.DAY])
  return Micros.format(recordedAt - random.below(before) + random.below(Micros.SECOND))
}

const eventsAt = (random: SeededRandom, count: number, recordedAt: Micros.Micros) =>
  ordinaryEvents(count, { seed: random.below(1_000), tenants: 3, actors: 6, sessions: 5, resources: 3 }).map(
    ({ occurred_at: _, ...event }) => {
      const occurred = someOccurrence(random, recordedAt)
      return occurred === undefined ? event : { ...event, occurred_at: occurred }
    }
  )

/**
 * A log of 20 legacy events, the one that begins the chain, and 300 in 15 requests: of the tenth on, each
 * second one is history that was imported after what is newer.
 */
export const makeOccurredLog = Effect.fnUntraced(function* (random: SeededRandom) {
  const workspaceId = yield* makeWorkspace
  yield* importHistory(workspaceId, eventsAt(random, 20, NOON - 2 * Micros.DAY), NOON - 2 * Micros.DAY)
  for (let request = 0; request < 15; request++) {
    const acceptedAt = NOON + request * Micros.MINUTE
    const isHistory = request >= 10 && request % 2 === 0
    const occurredAt = isHistory ? acceptedAt - (700 - request) * Micros.DAY : acceptedAt
    yield* accept(workspaceId, eventsAt(random, 20, occurredAt), { acceptedAt })
    yield* observeAppend(workspaceId)
  }
  return { workspaceId, known: yield* knownEvents(workspaceId) }
})

/** An event with when it occurred. */
export interface OccurredEvent extends Known {
  readonly occurredAt: Micros.Micros
}

/** The place of an event. */
export const placeOf = ({ occurredAt, row }: OccurredEvent): Occurrence => ({
  occurredAt,
  sequence: row.sequence
})

/** The events of a range that a filter selects, the newest by occurrence first: a plain sort. */
export const sortedByOccurrence = (
  known: ReadonlyArray<Known>,
  filter: EventFilter,
  range: SequenceRange
): ReadonlyArray<OccurredEvent> =>
  known
    .filter(({ row, content }) => {
      const occurredAt = occurrenceOf(content.occurred_at, row.createdAt)
      return row.sequence >= range.from && row.sequence <= range.to && matches(filter, content, occurredAt)
    })
    .map((event) => ({ ...event, occurredAt: occurrenceOf(event.content.occurred_at, event.row.createdAt) }))
    .sort((one, other) => newestOccurrence(placeOf(one), placeOf(other)))
