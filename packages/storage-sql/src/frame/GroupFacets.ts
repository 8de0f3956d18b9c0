/** The counts of one group that is complete, as they are kept. */
import { type EventFilter, searchesOf } from "@cairn/core/event"
import {
  type ColumnFilter,
  columnFilter,
  FacetTally,
  facetKind,
  facetPart,
  kindNumbers,
  type SequenceRange
} from "@cairn/core/log"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { cacheKey, type FacetCache, type KeptFacets } from "./FacetCache.ts"
import { type Counting, marks } from "./FacetCounting.ts"
import { readAllPostings } from "./FrameBlob.ts"
import { inComplete } from "./FrameSelect.ts"
import { framesOfGroup } from "./FrameWriting.ts"
import type { GroupSpan } from "./OccurrenceStore.ts"

/** Which events of a group are counted: undefined for all of them. */
export interface FacetConditions {
  readonly filter: ColumnFilter
  /** Tells them from others. */
  readonly name: string
}

/** The conditions of a filter that has no others than those on values, each of which an event may have. */
export const conditionsOf = (all: EventFilter): FacetConditions | undefined => {
  const { from: _from, to: _to, ...others } = all
  const filter = columnFilter(others)
  const isPossible = filter.values.every((anyOf) => anyOf.length > 0)
  return isPossible && searchesOf(others).length === 0 ? { filter, name: JSON.stringify(others) } : undefined
}

/** The part of a range that a group has. */
export const clipped = ({ from, to }: SequenceRange, { first, last }: GroupSpan): SequenceRange => ({
  from: Math.max(from, first),
  to: Math.min(to, last)
})

/** Whether all events of a group are within a range. */
export const isWhole = (
  { from, to }: SequenceRange,
  { first, last }: Pick<GroupSpan, "first" | "last">
): boolean => first >= from && last <= to

/** How many of its events are counted, and which those are; undefined where a posting is damaged. */
const selectedOf = Effect.fnUntraced(function* (
  { store, workspace }: Counting,
  { group, events }: GroupSpan,
  conditions: FacetConditions | undefined
) {
  if (conditions === undefined) return { events, marked: undefined }
  const selection = { store, workspace, filter: conditions.filter, within: framesOfGroup(group) }
  const [selected] = yield* inComplete(selection, { low: group, high: group })
  if (selected?.places === undefined) return undefined
  return { events: selected.places.length, marked: marks(selected.places) }
})

/** The counts of a group; undefined where one of its postings is damaged. */
export const groupFacets = (cache: FacetCache, counting: Counting, conditions: FacetConditions | undefined) =>
  Effect.fnUntraced(function* (span: GroupSpan): Effect.fn.Return<KeptFacets | undefined, SqlError.SqlError> {
    const { store, workspace, query } = counting
    const key = cacheKey(workspace, query.field, conditions?.name, [span])
    const known = cache.get(key)
    if (known !== undefined) return known
    const { group } = span
    const selected = yield* selectedOf(counting, span, conditions)
    if (selected === undefined) return undefined
    const { events, marked } = selected
    const numbers = events === 0 ? [] : kindNumbers(facetKind(query.field))
    const stored = yield* store.postings(workspace, { low: group, high: group }, numbers)
    const part = readAllPostings(stored, (postings) => facetPart(query.field, postings, marked))
    if (part === undefined) return undefined
    const tally = new FacetTally()
    tally.add(part)
    const kept = { tally, events, from: span.first }
    cache.set(key, kept)
    return kept
  })
