/** Real blocks of Base, OP Mainnet and Ethereum, which the environment variable CAIRN_FOREIGN points to. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createMerkleProof, createMPT, type MerklePatriciaTrie } from "@ethereumjs/mpt"
import { Schema } from "effect"
import { rlpNumber } from "../../src/ethereum/Rlp.ts"

const ForeignBlock = Schema.Struct({
  chainId: Schema.Int,
  number: Schema.Int,
  hash: Schema.String,
  header: Schema.Struct({ parentHash: Schema.String, timestamp: Schema.String }),
  headerRlp: Schema.String,
  transactionsRoot: Schema.String,
  txHashes: Schema.Array(Schema.String),
  rawTransactions: Schema.Array(Schema.String),
  derivedProofs: Schema.Array(
    Schema.Struct({ index: Schema.Int, key: Schema.String, nodes: Schema.Array(Schema.String) })
  )
})

/** A block of the files. */
export type ForeignBlock = typeof ForeignBlock.Type

const Vectors = Schema.Struct({
  tests: Schema.Record(Schema.String, Schema.Struct({ in: Schema.Json, out: Schema.String }))
})

/** Where other projects' vectors lie; undefined when nobody said. */
export const foreign = process.env.CAIRN_FOREIGN

const folder = join(foreign ?? "", "vectors/evm-blocks")

/** Bytes of hexadecimal text, with `0x` or without. */
export const fromHex = (text: string): Uint8Array =>
  Uint8Array.from(Buffer.from(text.replace(/^0x/, ""), "hex"))

/** The blocks, by file name. */
export const foreignBlocks = (): ReadonlyArray<readonly [string, ForeignBlock]> =>
  foreign === undefined
    ? []
    : readdirSync(folder)
        .filter((name) => name.endsWith(".json"))
        .map((name) => {
          const text = readFileSync(join(folder, name), "utf8")
          return [name, Schema.decodeUnknownSync(Schema.fromJsonString(ForeignBlock))(text)] as const
        })

/** The RLP cases of `name`: what was encoded, and the encoding. */
export const foreignRlp = (name: "rlptest" | "invalid") => {
  if (foreign === undefined) return []
  const text = readFileSync(join(folder, "rlp", `${name}.json`), "utf8")
  return Object.entries(Schema.decodeUnknownSync(Schema.fromJsonString(Vectors))(text).tests)
}

/** The trie of some transactions, by somebody else's library. */
export const transactionTrie = async (raw: ReadonlyArray<Uint8Array>): Promise<MerklePatriciaTrie> => {
  const trie = await createMPT()
  for (const [index, transaction] of raw.entries()) await trie.put(rlpNumber(index), transaction)
  return trie
}

/**
 * The proof that the library makes for the transaction at `index`. It repeats nodes that stand within their
 * parents because they are shorter than a hash, which Ethereum's own clients do not.
 */
export const libraryProof = async (
  trie: MerklePatriciaTrie,
  index: number
): Promise<ReadonlyArray<Uint8Array>> =>
  (await createMerkleProof(trie, rlpNumber(index))).filter(
    (node, position) => position === 0 || node.length >= 32
  )
