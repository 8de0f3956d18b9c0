/**
 * Counts the values of a field among the newest events that a filter selects, by when they occurred. These
 * are found first, and counted then in the parts of the log that have them, the newest by recording first:
 * each by what is kept of it, where all that the filter selects of it is among them.
 */
import type { OccurrenceFacets } from "@cairn/core/log"
import { Clock, Effect } from "effect"
import type { FacetCache } from "./FacetCache.ts"
import {
  addContents,
  addFound,
  type Counting,
  finish,
  flush,
  goesOn,
  isWithin,
  makeCounting,
  roomFor
} from "./FacetCounting.ts"
import { addOfBlock, flushBlocks, type TailCounting } from "./FacetsOfTail.ts"
import { conditionsOf, type FacetConditions, groupFacets } from "./GroupFacets.ts"
import { type LogParts, readNearest } from "./NearestReading.ts"
import type { OccurrenceSources } from "./OccurrenceSelect.ts"
import { type OccurrenceUnit, unitsOf } from "./OccurrenceUnits.ts"

/** Events that are counted together where no block has them. */
const CONTENTS_AT_ONCE = 1_000

/** Parts that are looked at for the newest, however long that takes. */
const FEWEST_LOOKS = 2

/** Asks whether there is time to look for the newest in another part. */
const looking = (counting: Counting): Effect.Effect<boolean> => {
  let looks = 0
  return Effect.suspend(() => (looks++ < FEWEST_LOOKS ? Effect.succeed(true) : isWithin(counting, 1)))
}

/** Frames of the last group that are counted together. */
const FRAMES_AT_ONCE = 8

/** Sequences, ascending, of which those from one to another are found. */
const sequencesWithin = (ascending: Float64Array) => {
  const startOf = (sequence: number): number => {
    let [low, high] = [0, ascending.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((ascending[middle] ?? 0) < sequence) low = middle + 1
      else high = middle
    }
    return low
  }
  return (from: number, to: number): Float64Array => ascending.subarray(startOf(from), startOf(to + 1))
}

const newestOf = (ascending: Float64Array): ReadonlyArray<number> => Array.from(ascending).reverse()

/** Counts events behind the frames: of blocks, as far as these have them. */
const countBehind = Effect.fnUntraced(function* (
  tail: TailCounting,
  { blocks }: LogParts["tail"],
  within: ReturnType<typeof sequencesWithin>,
  indexed: number
) {
  for (const block of blocks) {
    const some = within(Math.max(block.from, indexed + 1), block.to)
    if (!(yield* addOfBlock(tail, block, some.length, () => newestOf(some)))) break
  }
  yield* flushBlocks(tail)
})

/** Counts events of a complete group, by what is kept of it where all that is selected of it is meant. */
const countGroup = Effect.fnUntraced(function* (
  cache: FacetCache,
  counting: Counting,
  { group, first, last, earliest, latest, events = 0 }: OccurrenceUnit,
  conditions: FacetConditions | undefined,
  some: Float64Array
) {
  const facetsOf = groupFacets(cache, counting, some.length === events ? undefined : conditions)
  const mayBeAll = some.length === events || conditions !== undefined
  const facets = mayBeAll ? yield* facetsOf({ group, first, last, earliest, latest, events }) : undefined
  const count = roomFor(counting, some.length)
  if (count > 0 && facets?.events === count) counting.tally.addAll(facets.tally)
  else {
    yield* addFound(counting, newestOf(some).slice(0, count))
    yield* flush(counting)
  }
})

/** Counts events that frames have. */
const countFramed = Effect.fnUntraced(function* (
  cache: FacetCache,
  counting: Counting,
  units: ReadonlyArray<OccurrenceUnit>,
  conditions: FacetConditions | undefined,
  within: ReturnType<typeof sequencesWithin>
) {
  const frames = units.filter(({ frame }) => frame !== undefined).reverse()
  for (let at = 0; at < frames.length; at += FRAMES_AT_ONCE) {
    const together = frames.slice(at, at + FRAMES_AT_ONCE)
    const some = within(together.at(-1)?.first ?? 0, together[0]?.last ?? 0)
    if (some.length === 0) continue
    if (!(yield* goesOn(counting))) return
    yield* addFound(counting, newestOf(some).slice(0, roomFor(counting, some.length)))
    yield* flush(counting)
    yield* Effect.yieldNow
  }
  for (const unit of units.filter(({ frame }) => frame === undefined).reverse()) {
    const some = within(unit.first, unit.last)
    if (some.length === 0) continue
    if (!(yield* goesOn(counting))) return
    yield* countGroup(cache, counting, unit, conditions, some)
    yield* Effect.yieldNow
  }
})

/** Makes what counts the values of a field among the newest events by when they occurred. */
export const facetsByOccurrence = (sources: OccurrenceSources & { readonly cache: FacetCache }) =>
  Effect.fnUntraced(function* (workspace: number, { filter, range, ...query }: OccurrenceFacets) {
    const { store, rows, cache } = sources
    const counting = yield* makeCounting({ store, each: rows.each }, workspace, query)
    const request = { filter, range, first: "newest", beyond: null, limit: query.most + 1 } as const
    const { places, isCut, parts } = yield* readNearest(sources, workspace, request, looking(counting))
    counting.began = yield* Clock.currentTimeMillis
    const wanted = places.slice(0, query.most)
    const within = sequencesWithin(Float64Array.from(wanted, ({ sequence }) => sequence).sort())
    const position = parts?.position ?? (yield* store.position(workspace))
    const { from: _from, to: _to, ...conditions } = filter
    if (parts === undefined) {
      const behind = newestOf(within(position.sequence + 1, Number.MAX_SAFE_INTEGER))
      for (let at = 0; at < behind.length && (yield* goesOn(counting)); at += CONTENTS_AT_ONCE) {
        const some = behind.slice(at, at + CONTENTS_AT_ONCE)
        yield* addContents(counting, some.slice(0, roomFor(counting, some.length)))
      }
    } else {
      const tail = { counting, cache, conditions: JSON.stringify(conditions), blocks: [] }
      yield* countBehind(tail, parts.tail, within, position.sequence)
    }
    const units = parts?.units ?? (yield* unitsOf(store, workspace, position))
    const ofGroups = sources.selectsAll(filter) ? undefined : conditionsOf(filter)
    if (!counting.isCut) yield* countFramed(cache, counting, units, ofGroups, within)
    const found = yield* finish(counting)
    return isCut || places.length > wanted.length ? { ...found, complete: false } : found
  })
