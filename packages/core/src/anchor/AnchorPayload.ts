/**
 * The payload of a transaction, and the hash that links one anchor to the next.
 *
 * ```
 * "cairn1" ‖ for each anchor: SHA-256(log id) ‖ merkle_root ‖ previous_anchor_hash     6 + 96 n bytes
 * ```
 *
 * A log's first anchor has 32 zero bytes instead of the hash of a predecessor. Anybody can read the root in a
 * block explorer.
 */
import { Result, Schema } from "effect"
import { toHex } from "../hashing/Randomness.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { HASH_BYTES } from "../hashing/Sha256.ts"
import { hashFromHex, type MalformedHash } from "../merkle/TreeHash.ts"
import type { Anchor } from "./AnchorView.ts"

/** The prefix of every payload: the format and its version. */
const MAGIC = new TextEncoder().encode("cairn1")

/** Bytes of one anchor: three hashes. */
const ENTRY_BYTES = 3 * HASH_BYTES

/** Most anchors of one transaction. */
export const MAX_ANCHORS_PER_TRANSACTION = 1_000

const ZEROS = "0".repeat(2 * HASH_BYTES)

/** One log's anchor within a payload; hashes are 64 lower-case hexadecimal characters. */
interface AnchorPayloadEntry {
  /** SHA-256 of the log id, see {@link logIdHash}. */
  readonly logIdHash: string
  readonly merkleRoot: string
  /** Null for a log's first anchor. */
  readonly previousAnchorHash: string | null
}

/** The bytes are no anchor payload. */
class MalformedAnchorPayload extends Schema.TaggedError<MalformedAnchorPayload>()("MalformedAnchorPayload", {
  reason: Schema.Literals(["not_cairn", "length"]),
  /** Bytes in all. */
  length: Schema.Number
}) {}

/** How a payload names a log: by the SHA-256 of its id, so that the chain does not reveal whose log it is. */
export const logIdHash = (sha256: Sha256Shape, logId: string): string => sha256.hex(logId)

/**
 * The hash by which an anchor names the one before it: SHA-256 of that anchor's `merkle_root` followed by its
 * `tx_hash`, both as the texts that the interface returns. An anchor that was never on a chain has no
 * `tx_hash`, which counts as the empty text.
 */
export const previousAnchorHash = (
  sha256: Sha256Shape,
  previous: Pick<Anchor, "merkle_root" | "tx_hash">
): string => sha256.hex(`${previous.merkle_root}${previous.tx_hash ?? ""}`)

/** The payload of some anchors, in order. */
export const anchorPayload = (
  entries: ReadonlyArray<AnchorPayloadEntry>
): Result.Result<Uint8Array, MalformedHash> =>
  Result.gen(function* () {
    const payload = new Uint8Array(MAGIC.length + entries.length * ENTRY_BYTES)
    payload.set(MAGIC)
    let at = MAGIC.length
    for (const [position, entry] of entries.entries()) {
      for (const hash of [entry.logIdHash, entry.merkleRoot, entry.previousAnchorHash ?? ZEROS]) {
        payload.set(yield* hashFromHex(hash, "root", position), at)
        at += HASH_BYTES
      }
    }
    return payload
  })

/** Reads a payload. Costs one pass. */
export const parseAnchorPayload = (
  data: Uint8Array
): Result.Result<ReadonlyArray<AnchorPayloadEntry>, MalformedAnchorPayload> => {
  const { length } = data
  if (!MAGIC.every((byte, index) => data[index] === byte)) {
    return Result.fail(new MalformedAnchorPayload({ reason: "not_cairn", length }))
  }
  if ((length - MAGIC.length) % ENTRY_BYTES !== 0) {
    return Result.fail(new MalformedAnchorPayload({ reason: "length", length }))
  }
  const entries: Array<AnchorPayloadEntry> = []
  for (let at = MAGIC.length; at < length; at += ENTRY_BYTES) {
    const hash = (index: number) =>
      toHex(data.subarray(at + index * HASH_BYTES, at + (index + 1) * HASH_BYTES))
    const previous = hash(2)
    entries.push({
      logIdHash: hash(0),
      merkleRoot: hash(1),
      previousAnchorHash: previous === ZEROS ? null : previous
    })
  }
  return Result.succeed(entries)
}
