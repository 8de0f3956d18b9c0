import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { verifyMerkleProof } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { Effect, Exit, Schema } from "effect"
import { bytesToHex, type Hex, hexToBigInt, hexToBytes, keccak256, toRlp } from "viem"
import { encodeHeader, encodeTransaction, proveTransaction } from "../src/BlockProof.ts"
import { BlockTransaction, FullBlock } from "../src/RpcAnswers.ts"

const HexText = Schema.TemplateLiteral(["0x", Schema.String])

const ForeignBlock = Schema.Struct({
  hash: HexText,
  header: Schema.Record(Schema.String, Schema.Unknown),
  headerRlp: HexText,
  rawTransactions: Schema.Array(HexText),
  derivedProofs: Schema.Array(Schema.Struct({ index: Schema.Int, nodes: Schema.Array(HexText) }))
})

const foreign = process.env.CAIRN_FOREIGN
const folder = join(foreign ?? "", "vectors/evm-blocks")

/** Real blocks, by file name. */
const foreignBlocks = () =>
  foreign === undefined
    ? []
    : readdirSync(folder)
        .filter((name) => name.endsWith(".json"))
        .map((name) => {
          const text = readFileSync(join(folder, name), "utf8")
          return [name, Schema.decodeUnknownSync(Schema.fromJsonString(ForeignBlock))(text)] as const
        })

/**
 * The fields of each type in the order in which a transaction has them (EIP-2718 and those that define the
 * types).
 */
const FEES = ["maxPriorityFeePerGas", "maxFeePerGas"]
const BODY = ["gas", "to", "value", "input"]
const SIGNATURE = ["v", "r", "s"]
const LAYOUTS: Record<number, ReadonlyArray<string>> = {
  0: ["nonce", "gasPrice", ...BODY, ...SIGNATURE],
  1: ["chainId", "nonce", "gasPrice", ...BODY, "accessList", ...SIGNATURE],
  2: ["chainId", "nonce", ...FEES, ...BODY, "accessList", ...SIGNATURE],
  3: [
    "chainId",
    "nonce",
    ...FEES,
    ...BODY,
    "accessList",
    "maxFeePerBlobGas",
    "blobVersionedHashes",
    ...SIGNATURE
  ],
  126: ["sourceHash", "from", "to", "mint", "value", "gas", "isSystemTx", "input"]
}

const BYTES = new Set(["to", "input", "sourceHash", "from"])

/** A field as a node writes it: numbers without leading zeros, and `0x0` for none. */
const fieldOf = (name: string, value: Uint8Array | ReadonlyArray<unknown>): unknown => {
  if (!(value instanceof Uint8Array)) {
    return name === "accessList"
      ? value.map((entry) => {
          const [address, keys] = entry as [Uint8Array, ReadonlyArray<Uint8Array>]
          return { address: bytesToHex(address), storageKeys: keys.map((key) => bytesToHex(key)) }
        })
      : value.map((item) => bytesToHex(item as Uint8Array))
  }
  const hex = bytesToHex(value)
  if (name === "to" && hex === "0x") return null
  if (name === "isSystemTx") return hex === "0x01"
  if (BYTES.has(name)) return hex
  return hex === "0x" ? "0x0" : `0x${hexToBigInt(hex).toString(16)}`
}

/** What a node answers of a transaction. */
const describeTransaction = (raw: Hex): BlockTransaction => {
  const bytes = hexToBytes(raw)
  const type = (bytes[0] ?? 0) >= 0xc0 ? 0 : (bytes[0] ?? 0)
  const fields = RLP.decode(type === 0 ? bytes : bytes.subarray(1)) as Array<Uint8Array>
  const named = (LAYOUTS[type] ?? []).map((name, at) => [name, fieldOf(name, fields[at] ?? new Uint8Array())])
  const all = Object.fromEntries(named) as Record<string, unknown>
  return Schema.decodeUnknownSync(BlockTransaction)({
    ...all,
    ...(type === 0 || type === 0x7e ? {} : { yParity: all.v }),
    from: all.from ?? "0x0000000000000000000000000000000000000000",
    hash: keccak256(raw),
    type: `0x${type.toString(16)}`
  })
}

const decodeBlock = ({ hash, header }: typeof ForeignBlock.Type) =>
  Schema.decodeUnknownSync(FullBlock)({ ...header, hash, transactions: [] })

describe.skipIf(foreign === undefined)("real blocks (needs CAIRN_FOREIGN)", () => {
  for (const [name, block] of foreignBlocks()) {
    it(`${name}: the header is encoded as it was`, () => {
      assert.strictEqual(encodeHeader(decodeBlock(block)), block.headerRlp)
    })

    it(`${name}: transactions are encoded as they were, deposits too`, () => {
      for (const raw of block.rawTransactions) {
        assert.strictEqual(encodeTransaction(describeTransaction(raw)), raw)
      }
    })

    it.effect(`${name}: each of the first and last transactions is proven`, () =>
      Effect.gen(function* () {
        const full = decodeBlock(block)
        const { length } = block.rawTransactions
        const places = [...new Set([0, 1, 127, 128, length - 1])].filter((at) => at >= 0 && at < length)
        for (const index of places) {
          const { header, proof } = yield* proveTransaction(full, block.rawTransactions, index)
          assert.strictEqual(header, block.headerRlp)
          const key = RLP.encode(index)
          const found = yield* Effect.promise(() =>
            verifyMerkleProof(
              key,
              proof.map((node) => hexToBytes(node as Hex)),
              {
                root: hexToBytes(full.transactionsRoot)
              }
            )
          )
          assert.strictEqual(bytesToHex(found ?? new Uint8Array()), block.rawTransactions[index])
          const inFile = block.derivedProofs.find((derived) => derived.index === index)
          if (inFile !== undefined) assert.deepStrictEqual(proof, inFile.nodes)
        }
      })
    )

    it.effect(`${name}: there is no proof when a transaction or the header is another`, () =>
      Effect.gen(function* () {
        const full = decodeBlock(block)
        const others = [...block.rawTransactions.slice(1), toRlp("0x01")]
        assert.isTrue(Exit.isFailure(yield* Effect.exit(proveTransaction(full, others, 0))))
        const header = { ...full, gasUsed: full.gasUsed + 1n }
        assert.isTrue(Exit.isFailure(yield* Effect.exit(proveTransaction(header, block.rawTransactions, 0))))
      })
    )
  }
})

describe("encodeTransaction", () => {
  it("answers nothing for a type that it does not know, or fields that have another hash", () => {
    const hash = keccak256("0x01")
    assert.isUndefined(encodeTransaction({ hash, type: "0x55" }))
    assert.isUndefined(encodeTransaction({ hash, type: "0x2", nonce: "0x1", input: "0x" }))
  })
})
