/** Port: the append-only log, the only truth about what happened in a workspace. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { EventFilter } from "../event/EventFilter.ts"
import type { FilterColumns } from "../event/FilterColumns.ts"
import type { InboxRow } from "./Inbox.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** One event of the log, as reading needs it. */
export interface LogEntry {
  /** From 1; legacy events stand below 1. */
  readonly sequence: number
  readonly id: string
  readonly createdAt: Micros
  /** Canonical JSON; null once retention or erasure removed it. */
  readonly content: string | null
  /** Lower-case hexadecimal; null for legacy events, as the next. */
  readonly eventHash: string | null
  readonly previousEventHash: string | null
}

/** One event with all that is stored beside it. */
export interface StoredEvent extends LogEntry {
  /** Lower-case hexadecimal; null with the content. */
  readonly salt: string | null
  /** Null for legacy events. */
  readonly contentHash: string | null
  readonly columns: FilterColumns
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
   * The last event's `created_at`, legacy events included, or the last microsecond of the period that was
   * closed since; 0 when there is neither. What comes next is dated later.
   */
  readonly createdAt: Micros
  /** The legacy events before the chain; null when there are none. */
  readonly legacy: LegacySummary | null
}

/** Where the chain of an empty log ends. */
export const EMPTY_HEAD: Head = { sequence: 0, eventHash: null, eventId: null, createdAt: 0, legacy: null }

/** What the chain's first event commits to of the events before it. */
export interface LegacySummary {
  readonly count: number
  /** Hashes of the compact Merkle frontier over their leaves, see `MerkleFrontier`. */
  readonly frontier: ReadonlyArray<string>
}

/** What the sequencer made of the rows it was given. */
export interface Append {
  readonly events: ReadonlyArray<StoredEvent>
  /** The head after them. */
  readonly head: Head
}

/** How far an `append` came. */
export interface Appended {
  /** Events appended. */
  readonly count: number
  /** Whether more rows were waiting. */
  readonly more: boolean
}

/**
 * Characters of waiting rows (on PostgreSQL bytes) with which an append is complete, so that no lock is held
 * for long where events are large. A row is never split, so one may have more.
 */
export const ENOUGH_TO_APPEND = 1_048_576

/** The workspace's log already has chained events, so nothing can come before them. */
export class ChainStarted extends Schema.TaggedError<ChainStarted>()("ChainStarted", {
  workspaceId: Schema.String,
  /** Events in the chain. */
  sequence: Schema.Number
}) {}

/** One page of a list, newest first. */
export interface PageRequest {
  readonly filter: EventFilter
  /** Only events recorded before this moment. */
  readonly before: Micros | null
  readonly limit: number
}

/** A range of sequences, both ends included. */
export interface SequenceRange {
  readonly from: number
  readonly to: number
}

/**
 * Contract:
 *
 * - `append` takes the workspace's head for itself, hands it to `chain` with the oldest inbox rows, and
 *   stores what comes back, moves the head and removes the rows, so that a crash at any moment leaves each
 *   event in the inbox or in the log, never in both as seen from outside and never in neither. Whoever else
 *   appends to the same workspace waits or finds nothing to do, in whatever process: the chain never forks.
 *   `chain` must be free of effects; it may run again after a failure. The time it is given is the store's:
 *   that of the database server where there is one, so that processes whose clocks differ agree. Where it
 *   answers undefined nothing is appended, and everything is as it was.
 * - The store itself refuses to change or delete an event.
 * - No reading takes more contents than it must: `entries` and `scan` end with the event with which they have
 *   `ENOUGH_TO_READ`, `page` with the one with which it has `ENOUGH_TO_LIST`, however many more were asked
 *   for; whether there may be more says `mayGoOn`. A first one they have always, if there is one.
 * - Reads see whole appends only. `page`, `count`, `entries` and `scan` answer from one snapshot each, and
 *   `hashes` does unless an event is missing.
 */
export interface EventLogShape {
  /**
   * Appends at most about `maxEvents` events, of rows of about {@link ENOUGH_TO_APPEND}; a row is never
   * split.
   */
  readonly append: (
    workspaceId: string,
    maxEvents: number,
    chain: (head: Head, rows: ReadonlyArray<InboxRow>, now: Micros) => Append | undefined
  ) => Effect.Effect<Appended, StorageUnavailable>
  /** Workspaces with rows in the inbox. */
  readonly waiting: Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  /** Stores legacy events below the chain, which must not have begun. Their hashes are null. */
  readonly importLegacy: (
    workspaceId: string,
    legacy: (head: Head) => Append
  ) => Effect.Effect<void, ChainStarted | StorageUnavailable>
  readonly head: (workspaceId: string) => Effect.Effect<Head, StorageUnavailable>
  /**
   * The head for whoever verifies the log: none where somebody took it away, or left in its place what is
   * none.
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
   * When the events of such a page were recorded, newest first. It reads no more contents than it must and
   * keeps none, so that `limit` may be as large as the log.
   */
  readonly moments: (
    workspaceId: string,
    request: PageRequest
  ) => Effect.Effect<ReadonlyArray<Micros>, StorageUnavailable>
  /** How many events within `range` satisfy the filter, whose time bounds hold too. */
  readonly count: (
    workspaceId: string,
    filter: EventFilter,
    range: SequenceRange
  ) => Effect.Effect<number, StorageUnavailable>
  /**
   * The events from sequence `from` on, oldest first, at most `limit`; those whose content was removed too.
   */
  readonly entries: (
    workspaceId: string,
    from: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<LogEntry>, StorageUnavailable>
  /**
   * The same with all that is stored beside them, for about twice the time: for whoever verifies or moves the
   * log.
   */
  readonly scan: (
    workspaceId: string,
    from: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<StoredEvent>, StorageUnavailable>
  /**
   * The hashes of the events from sequence `from`, 1 or later, to `to`, in their order, up to the first that
   * is missing; an empty text where there is none. It reads no contents.
   */
  readonly hashes: (
    workspaceId: string,
    from: number,
    to: number
  ) => Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
  /** The sequence of the first event recorded at or after `micros`; null when there is none. */
  readonly sequenceAt: (
    workspaceId: string,
    micros: Micros
  ) => Effect.Effect<number | null, StorageUnavailable>
  /**
   * The highest sequence of the last `among` events, by time, that were recorded before `micros`; null when
   * there is none. In a log that was tampered with the last one by time may not be the last by sequence.
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
