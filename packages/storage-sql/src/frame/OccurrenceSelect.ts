/** Selecting events of the frames, and of rows that are in none, with when they occurred. */
import { contentSize, makePace } from "@cairn/core/encoding"
import { type EventFilter, occurrenceIn } from "@cairn/core/event"
import {
  ENOUGH_TO_READ,
  type LogEntry,
  mayGoOn,
  type Occurrence,
  type OccurrenceOrder,
  type OccurrenceRequest,
  type SequenceRange
} from "@cairn/core/log"
import { Effect, type Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { filteredRows, TakeEntries } from "./FilteredRows.ts"
import { type Found, tellOnce } from "./FrameSearch.ts"
import type { FrameStore } from "./FrameStore.ts"
import type { KeptTails } from "./KeptTails.ts"
import { type OccurrenceUnit, readOrders } from "./OccurrenceUnits.ts"

/** Rows read together where no frame has them. */
const ROWS_AT_ONCE = 500

type Failure = SqlError.SqlError | Schema.SchemaError

/** The caller, which wants events. Each method returns whether more are wanted. */
export interface MatchConsumer {
  /** Takes entries that were read. */
  readonly entries: TakeEntries
  /** Takes events that frames have. */
  readonly found: (found: Found) => Effect.Effect<boolean, Failure>
  /** Is asked between parts of the log where nothing was found in one; true unless given. */
  readonly goesOn?: Effect.Effect<boolean>
}

/** What such reads work with. */
export interface OccurrenceSources {
  readonly store: FrameStore
  readonly rows: ReturnType<typeof filteredRows>
  readonly tails: KeptTails
  /** Whether a filter has no condition on contents. */
  readonly selectsAll: (filter: EventFilter) => boolean
  /** Every entry of a range that a filter with a condition selects, as long as more are wanted. */
  readonly eachMatch: (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    consumer: MatchConsumer
  ) => Effect.Effect<void, Failure>
}

/** Takes a place; returns whether one that is further away may be wanted. */
export type AddPlace = (place: Occurrence) => boolean

/** What is selected of a log. */
export interface OccurrenceSelection extends OccurrenceSources {
  readonly pace: ReturnType<typeof makePace>
  readonly workspace: number
  /** Without times. */
  readonly conditions: EventFilter
  readonly range: SequenceRange
  /** From where on the places of a unit are given. */
  readonly first: OccurrenceRequest["first"]
  readonly add: AddPlace
  readonly tell: ReturnType<typeof tellOnce>
}

/** Prepares the selection of what a request is for. */
export const makeSelection = (
  sources: OccurrenceSources,
  workspace: number,
  { filter, range }: Pick<OccurrenceRequest, "filter" | "range">,
  { first, add }: Pick<OccurrenceSelection, "first" | "add">
): OccurrenceSelection => {
  const { from: _from, to: _to, ...conditions } = filter
  return { ...sources, pace: makePace(), tell: tellOnce(workspace), workspace, conditions, range, first, add }
}

/** Gives the places of those entries that a filter selects. */
export const addEntries = (
  { pace, add }: Pick<OccurrenceSelection, "pace" | "add">,
  filter: EventFilter,
  entries: ReadonlyArray<LogEntry>
) =>
  pace.map(entries, contentSize, ({ content, createdAt, sequence }) => {
    const occurredAt = content === null ? undefined : occurrenceIn(filter, content, createdAt)
    if (occurredAt !== undefined) add({ occurredAt, sequence })
  })

/** Gives what a filter selects of the rows of a range; returns the lowest of these. */
export const addRows = Effect.fnUntraced(function* (
  selection: Pick<OccurrenceSelection, "pace" | "add" | "rows" | "workspace">,
  filter: EventFilter,
  { from, to }: SequenceRange
) {
  const { rows, workspace } = selection
  let lowest: number | undefined
  for (let high = to; high >= from; ) {
    const limits = { limit: ROWS_AT_ONCE, enough: ENOUGH_TO_READ }
    const chunk = yield* rows.newest(workspace, { from, to: high }, limits)
    yield* addEntries(selection, filter, chunk)
    lowest = chunk.at(-1)?.sequence ?? lowest
    if (!mayGoOn(chunk, ROWS_AT_ONCE)) return lowest
    high = (chunk.at(-1)?.sequence ?? from) - 1
    yield* Effect.yieldNow
  }
  return lowest
})

/**
 * The sequences within a range that a filter with a condition selects. Those that were read as entries are
 * not among them, and given at once.
 */
export const addMatches = Effect.fnUntraced(function* (selection: OccurrenceSelection, range: SequenceRange) {
  const { eachMatch, workspace, conditions } = selection
  const sequences = new Set<number>()
  yield* eachMatch(workspace, conditions, range, {
    entries: (entries) => Effect.as(addEntries(selection, {}, entries), true),
    found: (found) =>
      Effect.map(found.sequences, (some) => {
        for (const sequence of some) sequences.add(sequence)
        return true
      })
  })
  return sequences
})

/** Units whose sequences follow each other, and no others between them. */
export const runsOf = (
  units: ReadonlyArray<OccurrenceUnit>
): ReadonlyArray<ReadonlyArray<OccurrenceUnit>> => {
  const runs: Array<Array<OccurrenceUnit>> = []
  for (const unit of units.toSorted((one, other) => one.index - other.index)) {
    const run = runs.at(-1)
    if (run?.at(-1)?.index === unit.index - 1) run.push(unit)
    else runs.push([unit])
  }
  return runs
}

/** The part of a range that a run may have. */
export const rangeOfRun = (
  run: ReadonlyArray<OccurrenceUnit>,
  { from, to }: SequenceRange
): SequenceRange => ({
  from: Math.max(from, run.at(0)?.first ?? from),
  to: Math.min(to, run.at(-1)?.last ?? to)
})

/** Which units may hold some of these sequences. */
const holdingSome = (sequences: ReadonlySet<number>): ((unit: OccurrenceUnit) => boolean) => {
  const sorted = Float64Array.from(sequences).sort()
  return ({ first, last }) => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((sorted[middle] ?? 0) < first) low = middle + 1
      else high = middle
    }
    return (sorted[low] ?? Number.POSITIVE_INFINITY) <= last
  }
}

