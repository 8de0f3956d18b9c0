/** The contract of `EventLog.facets`: every answer is compared with a plain count. */

import {
  type EventContent,
  type EventFilter,
  type EventInput,
  matches,
  occurrenceOf
} from "@cairn/core/event"
import {
  EventLog,
  FACET_FIELDS,
  FACET_VALUES,
  FacetMillis,
  type FacetQuery,
  type FacetsFound,
  type FacetValue,
  type OccurrenceFacets
} from "@cairn/core/log"
import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import {
  all,
  asked,
  type Corpus,
  type CorpusTest,
  knownEvents,
  SharedCorpus
} from "../generators/EventCorpus.ts"
import { makeOccurredLog, sortedByOccurrence } from "../generators/OccurredLog.ts"
import { type SeededRandom, seededRandom } from "../generators/SeededRandom.ts"
import { seededStory } from "../generators/SeededTrial.ts"
import { manualClock } from "../machines/ManualClock.ts"
import { countFacets } from "../memory/MemoryFacets.ts"
import { accept, makeWorkspace, NOON, observeAppend, type StorageLayer, storageTest } from "./StorageSteps.ts"

type FacetCorpus = Pick<Corpus, "workspaceId" | "known">

/** The answer of the log, however long it takes. */
const ask = Effect.fnUntraced(function* (workspaceId: string, filter: EventFilter, query: FacetQuery) {
  const log = yield* EventLog
  return yield* log
    .facets(workspaceId, filter, query)
    .pipe(Effect.provideService(FacetMillis, Number.POSITIVE_INFINITY))
})

/** Compares an answer with the scan. */
export const agree = Effect.fnUntraced(function* (
  { workspaceId, known }: FacetCorpus,
  filter: EventFilter,
  query: FacetQuery
) {
  const selected = known.filter(({ row, content }) => matches(filter, content, row.createdAt))
  const expected = countFacets(selected.map(({ content }) => content).toReversed(), query)
  const found = yield* ask(workspaceId, filter, query)
  assert.deepStrictEqual(found, expected, JSON.stringify({ filter, query }))
  return found
})

const NAMES = [
  "Ada Lovelace",
  "Ada Byron",
  "Sam O'Neil",
  "Zoë Ångström-Müller",
  "王 小明",
  "ada",
  "",
  undefined
]
const TYPES = ["document", "Folder", "", undefined]

/** An event of few actors, resources and targets, each of which has several names, and one event several. */
const namedEvent = (random: SeededRandom): EventInput => {
  const name = () => random.pick(NAMES)
  const [actor, actorName, type, resourceName] = [random.below(7), name(), random.pick(TYPES), name()]
  const target = () => {
    const named = name()
    return {
      type: random.pick(["user", "group"]),
      ...(random.chance(0.8) ? { id: `t_${random.below(3)}` } : {}),
      ...(named === undefined ? {} : { name: named })
    }
  }
  return {
    actor_id: `usr_${actor}`,
    ...(actorName === undefined ? {} : { actor_name: actorName }),
    action: random.pick(["document.read", "document.shared", "login"]),
    ...(type === undefined ? {} : { resource: type }),
    ...(random.chance(0.8) ? { resource_id: `res_${random.below(9)}` } : {}),
    ...(resourceName === undefined ? {} : { resource_name: resourceName }),
    ...(random.chance(0.5) ? { tenant_id: random.pick(["acme", "globex"]) } : {}),
    ...(random.chance(0.5) ? { session_id: `s_${random.below(100)}` } : {}),
    targets: Array.from({ length: random.below(4) }, target)
  }
}

/** A log of such events, 28 a request: where frames have two of them, ten make two groups and a part. */
const namedCorpus = Effect.fnUntraced(function* (requests: number) {
  const workspaceId = yield* makeWorkspace
  const random = seededRandom(17)
  for (let request = 0; request < requests; request++) {
    const bodies = Array.from({ length: 28 }, () => namedEvent(random))
    yield* accept(workspaceId, bodies, { acceptedAt: NOON + request })
    yield* observeAppend(workspaceId)
  }
  return { workspaceId, known: yield* knownEvents(workspaceId) }
})

