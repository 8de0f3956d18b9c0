/**
 * How values are converted between JavaScript and PostgreSQL: `bigint` columns as numbers, because Cairn
 * stores nothing beyond 2^53 there, and columns of a bulk write as arrays.
 */
import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

const decode = (bytes: Uint8Array): number => {
  const { getInt32, getUint32 } = DataView.prototype
  const at = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return getInt32.call(at, 0) * 2 ** 32 + getUint32.call(at, 4)
}

const encode = (value: number | bigint): Uint8Array => {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigInt64(0, BigInt(value))
  return new Uint8Array(view.buffer)
}

/** The codecs of a client. */
export const makeRegistry = (): PgTypes.Registry => {
  const registry = PgTypes.makeRegistry()
  registry.register<number | bigint>(
    PgTypes.OID.int8,
    {
      encode: (value) => Result.succeed(encode(value)),
      decode: (bytes) => Result.succeed(decode(bytes))
    },
    { arrayOid: PgTypes.OID.int8Array }
  )
  return registry
}

const array = (values: ReadonlyArray<unknown>, oid: number): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, oid))

/** A `bigint[]` parameter. */
export const numbers = (values: ReadonlyArray<number | null>): PgTypes.Parameter =>
  array(values, PgTypes.OID.int8)

/** A `bytea[]` parameter. */
export const blobs = (values: ReadonlyArray<Uint8Array>): PgTypes.Parameter =>
  array(values, PgTypes.OID.bytea)

/** A `text[]` parameter. */
export const texts = (values: ReadonlyArray<string | null>): PgTypes.Parameter =>
  array(values, PgTypes.OID.text)
