/**
 * Ethereum transactions as they stand in a block, of every type that Base knows.
 *
 * | type | what | from |
 * |---|---|---|
 * | none | legacy | yellow paper 4.2, EIP-155 |
 * | 0x01 | with access list | EIP-2930 |
 * | 0x02 | with priority fee | EIP-1559 |
 * | 0x03 | with blobs, without their sidecar | EIP-4844 |
 * | 0x04 | with authorisations | EIP-7702 |
 * | 0x7e | deposit from Ethereum to an OP-stack chain; unsigned | OP-stack specification, deposits |
 *
 * A transaction is its bytes: the hash and the signed part are taken from the bytes themselves, never from an
 * encoding of what was read.
 */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Result, Schema } from "effect"
import { keccak256, toEthereumHex } from "./Keccak.ts"
import { MalformedRlp, type RlpItem, readRlp, rlpBytes, rlpInteger, rlpItems, rlpList } from "./Rlp.ts"

/** What a transaction says. */
export interface EthereumTransaction {
  /** Keccak-256 of the raw bytes: the `tx_hash` that a block explorer shows. */
  readonly hash: string
  /** 0 for a legacy transaction, 126 for a deposit. */
  readonly type: 0 | 1 | 2 | 3 | 4 | 0x7e
  /** The only chain it is valid on; null for a deposit and for a legacy transaction that is valid on any. */
  readonly chainId: number | null
  /** How many the sender had sent before; null for a deposit. */
  readonly nonce: number | null
  /** Address of the signer, recovered from the signature; of a deposit, as it says itself. */
  readonly from: string
  /** Null for one that creates a contract. */
  readonly to: string | null
  /** In wei. */
  readonly value: bigint
  readonly data: Uint8Array
}

/** The bytes are no transaction, or their signature is invalid. */
class MalformedTransaction extends Schema.TaggedError<MalformedTransaction>()("MalformedTransaction", {
  reason: Schema.Literals(["rlp", "type", "fields", "signature"])
}) {
  override get message() {
    return `not a transaction (${this.reason})`
  }
}

const refuse = (reason: MalformedTransaction["reason"]) => Result.fail(new MalformedTransaction({ reason }))

/**
 * The positions of the needed fields of a type; `count` includes the signature's three at the end, if it is
 * signed.
 */
interface Layout {
  readonly count: number
  readonly nonce: number
  readonly to: number
}

/** `value` and `data` always follow `to`. */
const LAYOUTS = {
  0: { count: 9, nonce: 0, to: 3 },
  1: { count: 11, nonce: 1, to: 4 },
  2: { count: 12, nonce: 1, to: 5 },
  3: { count: 14, nonce: 1, to: 5 },
  4: { count: 13, nonce: 1, to: 5 }
} as const satisfies Record<number, Layout>

const DEPOSIT = 0x7e
const DEPOSIT_FIELDS = 8

/**
 * Half the order of secp256k1: a greater `s` is the same signature in another form, and invalid since EIP-2.
 */
const HALF_ORDER = secp256k1.Point.Fn.ORDER / 2n

/** The address whose key made the signature. */
const recover = (
  signed: Uint8Array,
  parity: number,
  r: bigint,
  s: bigint
): Result.Result<string, MalformedTransaction> => {
  if (s > HALF_ORDER) return refuse("signature")
  return Result.try({
    try: () => {
      const key = new secp256k1.Signature(r, s, parity).recoverPublicKey(keccak256(signed))
      return toEthereumHex(keccak256(key.toBytes(false).subarray(1)).subarray(12))
    },
    catch: () => new MalformedTransaction({ reason: "signature" })
  })
}

const concat = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/**
 * The encodings of the fields that are signed, which is all but the last three, as they stand in the
 * transaction.
 */
const unsigned = (list: RlpItem, fields: ReadonlyArray<RlpItem>): Uint8Array => {
  const signature = fields.slice(-3).reduce((length, { encoded }) => length + encoded.length, 0)
  return list.payload.subarray(0, list.payload.length - signature)
}

/** `v` of a legacy transaction: 27 or 28, or since EIP-155 twice the chain's id and 35 or 36. */
const legacyV = (
  v: bigint
): Result.Result<{ readonly chainId: bigint | null; readonly parity: number }, MalformedTransaction> => {
  if (v === 27n || v === 28n) return Result.succeed({ chainId: null, parity: Number(v - 27n) })
  if (v < 35n) return refuse("signature")
  return Result.succeed({ chainId: (v - 35n) / 2n, parity: Number((v - 35n) % 2n) })
}

/** What EIP-155 signs after the fields: the chain's id, zero and zero. */
const replayProtection = (chainId: bigint): Uint8Array => {
  const bytes: Array<number> = []
  for (let rest = chainId; rest > 0n; rest /= 256n) bytes.unshift(Number(rest % 256n))
  const [first = 0] = bytes
  const head = bytes.length === 1 && first < 0x80 ? [] : [0x80 + bytes.length]
  return Uint8Array.of(...head, ...bytes, 0x80, 0x80)
}

