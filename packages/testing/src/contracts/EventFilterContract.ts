/**
 * The contract of `EventLog`'s filters: every condition, alone and combined, is compared with the core's
 * `matches`.
 */

import { Micros } from "@cairn/core/encoding"
import {
  type EventContent,
  type EventFilter,
  MAX_CONDITION_VALUES,
  parseContent,
  searchTexts
} from "@cairn/core/event"
import { EventLog } from "@cairn/core/log"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import {
  agree,
  agreeEach,
  agreeOnAll,
  all,
  asked,
  type CorpusTest,
  SharedCorpus,
  some,
  spread,
  toEntry
} from "../generators/EventCorpus.ts"
import { naughtyStrings } from "../generators/NaughtyText.ts"
import { seededStory } from "../generators/SeededTrial.ts"
import { sampled } from "../generators/TrialCases.ts"
import { accept, makeWorkspace, type StorageLayer, sequenceAll, storageTest } from "./StorageSteps.ts"

/** Every filter of a single text, with the part of a content that it reads. */
const texts: ReadonlyArray<
  readonly [
    name: Exclude<keyof EventFilter, "from" | "to" | "search">,
    of: (content: EventContent) => ReadonlyArray<string | null>
  ]
> = [
  ["action", ({ action }) => [action]],
  ["category", (content) => [content.action_category]],
  ["country", (content) => [content.ip_country]],
  ["resourceName", ({ resource }) => [resource.name]],
  ["actorId", ({ actor }) => [actor.id]],
  ["resource", ({ resource }) => [resource.type]],
  ["resourceId", ({ resource }) => [resource.id]],
  ["tenantId", (content) => [content.tenant_id]],
  ["sessionId", (content) => [content.session_id]],
  ["targetType", ({ targets }) => targets.map(({ type }) => type)],
  ["targetId", ({ targets }) => targets.map(({ id }) => id ?? null)]
]

/** Texts that are almost `text`, and must not match. */
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

