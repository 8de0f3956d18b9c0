/** Port: the append-only log, the authoritative record of what happened in a workspace. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { EventFilter } from "../event/EventFilter.ts"
import type { FacetQuery, FacetsFound } from "./facet/Facets.ts"
import type { InboxRow } from "./Inbox.ts"
import type { Occurrence } from "./Occurrence.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** One event of the log, with what reading needs. */
export interface LogEntry {
  /** From 1; legacy events are below 1. */
  readonly sequence: number
  readonly id: string
  readonly createdAt: Micros
  /** Canonical JSON; null once retention or erasure removed it. */
  readonly content: string | null
  /** Lower-case hexadecimal. This and the next are null for legacy events. */
  readonly eventHash: string | null
  readonly previousEventHash: string | null
  /** Lower-case hexadecimal; null if the content is null, and for legacy events. */
  readonly salt: string | null
  /** Null for legacy events. */
  readonly contentHash: string | null
}

/** Where a workspace's chain ends. */
export interface Head {
  /** 0 before the first chained event. */
  readonly sequence: number
  /** The last event's hash; null before the first. */
  readonly eventHash: string | null
  /** The last event's id; null before the first. */
  readonly eventId: string | null
  /**
   * The last event's `created_at`, legacy events included, or the last microsecond of a period that was
   * closed since; 0 if there is neither. The next event gets a later time.
   */
  readonly createdAt: Micros
  /** The legacy events before the chain; null if there are none. */
  readonly legacy: LegacySummary | null
}

/** Where the chain of an empty log ends. */
export const EMPTY_HEAD: Head = { sequence: 0, eventHash: null, eventId: null, createdAt: 0, legacy: null }

/** What the chain's first event commits to about the events before it. */
export interface LegacySummary {
  readonly count: number
  /** Hashes of the compact Merkle frontier over their leaves, see `MerkleFrontier`. */
  readonly frontier: ReadonlyArray<string>
}

/** The events that the sequencer made from inbox rows. */
export interface Append {
  readonly events: ReadonlyArray<LogEntry>
  /** The head after them. */
  readonly head: Head
}

/** One workspace's part in an `append`. */
export interface AppendRequest {
  readonly workspaceId: string
  /** Makes events of the oldest inbox rows. `now` is the store's time. */
  readonly chain: (head: Head, rows: ReadonlyArray<InboxRow>, now: Micros) => Append
}

/** What an `append` did for one workspace. */
export interface Appended {
  /** Events appended. */
  readonly count: number
  /** Whether more rows were waiting. */
  readonly more: boolean
}

/**
 * An append ends once its rows, of all its workspaces, have this many characters (on PostgreSQL, bytes), so
 * that no lock is held for long if events are large. A row is never split, so an append may have more.
 */
export const ENOUGH_TO_APPEND = 1_048_576

/** Most workspaces of one append: each has pages of its own, which the transaction keeps in memory. */
export const MOST_WORKSPACES = 250

/** The workspace's log already has chained events, so history can no longer be imported before them. */
export class ChainStarted extends Schema.TaggedError<ChainStarted>()("ChainStarted", {
  workspaceId: Schema.String,
  /** Events in the chain. */
  sequence: Schema.Number
}) {}

/** One page of a list, newest first. */
export interface PageRequest {
  readonly filter: EventFilter
  /** Only events recorded before this time. */
  readonly before: Micros | null
  readonly limit: number
}

/** A range of sequences, both ends included. */
export interface SequenceRange {
  readonly from: number
  readonly to: number
}

/** Places to read, from one end of the order on. */
export interface OccurrenceRequest {
  /** Its times compare with when events occurred. */
  readonly filter: EventFilter
  /** Only events of this range. */
  readonly range: SequenceRange
  readonly first: "newest" | "oldest"
  /** Only places beyond this one. */
  readonly beyond: Occurrence | null
  readonly limit: number
}

/** What to count by when it occurred. */
export interface OccurrenceCounts {
  /** Its times compare with when events occurred. */
  readonly filter: EventFilter
  /** Only events of this range. */
  readonly range: SequenceRange
  /** The length of the buckets, of which one begins at the epoch; null for one that has all. */
  readonly bucket: Micros | null
}

/** The events whose values of a field are counted: the newest by when they occurred. */
export interface OccurrenceFacets extends FacetQuery {
  /** Its times compare with when events occurred. */
  readonly filter: EventFilter
  /** Only events of this range. */
  readonly range: SequenceRange
}

/**
 * Contract:
 *
 * - `append` takes its workspaces in the order given, and as many of them as the store commits together: at
 *   least the first, none after {@link MOST_WORKSPACES}, and none whose rows would make the append larger
 *   than it may be, which has its turn first in the next. It returns what it did for each of these; the
 *   others are as they were, and wait to be asked for again.
 * - For each workspace, it locks the head and calls `chain` with it and the oldest inbox rows. It then stores
 *   the events that `chain` returns, moves the head and removes the rows. A crash at any time leaves each
 *   event either in the inbox or in the log: readers never see it in both or in neither. Any other append to
 *   the same workspace, in any process, waits or finds nothing to do: the chain never forks. `chain` must
 *   have no effects; it may run again after a failure, and for a workspace that this append then leaves out.
 *   The time passed to it is the store's: that of the database server where there is one, so that processes
 *   whose clocks differ agree.
 * - A row that cannot be appended is parked, and holds up neither the others of its workspace nor those of
 *   another.
 * - The store itself rejects any change or deletion of an event.
 * - Reads are limited by size: `entries` ends with the event that reaches `ENOUGH_TO_READ`, and `page` with
 *   the event that reaches `ENOUGH_TO_LIST`, even if more were requested. `mayGoOn` says whether
 *   there may be more. If there is any event, the first one is always returned.
 * - Reads see whole appends only. `entries` reads one snapshot, and so does `hashes` unless an event is
 *   missing. `page` and `count` see the appends that there were when they began to read; of contents that are
 *   removed meanwhile they may see some.
 */