/** A chain's id or a nonce: numbers, which no chain has let grow beyond 2^53. */
const safeNumber = (value: bigint): Result.Result<number, MalformedTransaction> =>
  value <= BigInt(Number.MAX_SAFE_INTEGER) ? Result.succeed(Number(value)) : refuse("fields")

const address = (item: RlpItem | undefined): Result.Result<string | null, MalformedRlp> =>
  Result.flatMap(rlpBytes(item), (bytes) => {
    if (bytes.length === 0) return Result.succeed(null)
    return Result.map(rlpBytes(item, 20), toEthereumHex)
  })

/** The fields that all types have, `value` and `data` after `to`. */
const common = (fields: ReadonlyArray<RlpItem>, to: number) =>
  Result.all({
    to: address(fields[to]),
    value: rlpInteger(fields[to + 1]),
    data: rlpBytes(fields[to + 2])
  })

const fieldsOf = (body: Uint8Array, count: number) =>
  Result.gen(function* () {
    const list = yield* readRlp(body)
    const fields = yield* rlpItems(list, count)
    return fields.length === count ? { list, fields } : yield* refuse("fields")
  })

const decodeLegacy = (raw: Uint8Array) =>
  Result.gen(function* () {
    const { count, nonce, to } = LAYOUTS[0]
    const { list, fields } = yield* fieldsOf(raw, count)
    const { chainId, parity } = yield* legacyV(yield* rlpInteger(fields[count - 3]))
    const [r, s] = [yield* rlpInteger(fields[count - 2]), yield* rlpInteger(fields[count - 1])]
    const body = unsigned(list, fields)
    const signed = rlpList(chainId === null ? body : concat(body, replayProtection(chainId)))
    return {
      type: 0 as const,
      chainId: chainId === null ? null : yield* safeNumber(chainId),
      nonce: yield* safeNumber(yield* rlpInteger(fields[nonce])),
      from: yield* recover(signed, parity, r, s),
      ...(yield* common(fields, to))
    }
  })

const decodeTyped = (type: 1 | 2 | 3 | 4, raw: Uint8Array) =>
  Result.gen(function* () {
    const { count, nonce, to } = LAYOUTS[type]
    const { list, fields } = yield* fieldsOf(raw.subarray(1), count)
    const parity = yield* rlpInteger(fields[count - 3])
    if (parity > 1n) return yield* refuse("signature")
    const [r, s] = [yield* rlpInteger(fields[count - 2]), yield* rlpInteger(fields[count - 1])]
    const signed = concat(Uint8Array.of(type), rlpList(unsigned(list, fields)))
    return {
      type,
      chainId: yield* safeNumber(yield* rlpInteger(fields[0])),
      nonce: yield* safeNumber(yield* rlpInteger(fields[nonce])),
      from: yield* recover(signed, Number(parity), r, s),
      ...(yield* common(fields, to))
    }
  })

/** `[source_hash, from, to, mint, value, gas, is_system, data]`. */
const decodeDeposit = (raw: Uint8Array) =>
  Result.gen(function* () {
    const { fields } = yield* fieldsOf(raw.subarray(1), DEPOSIT_FIELDS)
    yield* rlpBytes(fields[0], 32)
    return {
      type: 0x7e as const,
      chainId: null,
      nonce: null,
      from: toEthereumHex(yield* rlpBytes(fields[1], 20)),
      to: yield* address(fields[2]),
      value: yield* rlpInteger(fields[4]),
      data: yield* rlpBytes(fields[7])
    }
  })

const decodeBody = (
  raw: Uint8Array
): Result.Result<Omit<EthereumTransaction, "hash">, MalformedRlp | MalformedTransaction> => {
  const type = raw[0] ?? 0
  switch (type) {
    case 1:
    case 2:
    case 3:
    case 4:
      return decodeTyped(type, raw)
    case DEPOSIT:
      return decodeDeposit(raw)
    default:
      // A list's prefix; all that lies below is reserved for types (EIP-2718).
      return type >= 0xc0 ? decodeLegacy(raw) : refuse("type")
  }
}

/**
 * Reads a raw transaction, and recovers who signed it. The bytes may come from anyone: what is not a
 * transaction is rejected.
 *
 * Costs a pass over the outermost fields, two Keccak-256 of the bytes and one signature recovery, under a
 * millisecond.
 */
export const decodeTransaction = (
  raw: Uint8Array
): Result.Result<EthereumTransaction, MalformedTransaction> =>
  Result.map(
    Result.mapError(decodeBody(raw), (error) =>
      error instanceof MalformedRlp ? new MalformedTransaction({ reason: "rlp" }) : error
    ),
    (body) => ({ hash: toEthereumHex(keccak256(raw)), ...body })
  )