/** Gives the places of an order that are wanted, the nearest first, as long as further ones may be. */
export const addOrder = (
  { first, add }: Pick<OccurrenceSelection, "first" | "add">,
  { moments, sequences }: OccurrenceOrder,
  wanted?: ReadonlySet<number>
): void => {
  for (let done = 0; done < moments.length; done++) {
    const at = first === "newest" ? moments.length - 1 - done : done
    const sequence = sequences[at] ?? 0
    if (wanted?.has(sequence) === false) continue
    if (!add({ occurredAt: moments[at] ?? 0, sequence })) return
  }
}

/** Gives the places of those events of units that are wanted; of damaged ones, by their rows. */
const readUnits = Effect.fnUntraced(function* (
  selection: OccurrenceSelection,
  units: ReadonlyArray<OccurrenceUnit>,
  wanted: ReadonlySet<number> | undefined
) {
  const { store, workspace } = selection
  const orders = yield* readOrders(store, workspace, units)
  for (const [at, unit] of units.entries()) {
    const order = orders[at]
    if (order !== undefined) {
      addOrder(selection, order, wanted)
      continue
    }
    yield* selection.tell(unit.frame === undefined ? { group: unit.group } : { frame: unit.frame })
    const add: AddPlace = (place) => wanted?.has(place.sequence) === false || selection.add(place)
    yield* addRows({ ...selection, add }, {}, { from: unit.first, to: unit.last })
  }
})

/** Gives the places of the events of units that are selected. */
export const addUnits = Effect.fnUntraced(function* (
  selection: OccurrenceSelection,
  units: ReadonlyArray<OccurrenceUnit>
) {
  if (selection.selectsAll(selection.conditions)) return yield* readUnits(selection, units, undefined)
  for (const run of runsOf(units)) {
    const wanted = yield* addMatches(selection, rangeOfRun(run, selection.range))
    yield* readUnits(selection, run.filter(holdingSome(wanted)), wanted)
  }
})
