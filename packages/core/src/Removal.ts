/**
 * Removal of contents, as the log itself records it. A content goes when its retention ends or when privacy law asks for it; the
 * header stays, and a chained event says that the content was removed. Without such an event a missing content was tampered with.
 *
 * | action | metadata | what may be missing |
 * |---|---|---|
 * | `cairn.retention.applied` | `{"below_sequence": n}` | every content below that sequence |
 * | `cairn.event.erased` | `{"sequences": [n, …]}` | the contents of these sequences |
 *
 * Nobody but Cairn can write these actions. Further members of the metadata, such as a reason, mean nothing here.
 */
import type { EventContent } from "./EventContent.ts"

/** Action of the event that records that retention has removed contents. */
export const RETENTION_APPLIED = "cairn.retention.applied"

/** What the actions of all records of retention begin with: of its application, and of each change of what is kept how long. */
export const RETENTION_PREFIX = "cairn.retention."

/** The same, as the filter of a list has it. */
export const RETENTION_RECORDS = `${RETENTION_PREFIX}*`

/** Action of the event that records an erasure. */
export const EVENT_ERASED = "cairn.event.erased"

/** What a chained event says was removed. */
export type Removal =
  | { readonly type: "retention"; readonly belowSequence: number }
  | { readonly type: "erasure"; readonly sequences: ReadonlyArray<number> }

/** What `content` records as removed; `undefined` for any other event, and for metadata that say nothing. */
export const removalOf = ({
  action,
  metadata
}: Pick<EventContent, "action" | "metadata">): Removal | undefined => {
  if (action === RETENTION_APPLIED) {
    const below = metadata?.below_sequence
    return Number.isSafeInteger(below) ? { type: "retention", belowSequence: Number(below) } : undefined
  }
  if (action !== EVENT_ERASED) return undefined
  const sequences = metadata?.sequences
  return Array.isArray(sequences) && sequences.every(Number.isSafeInteger)
    ? { type: "erasure", sequences: sequences.map(Number) }
    : undefined
}
