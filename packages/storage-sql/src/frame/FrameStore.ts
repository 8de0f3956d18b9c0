/** What a database stores of the index over events: blobs, which the core makes and reads. */
import type { Micros } from "@cairn/core/encoding"
import { FRAME_EVENTS, type SequenceRange } from "@cairn/core/log"
import { Context, type Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { FrameSpan, OccurrenceStore } from "./OccurrenceStore.ts"

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

/** The texts of a frame as they are stored. */
export interface StoredTexts extends FrameStart {
  /** Compressed. */
  readonly texts: Uint8Array
}

/** The columns of a frame as they are stored, until the postings of its group have them. */
export interface StoredColumns extends FrameStart {
  /** The time that its own count from. */
  readonly since: Micros.Micros
  /** Compressed; null once the group is complete. */
  readonly columns: Uint8Array | null
}

/** The signature of a frame; null once its group is complete. */
export interface StoredSignature {
  readonly number: number
  readonly signature: Uint8Array | null
}

/** A frame of a group that is not complete. */
export interface NewFrame extends StoredTexts, StoredColumns, StoredSignature, FrameSpan {}

/** A part of a group. */
export interface StoredPart {
  readonly index: number
  readonly cells: Uint8Array
}

/** Postings of a group, by the number of their blob. */
export interface StoredPostings {
  readonly group: number
  readonly number: number
  readonly blob: Uint8Array
}

/** Groups by their numbers, both included. */
export interface GroupRange {
  readonly low: number
  readonly high: number
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
export interface FrameStore extends OccurrenceStore {
  readonly position: (workspace: number) => Answer<FramePosition>
  readonly positions: Answer<ReadonlyArray<LogPosition>>
  /** The frames that may hold events of a range; undefined if none does. */
  readonly within: (workspace: number, range: SequenceRange) => Answer<FrameRange | undefined>
  /** Parts of a group that is complete, which has all of them. */
  readonly parts: (
    workspace: number,
    group: number,
    indexes: ReadonlyArray<number>
  ) => Answer<ReadonlyArray<StoredPart>>
  /** The signatures of frames, in their order. */
  readonly signatures: (workspace: number, range: FrameRange) => Answer<ReadonlyArray<StoredSignature>>
  readonly neighbours: (workspace: number, number: number) => Answer<FrameNeighbours>
  /** Where the frames of a range begin. */
  readonly starts: (workspace: number, range: FrameRange) => Answer<ReadonlyArray<FrameStart>>
  readonly texts: (workspace: number, numbers: ReadonlyArray<number>) => Answer<ReadonlyArray<StoredTexts>>
  /** The columns of frames, in their order. */
  readonly columns: (workspace: number, range: FrameRange) => Answer<ReadonlyArray<StoredColumns>>
  /** Postings of complete groups. One that is not stored has no value. */
  readonly postings: (
    workspace: number,
    groups: GroupRange,
    numbers: ReadonlyArray<number>
  ) => Answer<ReadonlyArray<StoredPostings>>
  readonly writeFrame: (workspace: number, frame: NewFrame) => Answer<unknown>
  /** Replaces the texts of a frame whose group is complete. */
  readonly writeTexts: (workspace: number, frame: StoredTexts) => Answer<unknown>
  readonly dropFrame: (workspace: number, number: number) => Answer<unknown>
  readonly writeParts: (workspace: number, group: number, parts: ReadonlyArray<StoredPart>) => Answer<unknown>
  readonly writePostings: (workspace: number, postings: ReadonlyArray<StoredPostings>) => Answer<unknown>
  readonly dropPostings: (workspace: number, group: number, numbers: ReadonlyArray<number>) => Answer<unknown>
  /** Drops what the parts and postings of a group are made from. */
  readonly closeGroup: (workspace: number, group: number) => Answer<unknown>
}
