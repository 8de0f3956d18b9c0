/** The contract of `EventLog.facets`: every answer is compared with a plain count. */

import { type EventContent, type EventFilter, matches } from "@cairn/core/event"
import { EventLog, FACET_FIELDS, FacetMillis, type FacetQuery } from "@cairn/core/log"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { asked, type Corpus, makeCorpus } from "../generators/EventCorpus.ts"
import type { SeededRandom } from "../generators/SeededRandom.ts"
import { seededStory } from "../generators/SeededTrial.ts"
import { countFacets } from "../memory/MemoryFacets.ts"
import { type StorageLayer, storageTest } from "./StorageSteps.ts"

/** Compares an answer with the scan; returns how many events were looked at. */
const agree = Effect.fnUntraced(function* (
  { workspaceId, known }: Corpus,
  filter: EventFilter,
  query: FacetQuery
) {
  const log = yield* EventLog
  const selected = known.filter(({ row, content }) => matches(filter, content, row.createdAt))
  const expected = countFacets(selected.map(({ content }) => content).toReversed(), query)
  const found = yield* log
    .facets(workspaceId, filter, query)
    .pipe(Effect.provideService(FacetMillis, Number.POSITIVE_INFINITY))
  assert.deepStrictEqual(found, expected, JSON.stringify({ filter, query }))
  return found.events
})

/** A filter with a few conditions that an event has. */
const filterOf = (random: SeededRandom, { row, content }: Corpus["known"][number]): EventFilter => ({
  ...(random.chance(0.2) ? { action: content.action } : {}),
  ...(random.chance(0.2) ? { action: `${content.action.split(".")[0]}.*` } : {}),
  ...(random.chance(0.2) && content.tenant_id !== null ? { tenantId: content.tenant_id } : {}),
  ...(random.chance(0.1) ? { search: content.action.slice(0, 1 + random.below(6)) } : {}),
  ...(random.chance(0.1) ? { from: row.createdAt } : {}),
  ...(random.chance(0.1) ? { to: row.createdAt } : {})
})

/** The beginning of a text that an event has, or nothing. */
const prefixOf = (random: SeededRandom, content: EventContent): string => {
  if (random.chance(0.5)) return ""
  const text = random.pick([content.action, content.session_id ?? "", content.tenant_id ?? ""])
  const prefix = Array.from(text)
    .slice(0, 1 + random.below(5))
    .join("")
  return random.pick([prefix, prefix.toUpperCase(), prefix.toLowerCase()])
}

/** Registers the tests of facets; part of `eventLogContract`. */
export const eventFacetsContract = (storage: StorageLayer): void => {
  const test = storageTest(storage)

  test(
    "the most frequent values of all events are those of a plain count",
    Effect.gen(function* () {
      const corpus = yield* makeCorpus
      for (const field of FACET_FIELDS)
        for (const most of [1, 20, 128, 180, 181, 182])
          assert.strictEqual(yield* agree(corpus, {}, { field, prefix: "", most }), Math.min(most, 181))
    })
  )

  test(
    "the most frequent values are those of a plain count, whatever the filter and the prefix",
    seededStory(import.meta.url, (random) =>
      Effect.gen(function* () {
        const corpus = yield* makeCorpus
        let events = 0
        for (let round = 0; round < asked(240); round++) {
          const known = random.pick(corpus.known)
          events += yield* agree(corpus, filterOf(random, known), {
            field: random.pick(FACET_FIELDS),
            prefix: prefixOf(random, known.content),
            most: random.pick([1, 7, 50, 1_000])
          })
        }
        assert.isAbove(events, asked(240))
      })
    )
  )
}
