/**
 * Whether an anchor's transaction is what the anchor says: its hash, who sent it, what it carries, and the
 * block it is in.
 *
 * None of it needs the chain. Only the chain can show whether the block is part of it: the auditor looks up
 * the block's hash at a source of the auditor's choice.
 */
import { type AnchorDetail, type EvidenceBlock, parseAnchorPayload } from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import type { EvidenceAnchor } from "@cairn/core/evidence"
import { Result } from "effect"
import { decodeTransaction, type EthereumTransaction } from "../ethereum/EthereumTransaction.ts"
import { verifyTransactionInclusion } from "../ethereum/TransactionInclusion.ts"
import { type Findings, type Subject, sayMoment } from "../report/Finding.ts"
import type { Obligations } from "../report/Obligations.ts"

/** What the check depends on. */
export interface TransactionContext {
  readonly findings: Findings
  readonly obligations: Obligations
  /** SHA-256 of the log id, see `logIdHash`. */
  readonly logIdHash: string
  /**
   * The account that anchors, `0x` and 40 lower-case hexadecimal characters; null if the auditor gave none.
   */
  readonly anchorAddress: string | null
  /** The chain that anchors are sent to. */
  readonly chainId: number
}

/** A block that a bundle proves a transaction in, and says is of the chain. */
export interface ClaimedBlock {
  readonly number: number
  /** `0x` and 64 lower-case hexadecimal characters. */
  readonly hash: string
  /** When it was made, in seconds since the Unix epoch. */
  readonly timestamp: number
  readonly anchorId: string
}

/** What became known of a transaction. */
export interface CheckedTransaction {
  /** Who signed the transaction that carries the anchor's root; null where that is not shown. */
  readonly sender: string | null
  /** The block that it is proven to be in; null where that is not shown. */
  readonly block: ClaimedBlock | null
}

/**
 * How far a block may seem older than the period that it anchors: the service's clock and the chain's are not
 * one.
 */
const CLOCK_SKEW: Micros.Micros = 5 * Micros.MINUTE

const NOTHING: CheckedTransaction = { sender: null, block: null }

/** The type of a deposit from another chain, whose sender is only said. */
const DEPOSIT = 0x7e

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from({ length: (hex.length - 2) / 2 }, (_, index) =>
    Number.parseInt(hex.slice(2 + 2 * index, 4 + 2 * index), 16)
  )

/**
 * Longest transaction that nodes of the chain pass on. A longer one is rejected before it is hashed, which
 * would cost most of the work on it.
 */
const MAX_TRANSACTION = 131_072

/** Longest node of a trie: one that holds such a transaction. */
const MAX_NODE = MAX_TRANSACTION + 1_024

/** Characters of this many bytes, `0x` included. */
const hexLength = (bytes: number): number => 2 + 2 * bytes

/** The transaction in the chain: of a confirmed anchor the only one, whose hash the anchor states. */
const findTransaction = (
  { findings }: TransactionContext,
  { anchor, transactions }: EvidenceAnchor,
  subject: Subject
): { readonly raw: Uint8Array; readonly decoded: EthereumTransaction } | undefined => {
  const [hex, ...more] = transactions
  if (hex === undefined || more.length > 0) {
    const message = `It is confirmed, but ${hex === undefined ? "its transaction is missing" : "there are several transactions"}`
    findings.fail("transaction_differs", subject, message, "1", String(transactions.length))
    return undefined
  }
  if (hex.length > hexLength(MAX_TRANSACTION)) {
    const message = `Its transaction cannot be read: it is longer than ${MAX_TRANSACTION} bytes`
    findings.fail("transaction_malformed", subject, message)
    return undefined
  }
  const raw = bytesOf(hex)
  const decoded = decodeTransaction(raw)
  if (Result.isFailure(decoded)) {
    const message = `Its transaction cannot be read: ${decoded.failure.message}`
    findings.fail("transaction_malformed", subject, message)
    return undefined
  }
  if (decoded.success.hash === anchor.tx_hash) return { raw, decoded: decoded.success }
  const message = "The transaction in the bundle does not have the anchor's tx_hash"
  findings.fail("transaction_differs", subject, message, anchor.tx_hash, decoded.success.hash)
  return undefined
}

/** Whether it is one that only the service's account could have sent. */
const checkSender = (
  { findings, anchorAddress, chainId }: TransactionContext,
  transaction: EthereumTransaction,
  subject: Subject
): void => {
  const { from, to, type, value } = transaction
  if (transaction.chainId !== chainId) {
    const message = `The transaction is not of chain ${chainId}`
    findings.fail("transaction_chain", subject, message, String(chainId), String(transaction.chainId))
  }
  if (type === DEPOSIT) {
    findings.fail("transaction_sender", subject, "The transaction is a deposit, which has no signature")
  } else if (to !== from || value !== 0n) {
    const message = "The transaction must go from an account to itself and transfer no value"
    findings.fail("transaction_sender", subject, message, from, to)
  }
  if (anchorAddress === null) {
    const message = `Whether ${from} is the account that anchors this log`
    findings.skip(subject, message, "--anchor-address, from a source you trust")
  } else if (from !== anchorAddress) {
    const message = "The transaction was sent by another account than the one that anchors this log"
    findings.fail("transaction_sender", subject, message, anchorAddress, from)
  }
}

