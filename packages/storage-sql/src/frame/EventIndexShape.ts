/** The interface of the index over events in every dialect. */
import type { Micros } from "@cairn/core/encoding"
import type { EventFilter } from "@cairn/core/event"
import type {
  FacetQuery,
  FacetsFound,
  LogEntry,
  Occurrence,
  OccurrenceCounts,
  OccurrenceFacets,
  OccurrenceRequest,
  SequenceRange,
  StorageUnavailable
} from "@cairn/core/log"
import type { Effect } from "effect"

/**
 * An index over the values and texts of events, which follows the log and may be behind it. Events that are
 * not indexed yet are checked one by one.
 */
export interface EventIndexShape {
  /** Indexes some events and returns how many; 0 if the index is up to date. */
  readonly advance: Effect.Effect<number, StorageUnavailable>
  /** The newest entries within the range that a filter selects. */
  readonly page: (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    limit: number
  ) => Effect.Effect<ReadonlyArray<LogEntry>, StorageUnavailable>
  /** The times at which they were recorded. */
  readonly moments: (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Micros.Micros>, StorageUnavailable>
  /** How many entries within the range a filter selects. */
  readonly count: (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange
  ) => Effect.Effect<number, StorageUnavailable>
  /** The places of the nearest entries that a request is for, see `EventLog`. */
  readonly occurrences: (
    workspace: number,
    request: OccurrenceRequest
  ) => Effect.Effect<ReadonlyArray<Occurrence>, StorageUnavailable>
  /** How many entries occurred in each bucket. */
  readonly occurrenceCounts: (
    workspace: number,
    request: OccurrenceCounts
  ) => Effect.Effect<ReadonlyMap<number, number>, StorageUnavailable>
  /** The entries of sequences, in the order of these. */
  readonly entriesOf: (
    workspace: number,
    sequences: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<LogEntry>, StorageUnavailable>
  /** The most frequent values of a field among the newest of them. */
  readonly facets: (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    query: FacetQuery
  ) => Effect.Effect<FacetsFound, StorageUnavailable>
  /** The same among the newest by when they occurred. */
  readonly occurrenceFacets: (
    workspace: number,
    request: OccurrenceFacets
  ) => Effect.Effect<FacetsFound, StorageUnavailable>
}
