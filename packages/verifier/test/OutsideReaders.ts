/**
 * The verifier's readers of outside bytes, with hostile input for each; `CostOfLength.trial.ts` measures
 * them.
 */
import { type HostileInput, hostileBytes, hostileTexts, type OutsideReader } from "@cairn/testing"
import { Result } from "effect"
import { decodeBlockHeader } from "../src/ethereum/BlockHeader.ts"
import { decodeTransaction } from "../src/ethereum/EthereumTransaction.ts"
import { type RlpItem, readRlp, rlpInteger, rlpItems } from "../src/ethereum/Rlp.ts"
import { parseBlockHash } from "../src/evidence/KnowledgeInput.ts"

/** A list of this payload, its length in four bytes. */
const list = (payload: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(payload.length + 5)
  bytes[0] = 0xfb
  new DataView(bytes.buffer).setUint32(1, payload.length)
  bytes.set(payload, 5)
  return bytes
}

const of = (byte: number, length: number): Uint8Array => new Uint8Array(Math.ceil(length)).fill(byte)

const rlp: Record<string, HostileInput<Uint8Array>> = {
  "items of one byte": (length) => list(of(1, length)),
  "empty items": (length) => list(of(0x80, length)),
  "empty lists": (length) => list(of(0xc0, length)),
  "lists that hold what is not there": (length) => list(of(0xf7, length)),
  "lengths of eight bytes": (length) => list(of(0xff, length)),
  "lists within lists": (length) => {
    let nested: Uint8Array = Uint8Array.of(0xc0)
    for (let level = 0; level < 40; level++) nested = list(nested)
    return list(
      Uint8Array.from(
        { length: Math.ceil(length / nested.length) * nested.length },
        (_, at) => nested[at % nested.length] ?? 0
      )
    )
  },
  "one long text": (length) => {
    const bytes = list(of(7, length))
    bytes[0] = 0xbb
    return bytes
  },
  ...hostileBytes(hostileTexts("\u00f8\u0001"))
}

/** All items of a list, and of those that are lists. */
const walk = (item: RlpItem): unknown =>
  Result.map(rlpItems(item, 10_000_000), (items) =>
    items.map((inner) => (inner.kind === "list" ? rlpItems(inner, 100) : rlpInteger(inner)))
  )

/** All of them. */
export const READERS: ReadonlyArray<OutsideReader<Uint8Array>> = [
  { name: "RLP", read: (bytes) => Result.map(readRlp(bytes), walk), inputs: rlp },
  { name: "block header", read: decodeBlockHeader, inputs: rlp },
  { name: "transaction", read: decodeTransaction, inputs: rlp },
  {
    name: "block hash",
    read: (bytes) => parseBlockHash(Buffer.from(bytes).toString()),
    inputs: hostileBytes(hostileTexts(`123=0x${"ab".repeat(32)}`))
  }
]
