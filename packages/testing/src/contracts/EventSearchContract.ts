/** The contract of `EventLog`'s full-text search. */

import { type EventFilter, fold, MAX_BATCH, MAX_METADATA_BYTES, searchTexts } from "@cairn/core/event"
import { EventLog } from "@cairn/core/log"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import {
  agreeEach,
  agreeOnAll,
  all,
  asked,
  type CorpusTest,
  knownEvents,
  SharedCorpus,
  some
} from "../generators/EventCorpus.ts"
import { naughtyStrings } from "../generators/NaughtyText.ts"
import { seededStory } from "../generators/SeededTrial.ts"
import { sampled } from "../generators/TrialCases.ts"
import {
  accept,
  makeWorkspace,
  plainEvents,
  type StorageLayer,
  sequenceAll,
  storageTest
} from "./StorageSteps.ts"

/** Registers the tests of search; part of `eventLogContract`. */
export const eventSearchContract = (storage: StorageLayer, reading: CorpusTest): void => {
  const test = storageTest(storage)

  reading(
    "search finds any part of a name, action or metadata, in any case and form",
    seededStory(import.meta.url, (random) =>
      Effect.gen(function* () {
        const corpus = yield* SharedCorpus
        const filters: Array<EventFilter> = []
        for (let round = 0; round < asked(120); round++) {
          const points = Array.from(random.pick(searchTexts(random.pick(corpus.known).content)))
          const at = random.below(points.length)
          const part = points.slice(at, at + 3 + random.below(12)).join("")
          if (!part.isWellFormed()) continue
          const search: string = random.pick([part, part.toUpperCase(), part.normalize("NFD"), ` ${part}`])
          filters.push({ search })
        }
        assert.isAbove(yield* agreeOnAll(corpus, filters), filters.length)
      })
    )
  )

  reading(
    "search for several texts finds what has each of them, wherever they stand",
    seededStory(import.meta.url, (random) =>
      Effect.gen(function* () {
        const corpus = yield* SharedCorpus
        const partOf = (texts: ReadonlyArray<string>, most: number): string => {
          const points = Array.from(random.pick(texts))
          const at = random.below(points.length)
          return points.slice(at, at + 1 + random.below(most)).join("")
        }
        const filters: Array<EventFilter> = []
        for (let round = 0; round < asked(80); round++) {
          const texts = searchTexts(random.pick(corpus.known).content)
          const others = searchTexts(random.pick(corpus.known).content)
          const search = [
            partOf(texts, 12),
            partOf(texts, 3),
            ...(random.chance(0.3) ? [partOf(others, 6)] : []),
            ...(random.chance(0.2) ? [""] : [])
          ].filter((text) => text.isWellFormed())
          filters.push({ search })
        }
        filters.push({ search: [] }, { search: ["", ""] }, { search: ["user", "\uD800"] })
        assert.isAbove(yield* agreeOnAll(corpus, filters), filters.length)
      })
    )
  )

  reading(
    "search takes every term literally",
    Effect.gen(function* () {
      const corpus = yield* SharedCorpus
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
      const filters = [...terms, ...some(naughtyStrings, 70)].map((search) => ({ search }))
      assert.isAbove(yield* agreeOnAll(corpus, filters), 0)
    })
  )

  test(
    "every naughty text is found in the metadata that holds it, and in no other",
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      const texts = naughtyStrings.filter((text) => text.length > 0 && text.length < 100)
      for (let at = 0; at < texts.length; at += MAX_BATCH) {
        yield* accept(
          workspaceId,
          texts.slice(at, at + MAX_BATCH).map((text, index) => ({
            actor_id: `a-${at + index}`,
            action: "b",
            metadata: { [`key ${text}`]: [text, `before\0${text}\0after`] }
          }))
        )
      }
      yield* sequenceAll
      const known = yield* knownEvents(workspaceId)
      const corpus = { workspaceId, elsewhere: workspaceId, known }
      // In the text of JSON, as it is searched, quotes and escape characters are escaped.
      const filters = sampled(texts, 5).map((text) => ({ search: JSON.stringify(text).slice(1, -1) }))
      const founds = yield* agreeEach(corpus, filters)
      for (const [index, { search }] of filters.entries()) assert.isAbove(founds[index] ?? 0, 0, search)
    })
  )

  test(
    "all of 64 KiB of metadata is searched, from the first character to the last",
    Effect.gen(function* () {
      const log = yield* EventLog
      const workspaceId = yield* makeWorkspace
      const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length
      const filling = "%_\\ caf\u0065\u0301 \u{1F468}\u200D\u{1F469} "
      const frame = { k: "first  last" }
      const times = Math.floor((MAX_METADATA_BYTES - bytes(frame)) / (bytes(filling) - 2))
      const metadata = { k: `first ${filling.repeat(times)} last` }
      assert.isAtLeast(bytes(metadata), MAX_METADATA_BYTES - bytes(filling))
      yield* accept(workspaceId, [{ actor_id: "a", action: "b", metadata }, ...plainEvents(3)])
      yield* sequenceAll
      for (const search of ["first %_", ' last"}', "%_\\\\ caf\u00E9", "\u{1F469} %_"]) {
        const page = yield* log.page(workspaceId, { filter: { search }, before: null, limit: 10 })
        assert.deepStrictEqual(
          page.map(({ sequence }) => sequence),
          [1],
          JSON.stringify(search)
        )
        assert.strictEqual(yield* log.count(workspaceId, { search }, all), 1)
      }
      for (const search of ["first last", "last first", "%%%"]) {
        assert.strictEqual(yield* log.count(workspaceId, { search }, all), 0)
      }
    })
  )

  reading(
    "terms of one and two characters are found too",
    Effect.gen(function* () {
      const corpus = yield* SharedCorpus
      const characters = corpus.known.flatMap(({ content }) =>
        searchTexts(content).flatMap((text) => Array.from(text))
      )
      const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`)
      const filters = [...some(characters, 60), ...some(pairs, 60)].map((search) => ({ search }))
      assert.isAbove(yield* agreeOnAll(corpus, filters), 0)
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
