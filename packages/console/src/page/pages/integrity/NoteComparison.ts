/**
 * Two checkpoints of a log held against each other, in the browser: whether the log of the later one begins
 * with the log of the earlier one, by a proof (RFC 9162 section 2.1.4) from which both roots are computed.
 * Signatures are not checked here.
 */

import type { components } from "@cairn/client/session"
import { portableSha256, toHex } from "@cairn/core/hashing"
import { hashFromHex, verifyConsistency } from "@cairn/core/merkle"
import type { Checkpoint } from "@cairn/core/note"
import { Result } from "effect"

/** What the proof of two sizes is asked for with. */
export interface Sizes {
  readonly from: number
  readonly to: number
}

/** What two checkpoints say of the log. */
export type Comparison =
  /** The later log begins with the earlier one. */
  | { readonly kind: "grown"; readonly from: number; readonly to: number; readonly hashes: number }
  /** They are about the same log. */
  | { readonly kind: "same"; readonly size: number }
  /** The later log does not begin with the earlier one. */
  | { readonly kind: "changed"; readonly from: number; readonly to: number }
  /** The log has fewer events now than one of them says. */
  | { readonly kind: "cut"; readonly size: number; readonly now: number }
  /** They have the same size and different roots. */
  | { readonly kind: "split"; readonly size: number }
  | { readonly kind: "otherLog"; readonly origin: string }
  /** One of them is about an empty log, with which every log begins. */
  | { readonly kind: "nothing" }

const isWhole = (
  earlier: Checkpoint,
  later: Checkpoint,
  { hashes }: components["schemas"]["Consistency"]
): boolean =>
  Result.isSuccess(
    Result.flatMap(Result.all(hashes.map((hash) => hashFromHex(hash, "proof"))), (path) =>
      verifyConsistency(portableSha256, earlier.root, later.root, {
        firstSize: earlier.size,
        secondSize: later.size,
        hashes: path
      })
    )
  )

/**
 * Compares two checkpoints in either order. `now` is how many events the log has; `prove` asks the service
 * for the proof between two sizes.
 */
export const compareNotes = async (
  one: Checkpoint,
  other: Checkpoint,
  now: number,
  prove: (sizes: Sizes) => Promise<components["schemas"]["Consistency"]>
): Promise<Comparison> => {
  const [earlier, later] = one.size <= other.size ? [one, other] : [other, one]
  if (earlier.origin !== later.origin) return { kind: "otherLog", origin: one.origin }
  const [from, to] = [earlier.size, later.size]
  if (from === 0) return { kind: "nothing" }
  if (from === to) {
    return { kind: toHex(earlier.root) === toHex(later.root) ? "same" : "split", size: from }
  }
  if (to > now) return { kind: "cut", size: to, now }
  const proof = await prove({ from, to })
  return isWhole(earlier, later, proof)
    ? { kind: "grown", from, to, hashes: proof.hashes.length }
    : { kind: "changed", from, to }
}
