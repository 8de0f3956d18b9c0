/** The contract of `EventLog`'s reads in the order of occurrence, compared with a plain sort. */

import { Micros } from "@cairn/core/encoding"
import { type EventFilter, matches, searchTexts } from "@cairn/core/event"
import {
  Cursor,
  EventCounts,
  EventHistogram,
  EventLog,
  EventReader,
  type Occurrence,
  type OccurrenceRequest
} from "@cairn/core/log"
import { assert } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { all, asked, type Known, knownEvents } from "../generators/EventCorpus.ts"
import { makeOccurredLog, placeOf, sortedByOccurrence } from "../generators/OccurredLog.ts"
import type { SeededRandom } from "../generators/SeededRandom.ts"
import { seededStory } from "../generators/SeededTrial.ts"
import { sampled } from "../generators/TrialCases.ts"
import {
  accept,
  makeWorkspace,
  NOON,
  observeAppend,
  plainEvent,
  type StorageLayer,
  storageTest
} from "./StorageSteps.ts"

const readers = Layer.mergeAll(EventReader.layer, EventHistogram.layer).pipe(
  Layer.provideMerge(EventCounts.layer)
)

/** Conditions that some event of a log has, and times about its occurrences. */
const someFilter = (random: SeededRandom, known: ReadonlyArray<Known>): EventFilter => {
  const { content, row } = random.pick(known)
  const moment = () => {
    const [place] = sortedByOccurrence([random.pick(known)], {}, all).map(placeOf)
    return (place?.occurredAt ?? 0) + random.below(3) - 1
  }
  const term = random.pick(searchTexts(content)).slice(0, 2 + random.below(8))
  const [target] = content.targets
  return {
    ...(random.chance(0.2) ? { action: content.action } : {}),
    ...(random.chance(0.1) ? { action: `${content.action.split(".")[0]}.*` } : {}),
    ...(random.chance(0.2) ? { actorId: content.actor.id } : {}),
    ...(random.chance(0.1) && content.resource.type !== null ? { resource: content.resource.type } : {}),
    ...(random.chance(0.1) && content.resource.id !== null ? { resourceId: content.resource.id } : {}),
    ...(random.chance(0.1) && content.tenant_id !== null ? { tenantId: content.tenant_id } : {}),
    ...(random.chance(0.1) && content.session_id !== null ? { sessionId: content.session_id } : {}),
    ...(random.chance(0.1) && target !== undefined ? { targetType: target.type } : {}),
    ...(random.chance(0.2) && term.isWellFormed() ? { search: term } : {}),
    ...(random.chance(0.3) ? { from: random.pick([moment(), row.createdAt]) } : {}),
    ...(random.chance(0.3) ? { to: moment() } : {})
  }
}

/** A range that cuts the log, or does not. */
const someRange = (random: SeededRandom, known: ReadonlyArray<Known>) =>
  random.chance(0.5)
    ? all
    : {
        from: random.pick(known).row.sequence,
        to: random.pick([random.pick(known).row.sequence, Number.MAX_SAFE_INTEGER])
      }

/** The counts of places in buckets. */
const countsOf = (places: ReadonlyArray<Occurrence>, bucket: number | null): ReadonlyMap<number, number> => {
  const buckets = Map.groupBy(places, ({ occurredAt }) =>
    bucket === null ? 0 : Math.floor(occurredAt / bucket)
  )
  return new Map(Array.from(buckets, ([start, some]) => [start, some.length]))
}

