/** Reading the events that a request is for in the order of occurrence: behind the frames, and in them. */
import { type EventFilter, searchesOf } from "@cairn/core/event"
import { type Occurrence, type OccurrenceRequest, searchTerm } from "@cairn/core/log"
import { Effect, type Schema } from "effect"
import type { SqlError } from "effect/sql"
import type { FramePosition } from "./FrameStore.ts"
import { NearestOccurrences } from "./NearestOccurrences.ts"
import {
  type AddPlace,
  addMatches,
  addOrder,
  addUnits,
  makeSelection,
  type OccurrenceSelection,
  type OccurrenceSources
} from "./OccurrenceSelect.ts"
import { type OccurrenceTail, readTail } from "./OccurrenceTail.ts"
import { type OccurrenceUnit, unitsOf } from "./OccurrenceUnits.ts"

/** Units read together: one at first, and more the longer it takes. */
export const MOST_UNITS = 32

/** Blocks of the tail whose places are given before others have their turn: some 16,000 events. */
const BLOCKS_AT_ONCE = 16

/** Whether only texts of one or two characters are looked for. */
export const isShort = (filter: EventFilter): boolean => {
  const searches = searchesOf(filter)
  return searches.length > 0 && searchTerm(searches).isShort
}

/** What a log is read from. */
export interface LogParts {
  readonly position: FramePosition
  /** What is selected behind the frames. */
  readonly tail: OccurrenceTail
  /** The frames and groups; none where not all of the tail was looked at. */
  readonly units: ReadonlyArray<OccurrenceUnit>
}

/** Gives the places of what is behind the frames, as long as `goesOn`; returns what has the rest, too. */
export const addTail = Effect.fnUntraced(function* (
  selection: OccurrenceSelection,
  goesOn: Effect.Effect<boolean>
) {
  const { store, workspace, first, add } = selection
  const position = yield* store.position(workspace)
  const tail = yield* readTail(selection, position.sequence, goesOn)
  // What frames have of a block by now is given with them.
  const addBehind: AddPlace = (place) => place.sequence <= position.sequence || add(place)
  for (const [at, { order }] of tail.blocks.entries()) {
    addOrder({ first, add: addBehind }, order)
    if (at % BLOCKS_AT_ONCE === BLOCKS_AT_ONCE - 1) yield* Effect.yieldNow
  }
  const units = tail.isCut ? [] : yield* unitsOf(store, workspace, position)
  return { position, tail, units } satisfies LogParts
})

/** What is read of a request. */
export interface NearestRead {
  readonly places: ReadonlyArray<Occurrence>
  /** Whether there may be others. */
  readonly isCut: boolean
  /** None where short texts were looked for. */
  readonly parts: LogParts | undefined
}

/**
 * The places of a request, as long as `goesOn`, which is asked before more are looked at. Those that were
 * found then are cut off where one that was not looked at may be nearer; but where not all of what is behind
 * the frames was looked at, they are the nearest of what was.
 */
export const readNearest = Effect.fnUntraced(function* (
  sources: OccurrenceSources,
  workspace: number,
  request: OccurrenceRequest,
  goesOn: Effect.Effect<boolean>
): Effect.fn.Return<NearestRead, SqlError.SqlError | Schema.SchemaError> {
  const nearest = new NearestOccurrences(request)
  const selection = makeSelection(sources, workspace, request, {
    first: request.first,
    add: (place) => nearest.add(place)
  })
  if (isShort(selection.conditions)) {
    yield* addMatches(selection, request.range)
    return { places: nearest.places, isCut: false, parts: undefined }
  }
  const parts = yield* addTail(selection, goesOn)
  if (parts.tail.isCut) return { places: nearest.places, isCut: true, parts }
  const units = parts.units
    .filter((unit) => nearest.mayHold(unit))
    .map((unit) => ({ ...unit, nearest: nearest.nearestOf(unit) }))
    .sort((one, other) => nearest.compare(one.nearest, other.nearest))
  let together = 1
  for (let at = 0; at < units.length; ) {
    const some = units.slice(at, at + together).filter((unit) => nearest.mayTake(unit.nearest))
    const [next] = some
    if (next === undefined) break
    if (!(yield* goesOn))
      return {
        places: nearest.places.filter((place) => nearest.compare(place, next.nearest) < 0),
        isCut: true,
        parts
      }
    yield* addUnits(selection, some)
    at += together
    together = Math.min(2 * together, MOST_UNITS)
    yield* Effect.yieldNow
  }
  return { places: nearest.places, isCut: false, parts }
})
