/** The responses of a node (Ethereum JSON-RPC), decoded, because a node may return anything. */
import { Schema, SchemaGetter } from "effect"

const quantity = Schema.String.check(
  Schema.isPattern(/^0x(?:0|[1-9a-f][0-9a-f]{0,63})$/, { expected: "0x and hexadecimal" })
)

/** A number up to 2^53 − 1. */
export const Quantity = quantity.pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })), {
    decode: SchemaGetter.transform((text) => Number(text)),
    encode: SchemaGetter.transform((number) => `0x${number.toString(16)}`)
  })
)

/** An amount of wei. */
export const Wei = quantity.pipe(
  Schema.decodeTo(Schema.BigInt, {
    decode: SchemaGetter.transform((text) => BigInt(text)),
    encode: SchemaGetter.transform((amount) => `0x${amount.toString(16)}`)
  })
)

/** Bytes, `0x` and lower-case hexadecimal. */
export const Hex = Schema.TemplateLiteral(["0x", Schema.String]).check(
  Schema.isPattern(/^0x(?:[0-9a-f]{2})*$/, { expected: "0x and lower-case hexadecimal" })
)

const hexOf = (bytes: number) =>
  Hex.check(Schema.makeFilter((text) => text.length === 2 + 2 * bytes || `${bytes} bytes are needed`))

/** 32 bytes. */
export const Hash = hexOf(32)

/** An account; nodes may write it with a checksum in its letters' case. */
export const Address = Schema.String.pipe(
  Schema.decodeTo(hexOf(20), {
    decode: SchemaGetter.transform((text) => text.toLowerCase() as `0x${string}`),
    encode: SchemaGetter.transform((text) => text)
  })
)

/** What matters of a block. */
export const Block = Schema.Struct({
  number: Quantity,
  hash: Hash,
  baseFeePerGas: Schema.optionalKey(Wei)
})

/** Where a transaction was executed. */
export const Receipt = Schema.Struct({ transactionHash: Hash, blockHash: Hash, blockNumber: Quantity })

/** A transaction by its hash, and the block it is in; none while it waits in the pool. */
export const KnownTransaction = Schema.Struct({
  hash: Hash,
  blockNumber: Schema.optionalKey(Schema.NullOr(Quantity))
})

/** A transaction in a block, with the fields that its type has besides. */
export const BlockTransaction = Schema.StructWithRest(Schema.Struct({ hash: Hash, type: quantity }), [
  Schema.Record(Schema.String, Schema.Unknown)
])
export type BlockTransaction = typeof BlockTransaction.Type

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(schema)

/** A block with its whole header and its transactions. */
export const FullBlock = Schema.Struct({
  hash: Hash,
  parentHash: Hash,
  sha3Uncles: Hash,
  miner: Address,
  stateRoot: Hash,
  transactionsRoot: Hash,
  receiptsRoot: Hash,
  logsBloom: hexOf(256),
  difficulty: Wei,
  number: Quantity,
  gasLimit: Wei,
  gasUsed: Wei,
  timestamp: Wei,
  extraData: Hex,
  mixHash: Hash,
  nonce: hexOf(8),
  baseFeePerGas: optional(Wei),
  withdrawalsRoot: optional(Hash),
  blobGasUsed: optional(Wei),
  excessBlobGas: optional(Wei),
  parentBeaconBlockRoot: optional(Hash),
  requestsHash: optional(Hash),
  transactions: Schema.Array(BlockTransaction)
})
export type FullBlock = typeof FullBlock.Type
