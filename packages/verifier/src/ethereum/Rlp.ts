/**
 * Recursive Length Prefix (Ethereum yellow paper, appendix B): how Ethereum writes headers, transactions and
 * trie nodes.
 *
 * Reading is strict, so that one value has one encoding, and shallow: a list's items are split when they are
 * asked for, and what lies inside them is left alone. So hostile nesting costs nothing, and a caller bounds
 * the number of items.
 */
import { Result, Schema } from "effect"

/** The bytes are not the RLP that was expected. */
export class MalformedRlp extends Schema.TaggedError<MalformedRlp>()("MalformedRlp", {
  reason: Schema.Literals([
    /** It ends before its length says. */
    "truncated",
    /** There are bytes after the item. */
    "trailing",
    /** The same value has a shorter encoding. */
    "not_canonical",
    /** A list where bytes should be, or the other way round. */
    "kind",
    /** A list has another number of items, or bytes another length, than it should. */
    "length"
  ])
}) {
  override get message() {
    return `not the RLP that was expected (${this.reason})`
  }
}

const malformed = (reason: MalformedRlp["reason"]) => Result.fail(new MalformedRlp({ reason }))

/** One item: a string of bytes, or a list of items. */
export interface RlpItem {
  readonly kind: "bytes" | "list"
  /** The bytes, or the encodings of the list's items one after the other. */
  readonly payload: Uint8Array
  /** With its prefix. */
  readonly encoded: Uint8Array
}

/** Payloads up to this length have their length in the prefix's one byte. */
const SHORT = 55

/** Most bytes of a length; more would exceed any file. */
const MAX_LENGTH_BYTES = 6

/** The length that `count` bytes from `at` on spell. */
const longLength = (bytes: Uint8Array, at: number, count: number): Result.Result<number, MalformedRlp> => {
  if (bytes[at] === 0) return malformed("not_canonical")
  if (at + count > bytes.length || count > MAX_LENGTH_BYTES) return malformed("truncated")
  let length = 0
  for (let index = at; index < at + count; index++) length = length * 256 + (bytes[index] ?? 0)
  return length > SHORT ? Result.succeed(length) : malformed("not_canonical")
}

/** The item that begins at `at`. */
const itemAt = (bytes: Uint8Array, at: number): Result.Result<RlpItem, MalformedRlp> =>
  Result.gen(function* () {
    const prefix = bytes[at]
    if (prefix === undefined) return yield* malformed("truncated")
    if (prefix < 0x80) {
      const encoded = bytes.subarray(at, at + 1)
      return { kind: "bytes", payload: encoded, encoded }
    }
    const kind = prefix < 0xc0 ? "bytes" : "list"
    const short = prefix - (kind === "bytes" ? 0x80 : 0xc0)
    const lengthBytes = Math.max(0, short - SHORT)
    const start = at + 1 + lengthBytes
    const length = lengthBytes === 0 ? short : yield* longLength(bytes, at + 1, lengthBytes)
    const payload = bytes.subarray(start, start + length)
    if (payload.length < length) return yield* malformed("truncated")
    if (kind === "bytes" && length === 1 && (payload[0] ?? 0) < 0x80) return yield* malformed("not_canonical")
    return { kind, payload, encoded: bytes.subarray(at, start + length) }
  })

/** Reads bytes that are one item and nothing else. */
export const readRlp = (bytes: Uint8Array): Result.Result<RlpItem, MalformedRlp> =>
  Result.flatMap(itemAt(bytes, 0), (item) =>
    item.encoded.length === bytes.length ? Result.succeed(item) : malformed("trailing")
  )

/** The items of a list, of which there may be at most `most`. Costs one pass over their prefixes. */
export const rlpItems = (list: RlpItem, most: number): Result.Result<ReadonlyArray<RlpItem>, MalformedRlp> =>
  Result.gen(function* () {
    if (list.kind !== "list") return yield* malformed("kind")
    const items: Array<RlpItem> = []
    for (let at = 0; at < list.payload.length; ) {
      if (items.length === most) return yield* malformed("length")
      const item = yield* itemAt(list.payload, at)
      items.push(item)
      at += item.encoded.length
    }
    return items
  })

/** The bytes of an item; with `length`, that many. */
export const rlpBytes = (
  item: RlpItem | undefined,
  length?: number
): Result.Result<Uint8Array, MalformedRlp> => {
  if (item === undefined) return malformed("length")
  if (item.kind !== "bytes") return malformed("kind")
  return length === undefined || item.payload.length === length
    ? Result.succeed(item.payload)
    : malformed("length")
}

/** A whole number, big-endian without leading zeros, of at most 32 bytes. */
export const rlpInteger = (item: RlpItem | undefined): Result.Result<bigint, MalformedRlp> =>
  Result.flatMap(rlpBytes(item), (bytes) => {
    if (bytes.length > 32) return malformed("length")
    if (bytes[0] === 0) return malformed("not_canonical")
    let value = 0n
    for (const byte of bytes) value = value * 256n + BigInt(byte)
    return Result.succeed(value)
  })

/** The prefix of a payload; `base` is 0x80 for bytes and 0xc0 for a list. */
const prefix = (base: number, length: number): ReadonlyArray<number> => {
  if (length <= SHORT) return [base + length]
  const digits: Array<number> = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256)
  return [base + SHORT + digits.length, ...digits]
}

/** The encoding of a list whose items' encodings stand in `payload`. */
export const rlpList = (payload: Uint8Array): Uint8Array => {
  const head = prefix(0xc0, payload.length)
  const encoded = new Uint8Array(head.length + payload.length)
  encoded.set(head)
  encoded.set(payload, head.length)
  return encoded
}

/** The encoding of a whole number from 0 to 2^53 − 1. */
export const rlpNumber = (value: number): Uint8Array => {
  const bytes: Array<number> = []
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  const [only] = bytes
  return bytes.length === 1 && only !== undefined && only < 0x80
    ? Uint8Array.of(only)
    : Uint8Array.of(...prefix(0x80, bytes.length), ...bytes)
}