/** Registers the tests of filters; part of `eventLogContract` and of `indexedSearchContract`. */
export const eventFilterContract = (storage: StorageLayer, reading: CorpusTest): void => {
  const test = storageTest(storage)

  for (const [name, of] of texts) {
    reading(
      `${name} finds exactly the events that have it`,
      Effect.gen(function* () {
        const corpus = yield* SharedCorpus
        const present = corpus.known.flatMap(({ content }) => of(content)).filter((text) => text !== null)
        const filtersOf = (values: ReadonlyArray<string>) => values.map((value) => ({ [name]: value }))
        assert.isAbove(yield* agreeOnAll(corpus, filtersOf(some(present, 80))), 0)
        const others = some([...naughtyStrings, ...some(present, 12).flatMap(nearly)], 120)
        yield* agreeEach(corpus, filtersOf(others))
      })
    )

    reading(
      `${name} of several values finds exactly the events that have any of them`,
      Effect.gen(function* () {
        const corpus = yield* SharedCorpus
        const present = [
          ...new Set(corpus.known.flatMap(({ content }) => of(content)).filter((text) => text !== null))
        ]
        const [first = "", second = ""] = present
        const every = present.slice(0, MAX_CONDITION_VALUES)
        const filters: ReadonlyArray<EventFilter> = [
          [first],
          [first, second],
          [second, "no event has this", first, first],
          every,
          ["no event has this", "a\uD800b"],
          []
        ].map((values) => ({ [name]: values }))
        const [one = 0, two = 0, again, all = 0, ...none] = yield* agreeEach(corpus, filters)
        assert.isAbove(two, one)
        assert.isAtLeast(all, two)
        assert.deepStrictEqual([again, none], [two, [0, 0]])
      })
    )
  }

  reading(
    "no filter at all finds every event, newest first, as it is stored",
    Effect.gen(function* () {
      const log = yield* EventLog
      const corpus = yield* SharedCorpus
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
    "an action filter's suffix begins at its dot, also where it is longer than any that is listed",
    Effect.gen(function* () {
      const log = yield* EventLog
      const workspaceId = yield* makeWorkspace
      const long = `${"x".repeat(70)}.end`
      const deep = "a.b.c.d.e.f.g.h.i.j.k"
      const actions = [
        "bar",
        ".bar",
        "foo.bar",
        "foo.x.bar",
        "foo.bar.",
        "foobar",
        "FOO.BAR",
        "*.bar",
        `a.${long}`,
        deep
      ]
      yield* accept(
        workspaceId,
        actions.map((action) => ({ actor_id: "a", action }))
      )
      yield* sequenceAll
      const find = (action: string | ReadonlyArray<string>) =>
        Effect.map(log.page(workspaceId, { filter: { action }, before: null, limit: 100 }), (page) =>
          page.map(({ content }) => parseContent(content ?? "")?.action).toReversed()
        )
      assert.deepStrictEqual(yield* find("*.bar"), [".bar", "foo.bar", "foo.x.bar", "*.bar"])
      assert.deepStrictEqual(yield* find("*.x.bar"), ["foo.x.bar"])
      assert.deepStrictEqual(yield* find("*."), ["foo.bar."])
      assert.deepStrictEqual(yield* find(`*.${long}`), [`a.${long}`])
      assert.deepStrictEqual(yield* find("*.end"), [`a.${long}`])
      assert.deepStrictEqual(yield* find("*.b.c.d.e.f.g.h.i.j.k"), [deep])
      assert.deepStrictEqual(yield* find("*bar"), [])
      assert.deepStrictEqual(yield* find(["*.end", "foo.bar.*", "bar", "*.j.k"]), [
        "bar",
        "foo.bar.",
        `a.${long}`,
        deep
      ])
      assert.deepStrictEqual(yield* find(["bar", "*"]), actions)
    })
  )

  reading(
    "a target filter's type and id are one target's",
    Effect.gen(function* () {
      const corpus = yield* SharedCorpus
      const pairs = corpus.known.flatMap(({ content }) => content.targets)
      const types = spread(
        pairs.map(({ type }) => type),
        8
      )
      const ids = spread(
        pairs.flatMap(({ id }) => (id === undefined ? [] : [id])),
        12
      )
      let [found, apart] = [0, 0]
      const filters = types.flatMap((targetType) => ids.map((targetId) => ({ targetType, targetId })))
      // Those that some event has both of, if not in one target, come first.
      const cases = filters
        .map((filter) => {
          const somewhere = corpus.known.filter(
            ({ content }) =>
              content.targets.some(({ type }) => type === filter.targetType) &&
              content.targets.some(({ id }) => id === filter.targetId)
          )
          return { filter, somewhere: somewhere.length }
        })
        .toSorted((one, other) => other.somewhere - one.somewhere)
      const sample = sampled(cases, 3)
      const founds = yield* agreeEach(
        corpus,
        sample.map(({ filter }) => filter)
      )
      for (const [at, { somewhere }] of sample.entries()) {
        found += founds[at] ?? 0
        apart += somewhere - (founds[at] ?? 0)
      }
      assert.isAbove(found, 0)
      assert.isAbove(apart, 0, "some event must have both, but in different targets")
      assert.isAbove(yield* agree(corpus, { targetType: types, targetId: ids }), 0)
      yield* agree(corpus, { targetType: types.slice(0, 3), targetId: ids.slice(3) })
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
    "half of a surrogate pair is in no event, not even in one that has the character put in its place",
    Effect.gen(function* () {
      const log = yield* EventLog
      const workspaceId = yield* makeWorkspace
      const text = "a\uFFFDb"
      yield* accept(
        workspaceId,
        Array.from({ length: 300 }, () => ({ actor_id: text, action: text, metadata: { text } }))
      )
      yield* sequenceAll
      for (const name of ["actorId", "action", "search"]) {
        const found = (value: string) => log.count(workspaceId, { [name]: value }, all)
        assert.deepStrictEqual([yield* found("a\uD800b"), yield* found(text)], [0, 300], name)
      }
    })
  )

  reading(
    "from and to include their own microsecond",
    Effect.gen(function* () {
      const corpus = yield* SharedCorpus
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

  reading(
    "a range that is empty or beyond the log holds nothing",
    Effect.gen(function* () {
      const log = yield* EventLog
      const { workspaceId, known } = yield* SharedCorpus
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

  reading(
    "conditions hold together, whatever is combined",
    seededStory(import.meta.url, (random) =>
      Effect.gen(function* () {
        const corpus = yield* SharedCorpus
        const filters: Array<EventFilter> = []
        for (let round = 0; round < asked(120); round++) {
          const { row, content } = random.pick(corpus.known)
          const filter: Record<string, string | number | ReadonlyArray<string>> = {}
          for (const [name, of] of texts) {
            const value = random.chance(0.2) ? of(content).find((text) => text !== null) : undefined
            if (value === undefined || value === null) continue
            const others = Array.from({ length: random.below(3) }, () =>
              of(random.pick(corpus.known).content).find((text) => text !== null)
            )
            filter[name] = random.chance(0.5)
              ? value
              : [value, ...others].filter((text) => typeof text === "string").toSorted()
          }
          const term = random.pick(searchTexts(content))
          const at = random.below(term.length)
          const search = Array.from(term.slice(at))
            .slice(0, 1 + random.below(9))
            .join("")
          if (random.chance(0.3) && search.isWellFormed())
            filter.search = random.pick([
              search,
              [search],
              [search, content.action.slice(1, 6)],
              [search, "a", "e"]
            ])
          if (random.chance(0.2)) filter.from = row.createdAt - random.below(2) * Micros.MINUTE
          if (random.chance(0.2)) filter.to = row.createdAt + random.below(2) * Micros.MINUTE
          const parts = content.action.split(".")
          if (random.chance(0.3))
            filter.action = random.pick([`${parts[0]}.*`, `*.${parts.at(-1)}`, ["x", `*.${parts.at(-1)}`]])
          filters.push(filter)
        }
        assert.isAbove(yield* agreeOnAll(corpus, filters), filters.length)
      })
    )
  )
}
