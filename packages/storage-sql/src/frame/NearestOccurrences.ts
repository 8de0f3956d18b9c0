/** The nearest places in the order of occurrence, of any number that are looked at. */
import { newestOccurrence, type Occurrence, type OccurrenceRequest } from "@cairn/core/log"
import type { OccurrenceSpan } from "./OccurrenceStore.ts"

/** Events of which neither the moments nor the sequences are beyond these. */
export type OccurrenceBounds = Pick<OccurrenceRequest, "filter" | "range">

/** Whether an event is within the times of a filter, and within the range. */
export const isWithinBounds = (
  { filter: { from, to }, range }: OccurrenceBounds,
  { occurredAt, sequence }: Occurrence
): boolean =>
  (from === undefined || occurredAt >= from) &&
  (to === undefined || occurredAt <= to) &&
  sequence >= range.from &&
  sequence <= range.to

/** Whether some of the events that are so far apart may be within the bounds. */
export const mayBeWithin = (
  { filter: { from, to }, range }: OccurrenceBounds,
  { first, last, earliest, latest }: OccurrenceSpan & { readonly last: number }
): boolean =>
  (from === undefined || latest >= from) &&
  (to === undefined || earliest <= to) &&
  last >= range.from &&
  first <= range.to

/** Places that are kept beyond those that are wanted, before they are put in order. */
const SPARE = 64

/** Events that are looked at together. */
type Span = OccurrenceSpan & { readonly last: number }

/** Collects the places that a request is for, and keeps no more than are wanted. */
export class NearestOccurrences {
  readonly #request: OccurrenceRequest
  #places: Array<Occurrence> = []
  /** Whether places were added since they were put in order. */
  #isUnsorted = false
  /** The furthest that is wanted, as far as is known. */
  #furthest: Occurrence | undefined

  constructor(request: OccurrenceRequest) {
    this.#request = request
  }

  /** Orders places as the request does, the nearest first. */
  compare(one: Occurrence, other: Occurrence): number {
    return this.#request.first === "newest" ? newestOccurrence(one, other) : newestOccurrence(other, one)
  }

  /**
   * Takes a place, if it is one that the request is for; returns whether one that is further away may be
   * taken, too.
   */
  add(place: Occurrence): boolean {
    const { beyond, limit } = this.#request
    if (this.#furthest !== undefined && this.compare(place, this.#furthest) > 0) return false
    if (!isWithinBounds(this.#request, place)) return true
    if (beyond !== null && this.compare(beyond, place) >= 0) return true
    this.#isUnsorted = true
    if (this.#places.push(place) >= 2 * limit + SPARE) this.#sort()
    return true
  }

  #sort(): void {
    if (!this.#isUnsorted) return
    this.#isUnsorted = false
    const { limit } = this.#request
    this.#places = this.#places.sort((one, other) => this.compare(one, other)).slice(0, limit)
    if (this.#places.length === limit) this.#furthest = this.#places.at(-1)
  }

  /** The nearest place that events may have which are so far apart. */
  nearestOf(span: Span): Occurrence {
    return this.#end(span, this.#request.first === "newest")
  }

  #end({ first, last, earliest, latest }: Span, isNewest: boolean): Occurrence {
    return isNewest ? { occurredAt: latest, sequence: last } : { occurredAt: earliest, sequence: first }
  }

  /** Whether some of the events that are so far apart may be among those that the request is for. */
  mayHold(span: Span): boolean {
    const { beyond, first } = this.#request
    if (!mayBeWithin(this.#request, span)) return false
    return beyond === null || this.compare(beyond, this.#end(span, first === "oldest")) < 0
  }

  /** Whether a place may still be among those that are wanted. */
  mayTake(place: Occurrence): boolean {
    this.#sort()
    return this.#furthest === undefined || this.compare(place, this.#furthest) <= 0
  }

  /** The places, the nearest first. */
  get places(): ReadonlyArray<Occurrence> {
    this.#sort()
    return this.#places
  }
}
