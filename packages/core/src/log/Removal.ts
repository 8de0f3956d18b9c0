/**
 * Removal of contents, as the log itself records it. A content is removed when its retention ends or when
 * privacy law requires it. The header stays, and a chained event records that the content was removed.
 * Without such an event, a missing content counts as tampering.
 *
 * | action | metadata | contents that may be missing |
 * |---|---|---|
 * | `cairn.retention.applied` | `{"below_sequence": n, "from_sequence": a, "kept": [k]}` | a to n - 1, no k |
 * | `cairn.retention.applied` | `{"below_sequence": n}`, the older form | all below n |
 * | `cairn.event.erased` | `{"sequences": [n, …]}` | these |
 *
 * Only Cairn can write these actions. Other members of the metadata, such as a reason, are ignored here.
 */
import type { EventContent } from "../event/EventContent.ts"

/** Action of the event that records that retention has removed contents. */
export const RETENTION_APPLIED = "cairn.retention.applied"

/**
 * The prefix of all actions that record retention: its application, and each change of how long contents are
 * kept.
 */
export const RETENTION_PREFIX = "cairn.retention."

/** The same as a filter of a list. */
export const RETENTION_RECORDS = `${RETENTION_PREFIX}*`

/** Action of the event that records an erasure. */
export const EVENT_ERASED = "cairn.event.erased"

/** Sequences whose contents retention has removed, with exceptions. */
export interface RetentionInterval {
  /** The first sequence. */
  readonly fromSequence: number
  /** The first sequence after them. */
  readonly belowSequence: number
  /** The exceptions, ascending: their contents stay. */
  readonly kept: ReadonlyArray<number>
}

/**
 * Application of retention. In the older form `kept` is null: the record covers everything from the beginning
 * of the log and does not name exceptions.
 */
export type RetentionRemoval = { readonly type: "retention" } & (
  | RetentionInterval
  | (Omit<RetentionInterval, "kept"> & { readonly kept: null })
)

/** A removal, as a chained event records it. */
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

/**
 * The removal that `content` records; `undefined` for any other event, and for metadata without a valid
 * record.
 */
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