/** A filter with a few conditions that an event has. */
const filterOf = (random: SeededRandom, { row, content }: Corpus["known"][number]): EventFilter => ({
  ...(random.chance(0.2) ? { action: content.action } : {}),
  ...(random.chance(0.2) ? { action: [`${content.action.split(".")[0]}.*`, "login"] } : {}),
  ...(random.chance(0.2) && content.tenant_id !== null ? { tenantId: content.tenant_id } : {}),
  ...(random.chance(0.2) ? { actorId: [content.actor.id, "nobody"] } : {}),
  ...(random.chance(0.1) && content.resource.id !== null ? { resourceId: content.resource.id } : {}),
  ...(random.chance(0.1) ? { search: content.action.slice(0, 1 + random.below(6)) } : {}),
  ...(random.chance(0.1) ? { from: row.createdAt } : {}),
  ...(random.chance(0.1) ? { to: row.createdAt } : {})
})

/** The beginning of a text that an event has, or of a word of it, or nothing. */
const prefixOf = (random: SeededRandom, content: EventContent): string => {
  if (random.chance(0.4)) return ""
  const { action, session_id, tenant_id, actor, resource, targets } = content
  const names = [actor.name, resource.name, ...targets.map(({ name }) => name)]
  const ids = [action, session_id, tenant_id, actor.id, resource.id]
  const words = names.flatMap((name) => [name ?? "", ...(name ?? "").split(/[ '-]/)])
  const text = random.pick([...ids.map((id) => id ?? ""), ...words])
  const prefix = Array.from(text)
    .slice(0, 1 + random.below(5))
    .join("")
  return random.pick([prefix, prefix.toUpperCase(), prefix.toLowerCase(), prefix.normalize("NFD")])
}

const labelled = ({ values }: FacetsFound) => values.map(({ value, label }: FacetValue) => [value, label])

/** Asks a log at random. */
const askAtRandom = Effect.fnUntraced(function* (random: SeededRandom, corpus: FacetCorpus) {
  let [events, values] = [0, 0]
  for (let round = 0; round < asked(320); round++) {
    const known = random.pick(corpus.known)
    const found = yield* agree(corpus, filterOf(random, known), {
      field: random.pick(FACET_FIELDS),
      prefix: prefixOf(random, known.content),
      most: random.pick([1, 7, 50, 1_000])
    })
    events += found.events
    values += found.values.length
  }
  assert.isAbove(events, asked(320))
  assert.isAbove(values, asked(320))
})

/** The answer of the log by occurrence, however long it takes. */
const askByOccurrence = Effect.fnUntraced(function* (workspaceId: string, request: OccurrenceFacets) {
  const log = yield* EventLog
  return yield* log
    .occurrenceFacets(workspaceId, request)
    .pipe(Effect.provideService(FacetMillis, Number.POSITIVE_INFINITY))
})

/** Compares an answer by occurrence with a plain sort. */
export const agreeByOccurrence = Effect.fnUntraced(function* (
  { workspaceId, known }: FacetCorpus,
  request: OccurrenceFacets
) {
  const { filter, range, ...query } = request
  const sorted = sortedByOccurrence(known, filter, range)
  const found = yield* askByOccurrence(workspaceId, request)
  const counted = sorted
    .slice(0, query.most)
    .toSorted((one, other) => other.row.sequence - one.row.sequence)
    .map(({ content }) => content)
  const complete = sorted.length <= query.most
  assert.deepStrictEqual(found, { ...countFacets(counted, query), complete }, JSON.stringify(request))
  return found
})

/** So short that any pause ends it, also where few events have some times as long. */
const HURRIED = 0.1

/** Registers the tests of facets; part of `eventLogContract`. */
export const eventFacetsContract = (storage: StorageLayer, reading: CorpusTest): void => {
  const test = storageTest(storage)

  reading(
    "the most frequent values of all events are those of a plain count",
    Effect.gen(function* () {
      const corpus = yield* SharedCorpus
      for (const field of FACET_FIELDS)
        for (const most of [1, 20, 128, 180, 181, 182]) {
          const { events, complete } = yield* agree(corpus, {}, { field, prefix: "", most })
          assert.deepStrictEqual({ events, complete }, { events: Math.min(most, 181), complete: most >= 181 })
        }
    })
  )

  reading(
    "the most frequent values are those of a plain count, whatever the filter and the prefix",
    seededStory(import.meta.url, (random) =>
      Effect.flatMap(SharedCorpus, (corpus) => askAtRandom(random, corpus))
    )
  )

  test(
    "names are the newest, of actors, resources and targets that have several",
    seededStory(import.meta.url, (random) =>
      Effect.flatMap(namedCorpus(10), (corpus) => askAtRandom(random, corpus))
    )
  )

  test(
    "the newest are by when they occurred, where that is asked for, with the times of a filter",
    seededStory(import.meta.url, (random) =>
      Effect.gen(function* () {
        const corpus = yield* makeOccurredLog(random)
        let events = 0
        for (let round = 0; round < asked(160); round++) {
          const known = random.pick(corpus.known)
          const { from: _from, to: _to, ...conditions } = filterOf(random, known)
          const moment = () => {
            const { row, content } = random.pick(corpus.known)
            return occurrenceOf(content.occurred_at, row.createdAt) + random.below(3) - 1
          }
          const found = yield* agreeByOccurrence(corpus, {
            filter: {
              ...(random.chance(0.5) ? conditions : {}),
              ...(random.chance(0.4) ? { from: moment() } : {}),
              ...(random.chance(0.4) ? { to: moment() } : {})
            },
            range: random.chance(0.5) ? all : { ...all, from: random.pick(corpus.known).row.sequence },
            field: random.pick(FACET_FIELDS),
            prefix: prefixOf(random, known.content),
            most: random.pick([1, 7, 50, 1_000])
          })
          events += found.events
        }
        assert.isAbove(events, asked(160))
      })
    )
  )

  test(
    "a prefix means a value, its name or a later word of it, in any letter case",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      yield* accept(workspaceId, [
        { actor_id: "usr_17", actor_name: "Countess Byron", action: "a" },
        { actor_id: "usr_17", actor_name: "Ada Lovelace", action: "a" },
        { actor_id: "adam", action: "a" },
        { actor_id: "usr_18", actor_name: "Zoë O'Neil-Ångström", action: "a" },
        { actor_id: "usr_17", action: "a" }
      ])
      yield* observeAppend(workspaceId)
      const find = (prefix: string) =>
        Effect.map(ask(workspaceId, {}, { field: "actor", prefix, most: 10 }), labelled)
      const [ada, adam, zoe] = [
        ["usr_17", "Ada Lovelace"],
        ["adam", null],
        ["usr_18", "Zoë O'Neil-Ångström"]
      ]
      assert.deepStrictEqual(yield* find(""), [ada, adam, zoe])
      assert.deepStrictEqual(yield* find("Ada"), [ada, adam])
      assert.deepStrictEqual(yield* find("LOVE"), [ada])
      assert.deepStrictEqual(yield* find("ada l"), [ada])
      assert.deepStrictEqual(yield* find("usr_1"), [ada, zoe])
      assert.deepStrictEqual(yield* find("neil"), [zoe])
      assert.deepStrictEqual(yield* find("ÅNG"), [zoe])
      for (const prefix of ["byron", "ovelace", "17", "oë", "\ud800", "x".repeat(2_000)])
        assert.deepStrictEqual(yield* find(prefix), [], prefix)
    })
  )

  test(
    `at most ${FACET_VALUES} values are given, and equal ones in the order of their bytes`,
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const ids = Array.from({ length: 300 }, (_, at) => `${String.fromCodePoint(0xff80 + at)}${at % 7}`)
      yield* accept(
        workspaceId,
        [...ids, ...ids.slice(40, 50)].map((id) => ({ actor_id: id, action: "a" }))
      )
      yield* observeAppend(workspaceId)
      const { values } = yield* agree(
        { workspaceId, known: yield* knownEvents(workspaceId) },
        {},
        { field: "actor", prefix: "", most: 1_000 }
      )
      assert.lengthOf(values, FACET_VALUES)
    })
  )
}

