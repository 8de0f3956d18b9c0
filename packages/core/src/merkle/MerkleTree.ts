/**
 * The Merkle tree over event hashes (RFC 6962 section 2.1, RFC 9162 section 2.1): SHA-256, `0x00` before a
 * leaf, `0x01` before two nodes, an odd last node carried up unchanged and never doubled, and for the empty
 * tree the SHA-256 of no bytes.
 *
 * ```
 * MTH({})  = SHA-256()
 * MTH({d}) = SHA-256(0x00 ‖ d)
 * MTH(D_n) = SHA-256(0x01 ‖ MTH(D[0:k]) ‖ MTH(D[k:n]))    k the largest power of two smaller than n
 * ```
 *
 * A leaf's data are the 32 raw bytes of an event hash.
 */
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { appendLeaves, emptyFrontier, frontierRoot } from "./MerkleFrontier.ts"

/**
 * The root of the tree over some leaves' data: `MTH(D_n)`, RFC 9162 section 2.1.1.
 *
 * Costs 2n − 1 SHA-256 and keeps log₂ n hashes. The leaves may be produced one by one in one reused buffer.
 */
export const merkleRoot = (sha256: Sha256Shape, leaves: Iterable<Uint8Array>): Uint8Array =>
  frontierRoot(sha256, appendLeaves(sha256, emptyFrontier, leaves))
