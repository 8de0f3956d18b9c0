/**
 * Proofs of inclusion as text (C2SP tlog-proof): an index, the hashes on the way to the root, and the
 * checkpoint they lead to, in a form that tools for other transparency logs read too.
 */
import { Result, Schema } from "effect"
import { decodeBase64, encodeBase64 } from "../encoding/StrictBase64.ts"
import { HASH_BYTES } from "../hashing/Sha256.ts"
import type { TreeHash } from "../merkle/TreeHash.ts"

/** The contents of such a text. */
export interface TlogProof {
  /** The leaf's index, from 0. */
  readonly index: number
  /** Siblings from the leaf up, 32 bytes each. */
  readonly hashes: ReadonlyArray<TreeHash>
  /** Data for the application, which is not authenticated; null if there is none. */
  readonly extra: Uint8Array | null
  /** The signed note, unchanged. */
  readonly checkpoint: string
}

/** The text is no such proof. The error names the part that is wrong. */
class MalformedTlogProof extends Schema.TaggedError<MalformedTlogProof>()("MalformedTlogProof", {
  part: Schema.Literals(["header", "extra", "index", "hash", "too_many_hashes", "checkpoint"])
}) {}

const HEADER = "c2sp.org/tlog-proof@v1"

/** No tree of up to 2^53 leaves has longer proofs. */
const MAX_HASHES = 53

/** Reads the text. The checkpoint in it is returned as text: `openCheckpoint` reads and verifies it. */
export const parseTlogProof = (text: string): Result.Result<TlogProof, MalformedTlogProof> => {
  const refuse = (part: MalformedTlogProof["part"]) => Result.fail(new MalformedTlogProof({ part }))
  const blank = text.indexOf("\n\n")
  if (!text.startsWith(`${HEADER}\n`)) return refuse("header")
  if (blank < 0 || blank + 2 === text.length) return refuse("checkpoint")
  const lines = text.slice(HEADER.length + 1, Math.max(blank, HEADER.length + 1)).split("\n")
  const extraText = lines[0]?.startsWith("extra ") ? lines.shift()?.slice("extra ".length) : undefined
  const extra = extraText === undefined ? null : decodeBase64(extraText)
  if (extra === undefined) return refuse("extra")
  const [, indexText] = /^index (0|[1-9]\d{0,15})$/.exec(lines.shift() ?? "") ?? []
  const index = Number(indexText)
  if (!Number.isSafeInteger(index)) return refuse("index")
  if (lines.length > MAX_HASHES) return refuse("too_many_hashes")
  const hashes: Array<TreeHash> = []
  for (const line of lines) {
    const hash = decodeBase64(line)
    if (hash === undefined || hash.length !== HASH_BYTES) return refuse("hash")
    hashes.push(hash)
  }
  return Result.succeed({ index, hashes, extra, checkpoint: text.slice(blank + 2) })
}

/** The proof as text; {@link parseTlogProof} reads it back. */
export const formatTlogProof = ({ index, hashes, extra, checkpoint }: TlogProof): string =>
  [
    HEADER,
    ...(extra === null ? [] : [`extra ${encodeBase64(extra)}`]),
    `index ${index}`,
    ...hashes.map(encodeBase64),
    "",
    checkpoint
  ].join("\n")
