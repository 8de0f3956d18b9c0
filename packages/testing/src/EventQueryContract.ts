/** The reading half of `EventLog`'s contract: every question is held against a plain scan and the core's `matches`. */

import {
  type EventContent,
  type EventFilter,
  EventLog,
  fold,
  type LogEntry,
  Micros,
  matches,
  parseContent,
  type StoredEvent,
  searchTexts
} from "@cairn/core"
import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { ordinaryEvents } from "./EventGenerator.ts"
import { hostileGenerator, naughtyStrings } from "./HostileEvents.ts"
import { seededRandom } from "./SeededRandom.ts"
import {
  accept,
  importHistory,
  makeWorkspace,
  NOON,
  observeAppend,
  plainEvents,
  readLog,
  type StorageLayer,
  sequenceAll,
  storageTest
} from "./StorageContract.ts"

/** One event of the corpus, oldest first. */
interface Known {
  readonly row: StoredEvent
  readonly content: EventContent
}

const toEntry = ({ sequence, id, createdAt, content, eventHash, previousEventHash }: LogEntry): LogEntry => ({
  sequence,
  id,
  createdAt,
  content,
  eventHash,
  previousEventHash
})

/**
 * A log of 181 events: 20 legacy ones, the one that begins the chain, and 160 in ten requests a minute apart, ordinary and hostile.
 * A second workspace holds the like and must never be seen.
 */
const makeCorpus = Effect.gen(function* () {
  const workspaceId = yield* makeWorkspace
  const elsewhere = yield* makeWorkspace
  const hostile = hostileGenerator(11)
  yield* importHistory(
    workspaceId,
    ordinaryEvents(20, { seed: 12, tenants: 4, actors: 15 }),
    NOON - Micros.DAY
  )
  const ordinary = ordinaryEvents(100, { seed: 13, tenants: 4, actors: 15, sessions: 12, resources: 5 })
  for (let request = 0; request < 10; request++) {
    const bodies = [...ordinary.slice(request * 10, request * 10 + 10), ...Array.from({ length: 6 }, hostile)]
    for (const id of [workspaceId, elsewhere]) {
      yield* accept(id, bodies, { acceptedAt: NOON + request * Micros.MINUTE })
      yield* observeAppend(id)
    }
  }
  const known: Array<Known> = []
  for (const row of yield* readLog(workspaceId)) {
    const content = row.content === null ? undefined : parseContent(row.content)
    if (content === undefined) return assert.fail(`event ${row.id} has no readable content`)
    known.push({ row, content })
  }
  assert.lengthOf(known, 181)
  return { workspaceId, elsewhere, known }
})

type Corpus = Effect.Success<typeof makeCorpus>

const all = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }

