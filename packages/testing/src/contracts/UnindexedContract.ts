/** What is asked of events that wait for the search index, while the log grows and some are removed. */
import { Micros } from "@cairn/core/encoding"
import { type EventFilter, type EventInput, parseContent } from "@cairn/core/event"
import { EventLog } from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { all, type Known } from "../generators/EventCorpus.ts"
import { placeOf, sortedByOccurrence } from "../generators/OccurredLog.ts"
import { type SeededRandom, seededRandom } from "../generators/SeededRandom.ts"
import { isTrial } from "../generators/TrialCases.ts"
import { agree, agreeByOccurrence } from "./EventFacetsContract.ts"
import { type RemovalStorage, removalTest } from "./RemovalSteps.ts"
import { accept, importHistory, makeWorkspace, NOON, observeAppend, readLog } from "./StorageSteps.ts"

const FILTERS: ReadonlyArray<EventFilter> = [
  {},
  { actorId: "usr_1" },
  { search: "shared" },
  { tenantId: "acme", from: NOON - Micros.DAY, to: NOON + Micros.MINUTE }
]

const eventsOf = (random: SeededRandom, count: number): ReadonlyArray<EventInput> =>
  Array.from({ length: count }, () => ({
    actor_id: `usr_${random.below(5)}`,
    actor_name: random.pick(["Ada", "Ada Lovelace", "Sam"]),
    action: random.pick(["document.read", "document.shared"]),
    tenant_id: random.pick(["acme", "globex"]),
    ...(random.chance(0.7)
      ? { occurred_at: Micros.format(NOON - random.below(30 * Micros.DAY) + random.below(Micros.MINUTE)) }
      : {}),
    targets: Array.from({ length: random.below(3) }, () => ({
      type: "user",
      id: `t_${random.below(4)}`,
      name: random.pick(["Zoë", "王", "a"])
    }))
  }))

/** What is left of a log, oldest first. */
const leftOf = (workspaceId: string) =>
  Effect.map(readLog(workspaceId), (rows) =>
    rows.flatMap((row): ReadonlyArray<Known> => {
      const content = row.content === null ? undefined : parseContent(row.content)
      return content === undefined ? [] : [{ row, content }]
    })
  )

/** Compares lists, counts and facets with what is left. */
const assertExact = Effect.fnUntraced(function* (workspaceId: string, what: string) {
  const log = yield* EventLog
  const known = yield* leftOf(workspaceId)
  for (const filter of FILTERS) {
    const says = `${what}: ${JSON.stringify(filter)}`
    const places = sortedByOccurrence(known, filter, all).map(placeOf)
    assert.isNotEmpty(places, says)
    for (const [first, sorted] of [
      ["newest", places],
      ["oldest", places.toReversed()]
    ] as const) {
      const at = Math.min(50, places.length >> 1)
      const beyond = sorted[at] ?? null
      const request = { filter, range: all, first, limit: 40 } as const
      assert.deepStrictEqual(
        yield* log.occurrences(workspaceId, { ...request, beyond: null }),
        sorted.slice(0, 40),
        says
      )
      assert.deepStrictEqual(
        yield* log.occurrences(workspaceId, { ...request, beyond }),
        sorted.slice(at + 1, at + 41),
        says
      )
    }
    const counts = yield* log.occurrenceCounts(workspaceId, { filter, range: all, bucket: null })
    assert.strictEqual(counts.get(0), places.length, says)
    for (const field of ["actor", "target"] as const)
      for (const most of [700, 100_000]) {
        const query = { field, prefix: "", most } as const
        yield* agree({ workspaceId, known }, filter, query)
        yield* agreeByOccurrence({ workspaceId, known }, { filter, range: all, ...query })
      }
  }
})

const append = Effect.fnUntraced(function* (workspaceId: string, random: SeededRandom, count: number) {
  yield* accept(workspaceId, eventsOf(random, count))
  yield* observeAppend(workspaceId)
})

/** Removes some events of a log, from near its beginning to near its end. */
const removeSome = Effect.fnUntraced(function* (workspaceId: string, random: SeededRandom, count: number) {
  const left = yield* leftOf(workspaceId)
  const removed = Array.from({ length: count }, (_, part) => {
    const at = Math.floor(((part + random.below(100) / 100) * left.length) / count)
    const { sequence, id, content, contentHash } = (left[at] ?? assert.fail("nothing is left")).row
    return { sequence, id, content: content ?? "", contentHash: contentHash ?? "" }
  }).filter(({ sequence }) => sequence > 1)
  yield* (yield* ContentRemoval).remove(workspaceId, removed, null)
})

/** Registers the tests; part of `removalContract`. */
export const unindexedContract = (name: string, storage: () => RemovalStorage): void => {
  const test = removalTest(storage)

  describe(`${name}: events that wait for the search index`, () => {
    test("are in lists, counts and facets as they are, while some come, are removed and are indexed", (kit) =>
      Effect.gen(function* () {
        const random = seededRandom(29)
        const workspaceId = yield* makeWorkspace
        yield* importHistory(workspaceId, eventsOf(random, 30), NOON - Micros.DAY)
        // Outside trials the log is shorter, and looked at half as often.
        const whole = isTrial()
        for (const count of whole ? [900, 140, 1] : [110]) {
          yield* append(workspaceId, random, count)
          yield* assertExact(workspaceId, `${count} came`)
        }
        for (const count of whole ? [1, 7] : [8]) {
          yield* removeSome(workspaceId, random, count)
          yield* assertExact(workspaceId, `${count} are removed`)
        }
        yield* append(workspaceId, random, whole ? 1_000 : 100)
        yield* removeSome(workspaceId, random, 3)
        yield* assertExact(workspaceId, "some came and some are removed")
        yield* kit.index ?? Effect.void
        yield* assertExact(workspaceId, "all are indexed")
        yield* append(workspaceId, random, 21)
        yield* removeSome(workspaceId, random, 5)
        yield* assertExact(workspaceId, "some came after those that are indexed")
      }))
  })
}