/** A clock on which a second is over whenever somebody looks, from some look on. */
const hurriedClock = (from = 0) => {
  const { clock, advance } = manualClock(NOON)
  let looks = 0
  return {
    ...clock,
    currentTimeMillis: Effect.sync(() => {
      if (looks++ >= from) advance(1_000)
      return clock.currentTimeMillisUnsafe()
    })
  }
}

/** Registers the tests of a log that takes long, for the storage called `name`, whose index has caught up. */
export const facetTimeContract = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  test(
    "what takes long is ended, with exact counts of the newest events",
    Effect.gen(function* () {
      const corpus = yield* namedCorpus(20)
      const log = yield* EventLog
      const hurried = (filter: EventFilter, field: FacetQuery["field"]) =>
        log
          .facets(corpus.workspaceId, filter, { field, prefix: "", most: 1_000 })
          .pipe(
            Effect.provideService(FacetMillis, HURRIED),
            Effect.provideService(Clock.Clock, hurriedClock())
          )
      for (const filter of [{}, { actorId: "usr_1" }, { actorId: "nobody" }, { search: "shared" }]) {
        const found = yield* hurried(filter, "actor")
        assert.isFalse(found.complete)
        const { events } = yield* agree(corpus, filter, { field: "actor", prefix: "", most: 1_000 })
        assert.isTrue(found.events < events || events === 0, JSON.stringify(filter))
        const same = yield* ask(corpus.workspaceId, filter, {
          field: "actor",
          prefix: "",
          most: found.events
        })
        assert.deepStrictEqual(found.values, same.values)
      }
    })
  )

  test(
    "an answer of all events is complete, whenever the time is over",
    Effect.gen(function* () {
      const corpus = yield* namedCorpus(10)
      const log = yield* EventLog
      for (const filter of [{}, { action: ["document.*", "login"] }, { search: "document" }]) {
        const query = { field: "action", prefix: "", most: 1_000 } as const
        const { events } = yield* agree(corpus, filter, query)
        let [looks, counted] = [0, 0]
        for (; counted < events; looks++) {
          const found = yield* log
            .facets(corpus.workspaceId, filter, query)
            .pipe(
              Effect.provideService(FacetMillis, HURRIED),
              Effect.provideService(Clock.Clock, hurriedClock(looks))
            )
          assert.strictEqual(found.complete, found.events === events, JSON.stringify({ filter, looks }))
          counted = found.events
        }
        assert.isAbove(looks, 0)
      }
    })
  )

  test(
    "what takes long by occurrence is ended, with counts of events that are all selected",
    Effect.gen(function* () {
      const corpus = yield* namedCorpus(20)
      const { occurrenceFacets } = yield* EventLog
      for (const filter of [{}, { actorId: ["usr_1", "usr_2"] }, { search: "shared" }]) {
        // Each event has one actor, of seven.
        const request = { filter, range: all, field: "actor", prefix: "", most: 10_000 } as const
        const { events, values } = yield* agreeByOccurrence(corpus, request)
        const found = yield* occurrenceFacets(corpus.workspaceId, request).pipe(
          Effect.provideService(FacetMillis, HURRIED),
          Effect.provideService(Clock.Clock, hurriedClock())
        )
        assert.isFalse(found.complete)
        assert.isAbove(found.events, 0)
        assert.isBelow(found.events, events)
        const counted = found.values.reduce((sum, { count }) => sum + count, 0)
        assert.strictEqual(counted, found.events)
        for (const { value, count } of found.values)
          assert.isAtMost(count, values.find((all) => all.value === value)?.count ?? 0)
      }
    })
  )
}