/** Holds every way to ask for a filter against the scan; returns how many events satisfy it. */
const agree = Effect.fnUntraced(function* ({ workspaceId, known }: Corpus, filter: EventFilter) {
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

/** Every filter that is one text: what it looks at in a content. */
const texts: ReadonlyArray<
  readonly [
    name: Exclude<keyof EventFilter, "from" | "to" | "search">,
    of: (content: EventContent) => ReadonlyArray<string | null>
  ]
> = [
  ["action", ({ action }) => [action]],
  ["actorId", ({ actor }) => [actor.id]],
  ["resource", ({ resource }) => [resource.type]],
  ["resourceId", ({ resource }) => [resource.id]],
  ["tenantId", (content) => [content.tenant_id]],
  ["sessionId", (content) => [content.session_id]],
  ["targetType", ({ targets }) => targets.map(({ type }) => type)],
  ["targetId", ({ targets }) => targets.map(({ id }) => id ?? null)]
]

/** Texts that are nearly `text`, and must not count as it. */
const nearly = (text: string): ReadonlyArray<string> => [
  text.toUpperCase(),
  text.toLowerCase(),
  `${text} `,
  ` ${text}`,
  `${text}%`,
  `${text}*`,
  text.replace(/./u, "_"),
  text.normalize("NFD"),
  text.normalize("NFC"),
  Array.from(text).slice(0, -1).join("")
]

/** What was asked of each storage would be too much of a good thing; these are spread over the whole list. */
const some = (values: Iterable<string>, most: number): ReadonlyArray<string> => {
  const list = [...new Set(values)].filter((text) => text.isWellFormed() && !text.includes("\0"))
  const step = Math.max(1, list.length / most)
  return Array.from(
    { length: Math.min(most, list.length) },
    (_, index) => list[Math.floor(index * step)] ?? ""
  )
}

const filtering = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  for (const [name, of] of texts) {
    test(
      `${name} finds exactly the events that have it`,
      Effect.gen(function* () {
        const corpus = yield* makeCorpus
        const present = corpus.known.flatMap(({ content }) => of(content)).filter((text) => text !== null)
        let found = 0
        for (const value of some(present, 80)) found += yield* agree(corpus, { [name]: value })
        assert.isAbove(found, 0)
        for (const value of some([...naughtyStrings, ...some(present, 12).flatMap(nearly)], 120)) {
          yield* agree(corpus, { [name]: value })
        }
      })
    )
  }

  test(
    "no filter at all finds every event, newest first, as it is stored",
    Effect.gen(function* () {
      const log = yield* EventLog
      const corpus = yield* makeCorpus
      assert.strictEqual(yield* agree(corpus, {}), 181)
      const page = yield* log.page(corpus.workspaceId, { filter: {}, before: null, limit: 1_000 })
      assert.deepStrictEqual(page.map(toEntry), corpus.known.map(({ row }) => toEntry(row)).toReversed())
      for (const limit of [1, 2, 180, 181, 182]) {
        const some = yield* log.page(corpus.workspaceId, { filter: {}, before: null, limit })
        assert.deepStrictEqual(
          some.map(({ id }) => id),
          page.slice(0, limit).map(({ id }) => id)
        )
      }
    })
  )

  test(
    "a range that is empty or beyond the log holds nothing",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { workspaceId, known } = yield* makeCorpus
      const first = known[0]?.row.sequence ?? 0
      for (const filter of [{}, { resource: "document" }, { search: "user_agent" }, { search: "e" }]) {
        for (const [from, to] of [
          [2, 1],
          [162, 170],
          [first - 10, first - 1],
          [-5, 0]
        ] as const) {
          assert.strictEqual(yield* log.count(workspaceId, filter, { from, to }), 0, `${from} to ${to}`)
        }
      }
    })
  )

  test(
    "an action filter's prefix ends at its dot, and a star elsewhere is itself",
    Effect.gen(function* () {
      const log = yield* EventLog
      const workspaceId = yield* makeWorkspace
      const actions = [
        "foo",
        "foo.",
        "foo.bar",
        "foo.bar.baz",
        "foo/",
        "foo-bar",
        "fooo.bar",
        "FOO.bar",
        "foo.\u{1F600}",
        "foo.\uFFFF",
        "foo*",
        "*",
        ".x"
      ]
      yield* accept(
        workspaceId,
        actions.map((action) => ({ actor_id: "a", action }))
      )
      yield* sequenceAll
      const find = (action: string) =>
        Effect.map(log.page(workspaceId, { filter: { action }, before: null, limit: 100 }), (page) =>
          page.map(({ content }) => parseContent(content ?? "")?.action).toReversed()
        )
      assert.deepStrictEqual(yield* find("foo.*"), [
        "foo.",
        "foo.bar",
        "foo.bar.baz",
        "foo.\u{1F600}",
        "foo.\uFFFF"
      ])
      assert.deepStrictEqual(yield* find("foo.bar.*"), ["foo.bar.baz"])
      assert.deepStrictEqual(yield* find("foo*"), ["foo*"])
      assert.deepStrictEqual(yield* find("foo"), ["foo"])
      assert.deepStrictEqual(yield* find(".*"), [".x"])
      assert.deepStrictEqual(yield* find("%.*"), [])
      assert.deepStrictEqual(yield* find("_oo.*"), [])
      assert.deepStrictEqual(yield* find("*"), actions)
    })
  )

  test(
    "a target filter's type and id are one target's",
    Effect.gen(function* () {
      const corpus = yield* makeCorpus
      const pairs = corpus.known.flatMap(({ content }) => content.targets)
      const types = some(
        pairs.map(({ type }) => type),
        12
      )
      const ids = some(
        pairs.flatMap(({ id }) => (id === undefined ? [] : [id])),
        25
      )
      let [found, apart] = [0, 0]
      for (const targetType of types) {
        for (const targetId of ids) {
          const both = yield* agree(corpus, { targetType, targetId })
          found += both
          const somewhere = corpus.known.filter(
            ({ content }) =>
              content.targets.some(({ type }) => type === targetType) &&
              content.targets.some(({ id }) => id === targetId)
          )
          apart += somewhere.length - both
        }
      }
      assert.isAbove(found, 0)
      assert.isAbove(apart, 0, "some event must have both, but in different targets")
    })
  )

  test(
    "an event is found once, however many of its targets match",
    Effect.gen(function* () {
      const log = yield* EventLog
      const workspaceId = yield* makeWorkspace
      const targets = [{ type: "t", id: "1" }, { type: "t", id: "1" }, { type: "t" }, { type: "u", id: "1" }]
      yield* accept(workspaceId, [{ actor_id: "a", action: "b", targets }])
      yield* sequenceAll
      for (const filter of [{ targetType: "t" }, { targetId: "1" }, { targetType: "t", targetId: "1" }]) {
        assert.lengthOf(yield* log.page(workspaceId, { filter, before: null, limit: 10 }), 1)
        assert.strictEqual(yield* log.count(workspaceId, filter, all), 1)
      }
    })
  )

  test(
    "an empty text is a value of its own, unlike one that is absent",
    Effect.gen(function* () {
      const log = yield* EventLog
      const workspaceId = yield* makeWorkspace
      yield* accept(workspaceId, [
        { actor_id: "a", action: "b", tenant_id: "", session_id: "", resource: "", resource_id: "" },
        { actor_id: "a", action: "b" }
      ])
      yield* sequenceAll
      for (const filter of [{ tenantId: "" }, { sessionId: "" }, { resource: "" }, { resourceId: "" }]) {
        const page = yield* log.page(workspaceId, { filter, before: null, limit: 10 })
        assert.deepStrictEqual(
          page.map(({ sequence }) => sequence),
          [1],
          JSON.stringify(filter)
        )
      }
    })
  )

  test(
    "from and to include their own microsecond",
    Effect.gen(function* () {
      const corpus = yield* makeCorpus
      const [first, middle, last] = [0, 90, 180].map((index) => corpus.known[index]?.row.createdAt ?? 0)
      const moments = [first, middle, last].flatMap((moment = 0) => [moment - 1, moment, moment + 1])
      const founds: Array<number> = []
      for (const from of moments) {
        founds.push(yield* agree(corpus, { from }), yield* agree(corpus, { to: from }))
        for (const to of moments) yield* agree(corpus, { from, to })
      }
      assert.deepStrictEqual(founds.slice(0, 6), [181, 0, 181, 1, 180, 1])
    })
  )

  test(
    "conditions hold together, whatever is combined",
    Effect.gen(function* () {
      const corpus = yield* makeCorpus
      const random = seededRandom(14)
      let found = 0
      for (let round = 0; round < 200; round++) {
        const { row, content } = random.pick(corpus.known)
        const filter: Record<string, string | number> = {}
        for (const [name, of] of texts) {
          const value = random.chance(0.3) ? of(content).find((text) => text !== null) : undefined
          if (value !== undefined && value !== null) filter[name] = value
        }
        const term = random.pick(searchTexts(content))
        const at = random.below(term.length)
        const search = Array.from(term.slice(at))
          .slice(0, 1 + random.below(9))
          .join("")
        if (random.chance(0.3) && search.isWellFormed()) filter.search = search
        if (random.chance(0.2)) filter.from = row.createdAt - random.below(2) * Micros.MINUTE
        if (random.chance(0.2)) filter.to = row.createdAt + random.below(2) * Micros.MINUTE
        if (random.chance(0.2)) filter.action = `${content.action.split(".")[0]}.*`
        found += yield* agree(corpus, filter)
      }
      assert.isAbove(found, 200)
    })
  )
}