/** Registers the tests; part of `eventLogContract` and of `indexedSearchContract`. */
export const occurrenceContract = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  test(
    "places, counts and entries are those of a plain sort, whatever is asked",
    seededStory(import.meta.url, (random) =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const { workspaceId, known } = yield* makeOccurredLog(random)
        let found = 0
        for (let round = 0; round < asked(48); round++) {
          const filter = random.chance(0.2) ? {} : someFilter(random, known)
          const range = someRange(random, known)
          const newest = sortedByOccurrence(known, filter, range).map(placeOf)
          const what = JSON.stringify({ filter, range })
          found += newest.length
          for (const first of ["newest", "oldest"] as const) {
            const sorted = first === "newest" ? newest : newest.toReversed()
            const at = random.below(newest.length + 1)
            const beyond = sorted[at - 1] ?? null
            for (const limit of [1, 7, 1_000]) {
              const request: OccurrenceRequest = { filter, range, first, beyond, limit }
              assert.deepStrictEqual(
                yield* log.occurrences(workspaceId, request),
                sorted.slice(at, at + limit),
                `${first} ${limit} from ${at} of ${what}`
              )
            }
          }
          for (const bucket of [null, Micros.MINUTE, 1_000 * Micros.DAY]) {
            assert.deepStrictEqual(
              new Map([...(yield* log.occurrenceCounts(workspaceId, { filter, range, bucket }))].sort()),
              new Map([...countsOf(newest, bucket)].sort()),
              `counts of ${what} by ${bucket}`
            )
          }
        }
        assert.isAbove(found, asked(48))
        const rows = known.map(({ row }) => row)
        // More than are read at once, in no order.
        const wanted = Array.from({ length: 60 }, (_, at) => rows[(at * 37) % rows.length])
        const entries = yield* log.entriesOf(
          workspaceId,
          wanted.flatMap((row) => (row === undefined ? [] : [row.sequence, row.sequence + 10_000]))
        )
        assert.deepStrictEqual(
          entries.map(({ id }) => id),
          wanted.map((row) => row?.id)
        )
      })
    )
  )

  test(
    "each event is what its moment and its sequence alone select",
    seededStory(import.meta.url, (random) =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const { workspaceId, known } = yield* makeOccurredLog(random)
        const sorted = sortedByOccurrence(known, {}, all).map(placeOf)
        const some = sorted.filter((_, at) => at % 4 === 0)
        for (const place of sampled(some, 5)) {
          const { occurredAt, sequence } = place
          const moment = { from: occurredAt, to: occurredAt }
          const alone = { from: sequence, to: sequence }
          const beside = sorted.filter((other) => other.occurredAt === occurredAt)
          for (const [filter, range, expected] of [
            [moment, all, beside],
            [{}, alone, [place]]
          ] as const) {
            const what = JSON.stringify({ filter, range })
            const request = { filter, range, first: "newest", beyond: null, limit: 1_000 } as const
            assert.deepStrictEqual(yield* log.occurrences(workspaceId, request), expected, what)
            const counts = yield* log.occurrenceCounts(workspaceId, { filter, range, bucket: null })
            assert.deepStrictEqual([...counts], [[0, expected.length]], what)
          }
        }
      })
    )
  )

  test(
    "events that are recorded soon after they occurred are counted in buckets of any length",
    seededStory(import.meta.url, (random) =>
      Effect.gen(function* () {
        const log = yield* EventLog
        const workspaceId = yield* makeWorkspace
        for (let request = 0; request < 10; request++) {
          // Where frames have two of them, 128 events are a complete group: each is of a day of its own.
          const acceptedAt = NOON + Math.floor(request / 4) * Micros.DAY + request * Micros.MINUTE
          const late = () => random.below(20 * Micros.SECOND)
          const bodies = Array.from({ length: 32 }, () => ({
            ...plainEvent(),
            occurred_at: Micros.format(acceptedAt - late())
          }))
          yield* accept(workspaceId, bodies, { acceptedAt })
          yield* observeAppend(workspaceId)
        }
        const known = yield* knownEvents(workspaceId)
        for (const filter of [{}, { action: "thing.*" }, { from: NOON + Micros.MINUTE }]) {
          const places = sortedByOccurrence(known, filter, all).map(placeOf)
          for (const bucket of [Micros.SECOND, Micros.MINUTE, Micros.DAY])
            assert.deepStrictEqual(
              new Map([...(yield* log.occurrenceCounts(workspaceId, { filter, range: all, bucket }))].sort()),
              new Map([...countsOf(places, bucket)].sort()),
              `${JSON.stringify(filter)} by ${bucket}`
            )
        }
      })
    )
  )

  test(
    "pages together are the whole list, and none of it twice while events are appended",
    seededStory(import.meta.url, (random) =>
      Effect.gen(function* () {
        const reader = yield* EventReader
        const { workspaceId, known } = yield* makeOccurredLog(random)
        for (let request = 0; request < 20; request++)
          yield* accept(
            workspaceId,
            [-1_000, -1, 0].map((days) => ({
              ...plainEvent(),
              occurred_at: Micros.format(NOON + days * Micros.DAY)
            })),
            { acceptedAt: NOON + Micros.DAY }
          )
        const appends = yield* Effect.forkChild(
          Effect.repeat(Effect.andThen(Effect.yieldNow, observeAppend(workspaceId, 3)), {
            while: ({ more }) => more
          })
        )
        for (const filter of [{}, { action: "document.*" }, { search: "user_agent" }]) {
          const seen: Array<string> = []
          let beyond: Occurrence | null = null
          do {
            const page: Effect.Success<ReturnType<typeof reader.list>> = yield* reader.list({
              workspaceId,
              filter,
              time: "occurred",
              before: null,
              beyond,
              limit: 7,
              visibleFrom: null,
              total: "none"
            })
            seen.push(...page.data.map(({ id }) => id))
            const { next_cursor } = page.pagination
            beyond = next_cursor === null ? null : (Cursor.decodeOccurrence(next_cursor) ?? null)
            yield* Effect.yieldNow
          } while (beyond !== null)
          assert.strictEqual(new Set(seen).size, seen.length)
          const before = new Set(known.map(({ row }) => row.id))
          assert.deepStrictEqual(
            seen.filter((id) => before.has(id)),
            sortedByOccurrence(known, filter, all).map(({ row }) => row.id)
          )
        }
        yield* Fiber.join(appends)
      })
    ).pipe(Effect.provide(readers))
  )

  test(
    "a histogram by occurrence has each event in the bucket of its moment, and the list's total",
    seededStory(import.meta.url, (random) =>
      Effect.gen(function* () {
        const histogram = yield* EventHistogram
        const counts = yield* EventCounts
        const { workspaceId, known } = yield* makeOccurredLog(random)
        for (let round = 0; round < asked(40); round++) {
          const filter = round === 0 ? {} : someFilter(random, known)
          const visible = random.chance(0.5) ? null : random.pick(known)
          const visibleFrom = visible?.row.createdAt ?? null
          const range = { ...all, from: visible?.row.sequence ?? all.from }
          const places = sortedByOccurrence(known, filter, range).map(placeOf)
          const read = yield* histogram.read({
            workspaceId,
            filter,
            time: "occurred",
            visibleFrom,
            buckets: 40
          })
          const length = read.bucket_seconds * Micros.SECOND
          const expected = Array.from(countsOf(places, length))
            .sort(([one], [other]) => one - other)
            .map(([bucket, count]) => ({ start: Micros.format(bucket * length), count }))
          assert.deepStrictEqual(read.buckets, expected, JSON.stringify(filter))
          assert.strictEqual(
            yield* counts.total(workspaceId, filter, visibleFrom, "occurred"),
            places.length,
            JSON.stringify(filter)
          )
          const recorded = known.filter(
            ({ row, content }) => row.sequence >= range.from && matches(filter, content, row.createdAt)
          )
          assert.strictEqual(
            yield* counts.total(workspaceId, filter, visibleFrom, "recorded"),
            recorded.length,
            JSON.stringify(filter)
          )
        }
        const empty = yield* makeWorkspace
        const request = { filter: {}, time: "occurred", visibleFrom: null, buckets: 60 } as const
        assert.deepStrictEqual((yield* histogram.read({ workspaceId: empty, ...request })).buckets, [])
      })
    ).pipe(Effect.provide(readers))
  )
}