/** Whether it carries the root and the anchor before, once. */
const checkPayload = (
  { findings, logIdHash: id }: TransactionContext,
  anchor: AnchorDetail,
  data: Uint8Array,
  subject: Subject
): void => {
  const fail = (message: string, expected: string | null, actual: string | null) =>
    findings.fail("transaction_payload", subject, message, expected, actual)
  const payload = parseAnchorPayload(data)
  if (Result.isFailure(payload)) {
    fail("The transaction carries no anchors", null, payload.failure.reason)
    return
  }
  const own = payload.success.filter((entry) => entry.logIdHash === id)
  const [entry] = own
  if (entry === undefined) {
    fail("The transaction carries no anchor of this log", id, null)
  } else if (own.length > 1) {
    fail("The transaction carries two anchors of this log", "1", String(own.length))
  } else if (entry.merkleRoot !== anchor.merkle_root) {
    fail("The transaction carries a different root", anchor.merkle_root, entry.merkleRoot)
  } else if (entry.previousAnchorHash !== anchor.previous_anchor_hash) {
    const message = "The transaction carries a different hash of the previous anchor"
    fail(message, anchor.previous_anchor_hash, entry.previousAnchorHash)
  }
}

/** Whether the transaction is in the block, and the block is the one that the anchor names. */
const checkBlock = (
  { findings }: TransactionContext,
  anchor: AnchorDetail,
  block: EvidenceBlock,
  raw: Uint8Array,
  subject: Subject
): ClaimedBlock | null => {
  if ([block.header, ...block.proof].some((part) => part.length > hexLength(MAX_NODE))) {
    const message = `The proof does not show the transaction in the block: a part of it is longer than ${MAX_NODE} bytes`
    findings.fail("block_proof", subject, message)
    return null
  }
  const found = verifyTransactionInclusion({
    blockHeader: bytesOf(block.header),
    transactionIndex: block.transaction_index,
    proof: block.proof.map(bytesOf),
    rawTransaction: raw
  })
  if (Result.isFailure(found)) {
    const message = `The proof does not show the transaction in the block: ${found.failure.message}`
    findings.fail("block_proof", subject, message)
    return null
  }
  const { blockHash: hash, blockNumber: number, timestamp } = found.success
  if (number !== anchor.block_number) {
    const message = "The transaction is in another block than the anchor says"
    findings.fail("block_differs", subject, message, String(anchor.block_number), String(number))
    return null
  }
  const ended = Micros.parse(anchor.period_end)
  if (ended !== undefined && timestamp * Micros.SECOND < ended - CLOCK_SKEW) {
    const message = "The block is older than the end of the period that it anchors"
    findings.fail("block_differs", subject, message, anchor.period_end, String(timestamp))
  }
  return { number, hash, timestamp, anchorId: anchor.id }
}

/**
 * Checks what stands in a bundle of an anchor's transaction. One that was not confirmed proves nothing, and
 * is not looked at.
 */
export const checkTransaction = (context: TransactionContext, line: EvidenceAnchor): CheckedTransaction => {
  const { findings, obligations } = context
  const { anchor, block } = line
  const subject: Subject = { kind: "anchor", id: anchor.id }
  if (anchor.tx_hash === null) {
    findings.skip(subject, "It was not sent to a blockchain, as far as the file says")
    return NOTHING
  }
  const transaction = obligations.owe("anchor_transaction")
  const found = findTransaction(context, line, subject)
  if (found === undefined) return NOTHING
  const failures = findings.failures
  checkSender(context, found.decoded, subject)
  checkPayload(context, anchor, found.decoded.data, subject)
  const { from: sender } = found.decoded
  const holds = findings.failures === failures
  if (holds) {
    findings.prove(subject, `Transaction ${anchor.tx_hash}, signed by ${sender}, carries its root`)
    transaction.discharge()
  }
  if (block === null) {
    const message = `Whether block ${anchor.block_number} holds the transaction: the bundle has no proof of it`
    findings.skip(subject, message, "a block explorer")
    return { sender: holds ? sender : null, block: null }
  }
  const proven = obligations.owe("anchor_block")
  const claimed = checkBlock(context, anchor, block, found.raw, subject)
  if (findings.failures === failures) proven.discharge()
  return { sender: holds ? sender : null, block: claimed }
}

/** Holds a block against the hashes that the auditor looked up, by number; says whether it is the chain's. */
export const checkBlockHash = (
  findings: Findings,
  { number, hash, timestamp, anchorId }: ClaimedBlock,
  known: ReadonlyMap<number, string>
): boolean => {
  const subject: Subject = { kind: "anchor", id: anchorId }
  const expected = known.get(number)
  const when = sayMoment(timestamp)
  if (expected === undefined) {
    const message = `Whether block ${number} of ${when}, which holds its transaction, is on the chain: its hash is ${hash}`
    findings.skip(subject, message, `--block-hash ${number}=HASH, from a source you trust, or --rpc`)
    return false
  }
  if (expected !== hash) {
    findings.fail(
      "block_hash_differs",
      subject,
      `Block ${number} has another hash on the chain`,
      expected,
      hash
    )
    return false
  }
  findings.prove(subject, `Its transaction is in block ${number} of ${when}`)
  return true
}
