/** A log for queries, with the results of a plain scan and of the core's `matches`. */

import { Micros } from "@cairn/core/encoding"
import { type EventContent, type EventFilter, matches } from "@cairn/core/event"
import { EventLog, type LogEntry } from "@cairn/core/log"
import { afterAll, assert, it } from "@effect/vitest"
import { Context, Effect, Layer, ManagedRuntime } from "effect"
import {
  accept,
  type ContractServices,
  importHistory,
  makeWorkspace,
  NOON,
  observeAppend,
  readLog,
  type StorageLayer,
  useCases
} from "../contracts/StorageSteps.ts"
import { ordinaryEvents } from "./EventGenerator.ts"
import { hostileGenerator } from "./HostileEvents.ts"
import { isEndurance } from "./SeededTrial.ts"
import { contentOf } from "./StoredContent.ts"
import { isTrial } from "./TrialCases.ts"

/** One event of the corpus, oldest first. */
export interface Known {
  readonly row: LogEntry
  readonly content: EventContent
}

/** Every event of a log, oldest first, read by a plain scan. */
export const knownEvents = Effect.fnUntraced(function* (workspaceId: string) {
  const known: Array<Known> = []
  for (const row of yield* readLog(workspaceId)) {
    const content = contentOf(row)
    if (content === undefined) return assert.fail(`event ${row.id} has no readable content`)
    known.push({ row, content })
  }
  return known
})

/**
 * A log of 181 events: 20 legacy ones, the one that begins the chain, and 160 in ten requests a minute apart,
 * ordinary and hostile. A second workspace holds similar events, which must never be returned.
 */
export const makeCorpus = Effect.gen(function* () {
  const workspaceId = yield* makeWorkspace
  const elsewhere = yield* makeWorkspace
  const hostile = hostileGenerator(11)
  yield* importHistory(
    workspaceId,
    ordinaryEvents(20, { seed: 12, tenants: 4, actors: 15 }),
    NOON - Micros.DAY
  )
  const addresses = ["203.0.113.1", "198.51.100.1", "192.0.2.1"]
  const ordinary = ordinaryEvents(100, { seed: 13, tenants: 4, actors: 15, sessions: 12, resources: 5 }).map(
    (body, at) => ({ ...body, ip_address: addresses[at % 4] ?? null })
  )
  for (let request = 0; request < 10; request++) {
    const bodies = [...ordinary.slice(request * 10, request * 10 + 10), ...Array.from({ length: 6 }, hostile)]
    for (const id of [workspaceId, elsewhere]) {
      yield* accept(id, bodies, { acceptedAt: NOON + request * Micros.MINUTE })
      yield* observeAppend(id)
    }
  }
  const known = yield* knownEvents(workspaceId)
  assert.lengthOf(known, 181)
  return { workspaceId, elsewhere, known }
})

/** The log and its scan. */
export type Corpus = Effect.Success<typeof makeCorpus>

/** A corpus that several tests read. */
export class SharedCorpus extends Context.Service<SharedCorpus, Corpus>()("@cairn/testing/SharedCorpus") {}

/**
 * Registers tests of a suite that only read: all run over one storage with what a layer has stored in it,
 * because that takes longer than reading it.
 */
export const readingTest = <Stored, Failure>(
  storage: StorageLayer,
  stored: Layer.Layer<Stored, Failure, ContractServices>
) => {
  const runtime = ManagedRuntime.make(Layer.provideMerge(stored, useCases(storage({}))))
  afterAll(() => runtime.dispose())
  return <A, E>(name: string, test: Effect.Effect<A, E, ContractServices | Stored>): void =>
    it.live(name, () => Effect.flatMap(runtime.contextEffect, (context) => Effect.provide(test, context)))
}

/** The same over one corpus. */
export const corpusTest = (storage: StorageLayer) =>
  readingTest(storage, Layer.effect(SharedCorpus, makeCorpus))

/** Registers a test over the corpus that a suite shares. */
export type CorpusTest = ReturnType<typeof corpusTest>

/** Every sequence. */
export const all = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }

