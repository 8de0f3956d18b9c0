/** Headers of Ethereum blocks (yellow paper 4.3; further fields since EIP-1559, 4895, 4844, 4788, 7685). */
import { Result, Schema } from "effect"
import { keccak256, toEthereumHex } from "./Keccak.ts"
import { readRlp, rlpBytes, rlpInteger, rlpItems } from "./Rlp.ts"

/** What matters of a header here. */
export interface BlockHeader {
  /** Keccak-256 of the header's RLP. */
  readonly hash: string
  readonly parentHash: string
  readonly number: number
  /** When the block was made, in seconds since the Unix epoch. */
  readonly timestamp: number
  /** Root of the trie of the block's transactions, 32 bytes. */
  readonly transactionsRoot: Uint8Array
}

/** The bytes are no header. */
export class MalformedBlockHeader extends Schema.TaggedError<MalformedBlockHeader>()("MalformedBlockHeader", {
  /** Bytes in all. */
  length: Schema.Number
}) {
  override get message() {
    return `${this.length} bytes that are not a block header`
  }
}

/** Fields of the first headers; forks have only ever added some at the end. */
const LEAST_FIELDS = 15

/** More fields than a header is likely to have: there are 21 in 2026. */
const MOST_FIELDS = 64

const FIELD = { parentHash: 0, transactionsRoot: 4, number: 8, timestamp: 11 } as const

const MOST = BigInt(Number.MAX_SAFE_INTEGER)

/** Reads the RLP of a header. Whatever the fields after the known ones mean, the hash covers them. */
export const decodeBlockHeader = (rlp: Uint8Array): Result.Result<BlockHeader, MalformedBlockHeader> =>
  Result.mapError(
    Result.gen(function* () {
      const fields = yield* rlpItems(yield* readRlp(rlp), MOST_FIELDS)
      const number = yield* rlpInteger(fields[FIELD.number])
      const timestamp = yield* rlpInteger(fields[FIELD.timestamp])
      if (fields.length < LEAST_FIELDS || number > MOST || timestamp > MOST)
        return yield* Result.fail(undefined)
      return {
        hash: toEthereumHex(keccak256(rlp)),
        parentHash: toEthereumHex(yield* rlpBytes(fields[FIELD.parentHash], 32)),
        number: Number(number),
        timestamp: Number(timestamp),
        transactionsRoot: yield* rlpBytes(fields[FIELD.transactionsRoot], 32)
      }
    }),
    () => new MalformedBlockHeader({ length: rlp.length })
  )