const searching = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  test(
    "search finds any part of a name, action or metadata, in any case and form",
    Effect.gen(function* () {
      const corpus = yield* makeCorpus
      const random = seededRandom(15)
      let found = 0
      for (let round = 0; round < 250; round++) {
        const points = Array.from(random.pick(searchTexts(random.pick(corpus.known).content)))
        const at = random.below(points.length)
        const part = points.slice(at, at + 3 + random.below(12)).join("")
        if (!part.isWellFormed()) continue
        const search = random.pick([part, part.toUpperCase(), part.normalize("NFD"), ` ${part}`])
        found += yield* agree(corpus, { search })
      }
      assert.isAbove(found, 250)
    })
  )

  test(
    "search takes every term literally",
    Effect.gen(function* () {
      const corpus = yield* makeCorpus
      let found = 0
      const terms = [
        '":"',
        '","',
        "\\u0000",
        '\\"',
        "user_agent",
        "%",
        "_",
        "*",
        "or",
        "a OR b",
        'x" OR "y',
        "(",
        "foo*",
        "^doc",
        "text:doc",
        "-doc",
        "doc NOT x"
      ]
      for (const search of [...terms, ...naughtyStrings]) found += yield* agree(corpus, { search })
      assert.isAbove(found, 0)
    })
  )

  test(
    "terms of one and two characters are found too",
    Effect.gen(function* () {
      const corpus = yield* makeCorpus
      const characters = corpus.known.flatMap(({ content }) =>
        searchTexts(content).flatMap((text) => Array.from(text))
      )
      let found = 0
      for (const search of some(characters, 60)) found += yield* agree(corpus, { search })
      const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`)
      for (const search of some(pairs, 60)) found += yield* agree(corpus, { search })
      assert.isAbove(found, 0)
    })
  )

  test(
    "search never matches across two texts of an event",
    Effect.gen(function* () {
      const log = yield* EventLog
      const workspaceId = yield* makeWorkspace
      const body = {
        actor_id: "a",
        actor_name: "aaaa",
        action: "bbbb",
        resource_name: "cccc",
        metadata: { dddd: "eeee" }
      }
      yield* accept(workspaceId, [body])
      yield* sequenceAll
      const parts = ["aaaa", "bbbb", "cccc", '{"dddd":"eeee"}']
      for (const part of parts) {
        assert.strictEqual(yield* log.count(workspaceId, { search: part }, all), 1, part)
      }
      for (const separator of ["", " ", "\n", "\t", "\0", "\u0001", "\u001F", "\u2028", "\uFFFF", "\n\n"]) {
        for (const left of parts) {
          for (const right of parts) {
            const search = left.slice(-3) + separator + right.slice(0, 3)
            if (parts.some((part) => part.includes(search))) continue
            assert.strictEqual(yield* log.count(workspaceId, { search }, all), 0, JSON.stringify(search))
          }
        }
      }
    })
  )

  test(
    "text with U+0000 is found on either side of it, and with it",
    Effect.gen(function* () {
      const log = yield* EventLog
      const workspaceId = yield* makeWorkspace
      yield* accept(workspaceId, [
        { actor_id: "a", actor_name: "before\0after", action: "b", metadata: { key: "meta\0data" } },
        ...plainEvents(1)
      ])
      yield* sequenceAll
      for (const search of ["before", "after", "e\0a", "before\0after", "meta", "data", "meta\\u0000data"]) {
        const page = yield* log.page(workspaceId, { filter: { search }, before: null, limit: 10 })
        assert.deepStrictEqual(
          page.map(({ sequence }) => sequence),
          [1],
          JSON.stringify(search)
        )
      }
      for (const search of ["before\0x", "meta\0data", "\0\0"]) {
        assert.strictEqual(yield* log.count(workspaceId, { search }, all), 0, JSON.stringify(search))
      }
    })
  )

  test(
    "what was appended a moment ago is found at once, and what was found before still is",
    Effect.gen(function* () {
      const log = yield* EventLog
      const workspaceId = yield* makeWorkspace
      for (let round = 1; round <= 30; round++) {
        yield* accept(workspaceId, [
          { actor_id: "a", action: "needle.found", resource_name: `Round ${round}` }
        ])
        yield* sequenceAll
        assert.strictEqual(yield* log.count(workspaceId, { search: "NEEDLE" }, all), round)
        assert.strictEqual(yield* log.count(workspaceId, { search: fold(`Round ${round}`) }, all), 1)
      }
    })
  )
}

const looking = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  test(
    "an event is got by its id, in its own workspace only",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { workspaceId, elsewhere, known } = yield* makeCorpus
      for (const { row } of known) {
        assert.deepStrictEqual(
          Option.map(yield* log.get(workspaceId, row.id), toEntry),
          Option.some(toEntry(row))
        )
        assert.deepStrictEqual(yield* log.get(elsewhere, row.id), Option.none())
      }
      for (const id of [
        "",
        "%",
        "00000000-0000-4000-8000-000000000000",
        known[0]?.row.id.toUpperCase() ?? ""
      ]) {
        assert.deepStrictEqual(yield* log.get(workspaceId, id), Option.none(), id)
      }
    })
  )

  test(
    "a scan begins at any sequence, goes up, and stops at its limit",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { workspaceId, known } = yield* makeCorpus
      const rows = known.map(({ row }) => row)
      const firsts = [
        Number.MIN_SAFE_INTEGER,
        rows[0]?.sequence ?? 0,
        rows[7]?.sequence ?? 0,
        0,
        1,
        2,
        80,
        160,
        161,
        162
      ]
      for (const from of firsts) {
        for (const limit of [1, 5, 1_000]) {
          const expected = rows.filter(({ sequence }) => sequence >= from).slice(0, limit)
          assert.deepStrictEqual(yield* log.scan(workspaceId, from, limit), expected, `${limit} from ${from}`)
        }
      }
    })
  )

  test(
    "a moment names the first event at or after it",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { workspaceId, elsewhere, known } = yield* makeCorpus
      const rows = known.map(({ row }) => row)
      for (const micros of [
        0,
        ...rows.flatMap(({ createdAt }) => [createdAt - 1, createdAt, createdAt + 1])
      ]) {
        const expected = rows.find(({ createdAt }) => createdAt >= micros)?.sequence ?? null
        assert.strictEqual(yield* log.sequenceAt(workspaceId, micros), expected, String(micros))
      }
      assert.strictEqual(yield* log.sequenceAt(elsewhere, 0), 1)
      assert.strictEqual(yield* log.sequenceAt(yield* makeWorkspace, 0), null)
    })
  )

  test(
    "paging by the last item's time gives every event once, while more are appended",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { workspaceId, known } = yield* makeCorpus
      for (let row = 0; row < 20; row++)
        yield* accept(workspaceId, plainEvents(3), { acceptedAt: NOON + Micros.DAY })
      const appends = yield* Effect.forkChild(
        Effect.repeat(Effect.andThen(Effect.yieldNow, observeAppend(workspaceId, 3)), {
          while: ({ more }) => more
        })
      )
      for (const filter of [{}, { resource: "document" }, { search: "user_agent" }]) {
        const expected = known
          .filter(({ row, content }) => matches(filter, content, row.createdAt))
          .map(({ row }) => row.id)
        const seen: Array<string> = []
        for (let before: number | null = known[180]?.row.createdAt ?? null; before !== null; ) {
          const page: ReadonlyArray<LogEntry> = yield* log.page(workspaceId, { filter, before, limit: 7 })
          for (const { createdAt } of page) assert.isBelow(createdAt, before, "a page goes back")
          seen.push(...page.map(({ id }) => id))
          before = page.at(-1)?.createdAt ?? null
          yield* Effect.yieldNow
        }
        const last = known[180]?.row.id
        assert.deepStrictEqual(seen, expected.filter((id) => id !== last).toReversed())
      }
      yield* Fiber.join(appends)
      assert.lengthOf(yield* log.page(workspaceId, { filter: {}, before: null, limit: 1_000 }), 241)
    })
  )
}

/** Registers the reading tests of `EventLog`; part of `eventLogContract`. */
export const eventQueryContract = (storage: StorageLayer): void => {
  describe("get, scan, sequenceAt, paging", () => looking(storage))
  describe("filters", () => filtering(storage))
  describe("search", () => searching(storage))
}
