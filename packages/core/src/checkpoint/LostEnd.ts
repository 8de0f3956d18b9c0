/**
 * An end of a log that something remembers and the log does not hold: it was cut off, or the log goes on
 * otherwise. Whatever was signed up to there may be in somebody's hands, so it is remembered as signed, and
 * the log is not signed until the operator accepts the loss.
 */
import { type SignedSize, UNKNOWN_ROOT } from "./SignedMemory.ts"

/** Where a log ended once. */
export interface SeenEnd {
  /** The last event's sequence, from 1. */
  readonly sequence: number
  /** Its hash; null when it is not known. */
  readonly eventHash: string | null
}

/** What is remembered to be signed of a log that does not hold an end; the same when that is as large. */
export const withLostEnd = (before: SignedSize | undefined, { sequence, eventHash }: SeenEnd): SignedSize =>
  before !== undefined && before.size >= sequence
    ? before
    : {
        size: sequence,
        root: UNKNOWN_ROOT,
        event_hash: eventHash,
        furthest: Math.max(sequence, before?.furthest ?? 0),
        lost: false
      }

/** Whether it is a lost end, for which a checkpoint may have been signed or not. */
export const isLostEnd = ({ root }: Pick<SignedSize, "root">): boolean => root === UNKNOWN_ROOT