export interface EventLogShape {
  /**
   * Appends at most about `maxEvents` events, of rows of about {@link ENOUGH_TO_APPEND}, to the first of
   * these workspaces; a row is never split. The result has one element for each workspace that had its turn,
   * in their order: at least one, if any was given.
   */
  readonly append: (
    requests: ReadonlyArray<AppendRequest>,
    maxEvents: number
  ) => Effect.Effect<ReadonlyArray<Appended>, StorageUnavailable>
  /** Workspaces with rows in the inbox. */
  readonly waiting: Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  /**
   * Workspaces whose log cannot be reached now although the store answers for others: the logs may be spread
   * over several machines, and one of them may be away. Loops over all workspaces leave them out.
   */
  readonly unreachable: Effect.Effect<ReadonlySet<string>, StorageUnavailable>
  /** Stores legacy events below the chain, which must not have begun. Their hashes are null. */
  readonly importLegacy: (
    workspaceId: string,
    legacy: (head: Head) => Append
  ) => Effect.Effect<void, ChainStarted | StorageUnavailable>
  readonly head: (workspaceId: string) => Effect.Effect<Head, StorageUnavailable>
  /** The latest `createdAt` of all heads; 0 without one. Costs as much as there are workspaces. */
  readonly newestTime: Effect.Effect<Micros, StorageUnavailable>
  /**
   * The head, for a verification: none if somebody removed it or replaced it with something that is not a
   * head.
   */
  readonly storedHead: (workspaceId: string) => Effect.Effect<Option.Option<Head>, StorageUnavailable>
  readonly get: (
    workspaceId: string,
    eventId: string
  ) => Effect.Effect<Option.Option<LogEntry>, StorageUnavailable>
  /** Newest first. */
  readonly page: (
    workspaceId: string,
    request: PageRequest
  ) => Effect.Effect<ReadonlyArray<LogEntry>, StorageUnavailable>
  /**
   * The times at which the events of such a page were recorded, newest first. It reads as few contents as
   * possible and keeps none, so `limit` may be as large as the log.
   */
  readonly moments: (
    workspaceId: string,
    request: PageRequest
  ) => Effect.Effect<ReadonlyArray<Micros>, StorageUnavailable>
  /** How many events within `range` satisfy the filter, including its time bounds. */
  readonly count: (
    workspaceId: string,
    filter: EventFilter,
    range: SequenceRange
  ) => Effect.Effect<number, StorageUnavailable>
  /**
   * The most frequent values of a field among the newest events that the filter selects, with its time
   * bounds. Counts are exact for the events that were looked at: fewer than asked for where finding them
   * takes long, and then it is not complete.
   */
  readonly facets: (
    workspaceId: string,
    filter: EventFilter,
    query: FacetQuery
  ) => Effect.Effect<FacetsFound, StorageUnavailable>
  /**
   * The places, in the order of occurrence, of the events that a filter selects. It keeps no contents, so
   * `limit` may be large. An event that is appended meanwhile may be among them, and none is twice.
   */
  readonly occurrences: (
    workspaceId: string,
    request: OccurrenceRequest
  ) => Effect.Effect<ReadonlyArray<Occurrence>, StorageUnavailable>
  /** How many events that a filter selects occurred in each bucket that has some. */
  readonly occurrenceCounts: (
    workspaceId: string,
    request: OccurrenceCounts
  ) => Effect.Effect<ReadonlyMap<number, number>, StorageUnavailable>
  /**
   * The same as `facets` of the newest events by when they occurred. Labels are the names that were recorded
   * last, in this order, too.
   */
  readonly occurrenceFacets: (
    workspaceId: string,
    request: OccurrenceFacets
  ) => Effect.Effect<FacetsFound, StorageUnavailable>
  /**
   * The events with some sequences, in the order of these, up to the one that reaches `ENOUGH_TO_LIST`.
   * Events without content are left out.
   */
  readonly entriesOf: (
    workspaceId: string,
    sequences: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<LogEntry>, StorageUnavailable>
  /**
   * The events from sequence `from` on, oldest first, at most `limit`. Events whose content was removed are
   * included.
   */
  readonly entries: (
    workspaceId: string,
    from: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<LogEntry>, StorageUnavailable>
  /**
   * The hashes of the events from sequence `from`, at least 1, to `to`, in order, up to the first missing
   * event. An event without a hash has an empty text. Reads no contents.
   */
  readonly hashes: (
    workspaceId: string,
    from: number,
    to: number
  ) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  /** The sequence of the first event recorded at or after `micros`; null if there is none. */
  readonly sequenceAt: (
    workspaceId: string,
    micros: Micros
  ) => Effect.Effect<number | null, StorageUnavailable>
  /**
   * The highest sequence among the last `among` events, by time, that were recorded before `micros`; null if
   * there are none. In a log that was tampered with, the last event by time may not be the last by sequence.
   */
  readonly sequenceBefore: (
    workspaceId: string,
    micros: Micros,
    among: number
  ) => Effect.Effect<number | null, StorageUnavailable>
}

/** The sequence of a workspace's first legacy event: far enough below 1 for any history. */
export const FIRST_LEGACY_SEQUENCE = -(2 ** 35)

/** The log. */
export class EventLog extends Context.Service<EventLog, EventLogShape>()("@cairn/core/EventLog") {}
