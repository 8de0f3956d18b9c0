/**
 * A recorded end of a log that the log no longer has: the log was cut off, or continues differently. A
 * checkpoint up to there may be in somebody's hands, so that size counts as signed, and the log is not signed
 * until the operator accepts the loss.
 */
import { acceptedUpTo, type SignedSize, UNKNOWN_ROOT } from "./SignedMemory.ts"

/** Where a log ended at an earlier time. */
export interface SeenEnd {
  /** The last event's sequence, from 1. */
  readonly sequence: number
  /** Its hash; null if it is not known. */
  readonly eventHash: string | null
}

/** The signed state of a log extended by a lost end; unchanged if it is at least as large. */
export const withLostEnd = (before: SignedSize | undefined, { sequence, eventHash }: SeenEnd): SignedSize =>
  before !== undefined && before.size >= sequence
    ? before
    : {
        size: sequence,
        root: UNKNOWN_ROOT,
        event_hash: eventHash,
        furthest: Math.max(sequence, before?.furthest ?? 0),
        lost: false,
        lost_up_to: acceptedUpTo(before)
      }

/** Whether a signed state is a lost end, for which a checkpoint may or may not have been signed. */
export const isLostEnd = ({ root }: Pick<SignedSize, "root">): boolean => root === UNKNOWN_ROOT

/**
 * The signed state of a log whose lost end is there again: nothing, or the loss that was accepted before.
 */
export const withoutLostEnd = (signed: SignedSize): SignedSize | undefined => {
  const size = acceptedUpTo(signed)
  return size === 0 ? undefined : { size, root: UNKNOWN_ROOT, event_hash: null, furthest: size, lost: true }
}
