/** What a database stores of the order of occurrence, see `FrameOccurrences` of the core. */
import type { Micros } from "@cairn/core/encoding"
import type { Effect } from "effect"
import type { SqlError } from "effect/sql"

/** How far events are apart that are looked at together. */
export interface OccurrenceSpan {
  /** The lowest sequence. */
  readonly first: number
  /** When the first of them in the order of occurrence occurred. */
  readonly earliest: Micros.Micros
  readonly latest: Micros.Micros
}

/** The events of a complete group. */
export interface GroupSpan extends OccurrenceSpan {
  readonly group: number
  /** The highest sequence. */
  readonly last: number
  /** How many there are. */
  readonly events: number
}

/** The order of a complete group. */
export interface StoredOrder {
  readonly group: number
  /** Compressed. */
  readonly blob: Uint8Array
}

/** The events of a frame whose group is not complete. */
export interface FrameSpan extends OccurrenceSpan {
  readonly number: number
}

/** When the first and the last event of a frame occurred. */
export type FrameMoments = Pick<FrameSpan, "number" | "earliest" | "latest">

type Answer<A> = Effect.Effect<A, SqlError.SqlError>

/**
 * Reads, and within a transaction writes, in which order the events of groups occurred. A group of which
 * nothing is left has no row.
 */
export interface OccurrenceStore {
  /** Complete groups, in their order. */
  readonly groupSpans: (workspace: number) => Answer<ReadonlyArray<GroupSpan>>
  /** Frames from a number on, in their order. */
  readonly frameSpans: (workspace: number, low: number) => Answer<ReadonlyArray<FrameSpan>>
  readonly orders: (workspace: number, groups: ReadonlyArray<number>) => Answer<ReadonlyArray<StoredOrder>>
  readonly writeOrder: (workspace: number, order: GroupSpan & StoredOrder) => Answer<unknown>
  readonly dropOrder: (workspace: number, group: number) => Answer<unknown>
  /** Replaces the moments of a frame. */
  readonly writeMoments: (workspace: number, frame: FrameMoments) => Answer<unknown>
}