/** Compares every kind of query for a filter with the scan; returns how many events satisfy it. */
export const agree = Effect.fnUntraced(function* ({ workspaceId, known }: Corpus, filter: EventFilter) {
  const log = yield* EventLog
  const expected = known
    .filter(({ row, content }) => matches(filter, content, row.createdAt))
    .map(({ row }) => row)
  const newest = expected.toReversed()
  const what = JSON.stringify(filter)
  const page = yield* log.page(workspaceId, { filter, before: null, limit: 1_000 })
  assert.deepStrictEqual(
    page.map(({ id }) => id),
    newest.map(({ id }) => id),
    `page of ${what}`
  )
  assert.strictEqual(yield* log.count(workspaceId, filter, all), expected.length, `count of ${what}`)
  const middle = expected[expected.length >> 1] ?? known[known.length >> 1]?.row
  if (middle === undefined) return assert.fail("there is no corpus")
  const before = middle.createdAt
  const older = yield* log.page(workspaceId, { filter, before, limit: 7 })
  assert.deepStrictEqual(
    older.map(({ id }) => id),
    newest
      .filter(({ createdAt }) => createdAt < before)
      .slice(0, 7)
      .map(({ id }) => id),
    `page of ${what} before ${before}`
  )
  for (const [from, limit] of [
    [null, 1_000],
    [before, 7]
  ] as const) {
    assert.deepStrictEqual(
      yield* log.moments(workspaceId, { filter, before: from, limit }),
      newest
        .map(({ createdAt }) => createdAt)
        .filter((createdAt) => from === null || createdAt < from)
        .slice(0, limit),
      `moments of ${what} before ${from}`
    )
  }
  const oldest = expected[0]?.createdAt ?? known[0]?.row.createdAt ?? 0
  assert.deepStrictEqual(
    yield* log.page(workspaceId, { filter, before: oldest, limit: 7 }),
    [],
    `page of ${what} before all`
  )
  const range = { from: middle.sequence - 20, to: middle.sequence + 3 }
  assert.strictEqual(
    yield* log.count(workspaceId, filter, range),
    expected.filter(({ sequence }) => sequence >= range.from && sequence <= range.to).length,
    `count of ${what} within ${JSON.stringify(range)}`
  )
  return expected.length
})

/**
 * Does what `agree` does for each of these filters, a few at a time, so that the database works while
 * answers are compared; returns how many events satisfy each.
 */
export const agreeEach = (corpus: Corpus, filters: ReadonlyArray<EventFilter>) =>
  Effect.forEach(filters, (filter) => agree(corpus, filter), { concurrency: 4 })

/** Does what `agree` does for each of these filters; returns how many events satisfy them together. */
export const agreeOnAll = (corpus: Corpus, filters: ReadonlyArray<EventFilter>) =>
  Effect.map(agreeEach(corpus, filters), (founds) => founds.reduce((sum, found) => sum + found, 0))

/** How many filters a test asks of `most`: a sixteenth, in a trial a quarter, and all where it runs whole. */
export const asked = (most: number): number => (isEndurance() ? most : Math.ceil(most / (isTrial() ? 4 : 16)))

/** At most `most` different values of many, spread over the whole list. */
export const spread = (values: Iterable<string>, most: number): ReadonlyArray<string> => {
  const list = [...new Set(values)].filter((text) => text.isWellFormed() && !text.includes("\0"))
  const count = Math.min(most, list.length)
  const step = list.length / count
  return Array.from({ length: count }, (_, index) => list[Math.floor(index * step)] ?? "")
}

/** The same for the filters of a test, as many as `asked` says. */
export const some = (values: Iterable<string>, most: number): ReadonlyArray<string> =>
  spread(values, asked(most))

/** A row as a read without the stored columns returns it. */
export const toEntry = ({
  sequence,
  id,
  createdAt,
  content,
  eventHash,
  previousEventHash,
  salt,
  contentHash
}: LogEntry): LogEntry => ({
  sequence,
  id,
  createdAt,
  content,
  eventHash,
  previousEventHash,
  salt,
  contentHash
})
