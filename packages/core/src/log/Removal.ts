/**
 * Removal of contents, as the log itself records it. A content goes when its retention ends or when privacy
 * law asks for it; the header stays, and a chained event says that the content was removed. Without such an
 * event a missing content was tampered with.
 *
 * | action | metadata | contents that may be missing |
 * |---|---|---|
 * | `cairn.retention.applied` | `{"below_sequence": n, "from_sequence": a, "kept": [k]}` | a to n - 1, no k |
 * | `cairn.retention.applied` | `{"below_sequence": n}`, the older form | all below n |
 * | `cairn.event.erased` | `{"sequences": [n, …]}` | these |
 *
 * Nobody but Cairn can write these actions. Further members of the metadata, such as a reason, mean nothing
 * here.
 */
import type { EventContent } from "../event/EventContent.ts"

/** Action of the event that records that retention has removed contents. */
export const RETENTION_APPLIED = "cairn.retention.applied"

/**
 * What the actions of all records of retention begin with: of its application, and of each change of what is
 * kept how long.
 */
export const RETENTION_PREFIX = "cairn.retention."

/** The same, as the filter of a list has it. */
export const RETENTION_RECORDS = `${RETENTION_PREFIX}*`

/** Action of the event that records an erasure. */
export const EVENT_ERASED = "cairn.event.erased"

/** Sequences of which retention has removed the contents, but for some that stay. */
export interface RetentionInterval {
  /** The first of them. */
  readonly fromSequence: number
  /** The first above them. */
  readonly belowSequence: number
  /** Those within that it says nothing of, ascending: their contents stay. */
  readonly kept: ReadonlyArray<number>
}

/**
 * Application of retention. In the older form `kept` is null: it goes back to the beginning, and says nothing
 * of what it left.
 */
export type RetentionRemoval = { readonly type: "retention" } & (
  | RetentionInterval
  | (Omit<RetentionInterval, "kept"> & { readonly kept: null })
)

/** What a chained event says was removed. */
export type Removal =
  | RetentionRemoval
  | { readonly type: "erasure"; readonly sequences: ReadonlyArray<number> }

type Metadata = NonNullable<EventContent["metadata"]>

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)

const retentionOf = (metadata: Metadata): RetentionRemoval | undefined => {
  const { below_sequence: below, from_sequence: from, kept } = metadata
  if (!isWhole(below)) return undefined
  if (from === undefined && kept === undefined) {
    return { type: "retention", fromSequence: Number.NEGATIVE_INFINITY, belowSequence: below, kept: null }
  }
  if (!isWhole(from) || from > below || !Array.isArray(kept)) return undefined
  let before = from - 1
  for (const sequence of kept as ReadonlyArray<unknown>) {
    if (!isWhole(sequence) || sequence <= before || sequence >= below) return undefined
    before = sequence
  }
  return { type: "retention", fromSequence: from, belowSequence: below, kept }
}

/** What `content` records as removed; `undefined` for any other event, and for metadata that say nothing. */
export const removalOf = ({
  action,
  metadata
}: Pick<EventContent, "action" | "metadata">): Removal | undefined => {
  if (metadata === null) return undefined
  if (action === RETENTION_APPLIED) return retentionOf(metadata)
  if (action !== EVENT_ERASED) return undefined
  const { sequences } = metadata
  return Array.isArray(sequences) && sequences.every(isWhole) ? { type: "erasure", sequences } : undefined
}
