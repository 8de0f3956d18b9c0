/** What a database stores of the search index: blobs, which the core makes and reads. */
import { FRAME_EVENTS, type SequenceRange } from "@cairn/core/log"
import { Context, type Effect } from "effect"
import type { SqlError } from "effect/sql"

/** Events of a frame; fewer in tests, so that a short log has many frames. */
export const FrameEvents = Context.Reference<number>("@cairn/storage-sql/FrameEvents", {
  defaultValue: () => FRAME_EVENTS
})

/** How far the index of a log has come. */
export interface FramePosition {
  /** The last sequence that a frame covers; events after it are read one by one. */
  readonly sequence: number
  /** Frames written so far; the next one has this number. */
  readonly frames: number
}

/** The position of one log among all. */
export interface LogPosition extends FramePosition {
  readonly workspace: number
}

/** Where a frame begins. */
export interface FrameStart {
  readonly number: number
  /** The sequence that its own count from. */
  readonly first: number
}

/** The nearest frames below and above a number that have a row. */
export interface FrameNeighbours {
  readonly before: FrameStart | undefined
  readonly after: FrameStart | undefined
}

/** A frame as it is stored. */
export interface StoredFrame extends FrameStart {
  /** Compressed. */
  readonly blob: Uint8Array
}

/** The signature of a frame; null once the parts of its group have it. */
export interface StoredSignature {
  readonly number: number
  readonly signature: Uint8Array | null
}

/** A part of a group. */
export interface StoredPart {
  readonly index: number
  readonly cells: Uint8Array
}

/** Frames by their numbers, both included. */
export interface FrameRange {
  readonly low: number
  readonly high: number
}

type Answer<A> = Effect.Effect<A, SqlError.SqlError>

/**
 * Reads, and within a transaction writes, the frames of a log. A frame of which nothing is left has no row.
 */
export interface FrameStore {
  readonly position: (workspace: number) => Answer<FramePosition>
  readonly positions: Answer<ReadonlyArray<LogPosition>>
  /** The frames that may hold events of a range; undefined if none does. */
  readonly within: (workspace: number, range: SequenceRange) => Answer<FrameRange | undefined>
  /** Parts of a group that is complete; one that is not stored has no bit set. */
  readonly parts: (
    workspace: number,
    group: number,
    indexes: ReadonlyArray<number>
  ) => Answer<ReadonlyArray<StoredPart>>
  /** The signatures of frames, in their order. */
  readonly signatures: (workspace: number, range: FrameRange) => Answer<ReadonlyArray<StoredSignature>>
  readonly neighbours: (workspace: number, number: number) => Answer<FrameNeighbours>
  readonly frames: (workspace: number, numbers: ReadonlyArray<number>) => Answer<ReadonlyArray<StoredFrame>>
  readonly writeFrame: (
    workspace: number,
    frame: StoredFrame,
    signature: Uint8Array | null
  ) => Answer<unknown>
  readonly dropFrame: (workspace: number, number: number) => Answer<unknown>
  /** Stores parts of a group, and drops the signatures of its frames. */
  readonly writeParts: (workspace: number, group: number, parts: ReadonlyArray<StoredPart>) => Answer<unknown>
}
