/** Transactions that were read before. */
import type * as EthereumTransaction from "../../src/ethereum/EthereumTransaction.ts"

type Reader = typeof EthereumTransaction

/** The module, which reads the same transaction once. */
export const remembering = (original: Reader): Reader => {
  const known = new Map<string, ReturnType<Reader["decodeTransaction"]>>()
  return {
    ...original,
    decodeTransaction: (raw) => {
      const key = Buffer.from(raw).toString("base64")
      const read = known.get(key) ?? original.decodeTransaction(raw)
      known.set(key, read)
      return read
    }
  }
}
