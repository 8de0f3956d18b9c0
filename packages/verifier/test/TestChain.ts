/**
 * A blockchain for tests: it puts each anchor into a transaction, and each transaction into a block of two.
 */
import { anchorPayload, logIdHash } from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import type { SentAnchor, TestLogOptions } from "@cairn/testing"
import { RLP } from "@ethereumjs/rlp"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Result } from "effect"
import { keccak256, toEthereumHex } from "../src/ethereum/Keccak.ts"
import { sha256 } from "./Bundles.ts"

type Send = NonNullable<TestLogOptions["send"]>

/** How the chain, or who uses it, departs from what is right. */
export interface TestChainOptions {
  /** Of the account that anchors: 32 equal bytes; 1 unless set. */
  readonly account?: number
  readonly chainId?: number
  /** Wei that the transaction carries. */
  readonly value?: number
  /** What the transaction carries, made from what it should. */
  readonly payload?: (right: Uint8Array) => Uint8Array
  /** The transaction itself, made from what it carries; a signed one of the account unless set. */
  readonly transaction?: (data: Uint8Array) => Uint8Array
  /** Seconds from the end of a period to its block; 12 unless set. */
  readonly delay?: number
}

const secretOf = (account: number): Uint8Array => new Uint8Array(32).fill(account)

/** The address of an account. */
export const addressOf = (account: number): string =>
  toEthereumHex(keccak256(secp256k1.getPublicKey(secretOf(account), false).subarray(1)).subarray(12))

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.slice(2), "hex"))

/** A signed EIP-1559 transaction of the account to itself. */
export const signTransaction = (
  data: Uint8Array,
  nonce: number,
  options: TestChainOptions = {}
): Uint8Array => {
  const { account = 1, chainId = 8453, value = 0 } = options
  const fields = [chainId, nonce, 1_000, 2_000, 100_000, bytesOf(addressOf(account)), value, data, []]
  const typed = (items: Array<number | bigint | Uint8Array | Array<never>>) =>
    Uint8Array.of(2, ...RLP.encode(items))
  const signature = secp256k1.sign(keccak256(typed(fields)), secretOf(account), {
    prehash: false,
    format: "recovered"
  })
  const scalar = (from: number) =>
    BigInt(`0x${Buffer.from(signature.subarray(from, from + 32)).toString("hex")}`)
  return typed([...fields, signature[0] ?? 0, scalar(1), scalar(33)])
}

/** A deposit of the OP stack that says it is the account's, which nobody has signed. */
export const deposit = (data: Uint8Array, account = 1): Uint8Array => {
  const address = bytesOf(addressOf(account))
  return Uint8Array.of(0x7e, ...RLP.encode([new Uint8Array(32), address, address, 0, 0, 100_000, 0, data]))
}

/** The block of two transactions of which `raw` is the second, and the proof that it is. */
export const blockOf = (raw: Uint8Array, number: number, timestamp: number) => {
  const other = signTransaction(new Uint8Array(), number, { account: 99 })
  // Keys 0x80 and 0x01: the first nibble tells them apart, the second is the path of a leaf.
  const [firstLeaf, leaf] = [RLP.encode([Uint8Array.of(0x30), other]), RLP.encode([Uint8Array.of(0x31), raw])]
  const branch = RLP.encode(
    Array.from({ length: 17 }, (_, nibble) =>
      nibble === 0 ? keccak256(leaf) : nibble === 8 ? keccak256(firstLeaf) : new Uint8Array()
    )
  )
  const header = RLP.encode([
    ...[new Uint8Array(32), new Uint8Array(32), new Uint8Array(20), new Uint8Array(32), keccak256(branch)],
    ...[new Uint8Array(32), new Uint8Array(256), 0, number, 0, 0, timestamp, "", new Uint8Array(32)],
    new Uint8Array(8)
  ])
  return {
    hash: toEthereumHex(keccak256(header)),
    block: {
      header: toEthereumHex(header),
      transaction_index: 1,
      proof: [branch, leaf].map(toEthereumHex)
    }
  }
}

/** A chain, and the hashes of its blocks. */
export const testChain = (options: TestChainOptions = {}) => {
  const { payload = (right) => right, delay = 12, transaction } = options
  const blocks = new Map<number, string>()
  const send: Send = ({ origin, merkleRoot, previousAnchorHash, periodEnd }): SentAnchor => {
    const entry = { logIdHash: logIdHash(sha256, origin), merkleRoot, previousAnchorHash }
    const data = payload(Result.getOrThrow(anchorPayload([entry])))
    const raw = transaction?.(data) ?? signTransaction(data, blocks.size, options)
    const blockNumber = 1_000_000 + blocks.size
    const { hash, block } = blockOf(raw, blockNumber, periodEnd / Micros.SECOND + delay)
    blocks.set(blockNumber, hash)
    return { txHash: toEthereumHex(keccak256(raw)), blockNumber, transactions: [toEthereumHex(raw)], block }
  }
  return { send, blocks, address: addressOf(options.account ?? 1) }
}
