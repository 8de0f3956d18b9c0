/** Bytes in JSON. */
import { Schema } from "effect"

/** Bytes as `0x` and lower-case hexadecimal, as Ethereum's tools write them. */
export const HexBytes = Schema.String.check(
  Schema.isPattern(/^0x(?:[0-9a-f]{2})*$/, { expected: "0x and lower-case hexadecimal" })
)
