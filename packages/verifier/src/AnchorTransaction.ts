/**
 * Whether an anchor's transaction is what the anchor says: its hash, who sent it, what it carries, and the block it is in.
 *
 * None of it needs the chain. What only the chain can tell is whether the block is one of its own: that is a block hash, which the
 * auditor looks up wherever he likes.
 */
import {
  type AnchorDetail,
  type EvidenceAnchor,
  type EvidenceBlock,
  logIdHash,
  Micros,
  parseAnchorPayload,
  type Sha256Shape
} from "@cairn/core"
import { Result } from "effect"
import { decodeTransaction, type EthereumTransaction } from "./chain/EthereumTransaction.ts"
import { verifyTransactionInclusion } from "./chain/TransactionInclusion.ts"
import { type Findings, type Subject, sayMoment } from "./Finding.ts"

/** What the check needs of its surroundings. */
export interface TransactionContext {
  readonly sha256: Sha256Shape
  readonly findings: Findings
  /** The log id. */
  readonly origin: string
  /** Who may anchor, `0x` and 40 lower-case hexadecimal characters; null when the auditor did not say. */
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
  readonly sender: string | null
  readonly block: ClaimedBlock | null
}

/** How far a block may seem older than the period that it anchors: the service's clock and the chain's are not one. */
const CLOCK_SKEW: Micros.Micros = 5 * Micros.MINUTE

const NOTHING: CheckedTransaction = { sender: null, block: null }

/** The type of a deposit from another chain, whose sender is only said. */
const DEPOSIT = 0x7e

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from({ length: (hex.length - 2) / 2 }, (_, index) =>
    Number.parseInt(hex.slice(2 + 2 * index, 4 + 2 * index), 16)
  )

/** The transaction in the chain: the one whose hash the anchor states. */
const findTransaction = (
  { findings }: TransactionContext,
  { anchor, transactions }: EvidenceAnchor,
  subject: Subject
): { readonly raw: Uint8Array; readonly decoded: EthereumTransaction } | undefined => {
  const hashes: Array<string> = []
  for (const hex of transactions) {
    const raw = bytesOf(hex)
    const decoded = decodeTransaction(raw)
    if (Result.isFailure(decoded)) {
      findings.fail(
        "transaction_malformed",
        subject,
        `A transaction cannot be read: ${decoded.failure.message}`
      )
      return undefined
    }
    if (decoded.success.hash === anchor.tx_hash) return { raw, decoded: decoded.success }
    hashes.push(decoded.success.hash)
  }
  const message = "No transaction in the bundle has the anchor's tx_hash"
  findings.fail("transaction_differs", subject, message, anchor.tx_hash, hashes.join(" ") || null)
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
    findings.fail("transaction_sender", subject, "The transaction is a deposit, which nobody has signed")
  } else if (to !== from || value !== 0n) {
    const message = "The transaction is not one of an account to itself without value"
    findings.fail("transaction_sender", subject, message, from, to)
  }
  if (anchorAddress === null) {
    const message = `That ${from} is the account that anchors this log`
    findings.skip(subject, message, "--anchor-address, from a source you trust")
  } else if (from !== anchorAddress) {
    const message = "The transaction was sent by another account than the one that anchors this log"
    findings.fail("transaction_sender", subject, message, anchorAddress, from)
  }
}

/** Whether it carries the root and the anchor before, once. */
const checkPayload = (
  { sha256, findings, origin }: TransactionContext,
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
  const id = logIdHash(sha256, origin)
  const own = payload.success.filter((entry) => entry.logIdHash === id)
  const [entry] = own
  if (entry === undefined) {
    fail("The transaction carries nothing of this log", id, null)
  } else if (own.length > 1) {
    fail("The transaction carries two anchors of this log", "1", String(own.length))
  } else if (entry.merkleRoot !== anchor.merkle_root) {
    fail("The transaction carries another root", anchor.merkle_root, entry.merkleRoot)
  } else if (entry.previousAnchorHash !== anchor.previous_anchor_hash) {
    const message = "The transaction carries another hash of the anchor before"
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

/** Checks what stands in a bundle of an anchor's transaction. */
export const checkTransaction = (context: TransactionContext, line: EvidenceAnchor): CheckedTransaction => {
  const { findings } = context
  const { anchor, block } = line
  const subject: Subject = { kind: "anchor", id: anchor.id }
  if (anchor.tx_hash === null) {
    findings.skip(subject, "It is not on a blockchain yet")
    return NOTHING
  }
  if (line.transactions.length === 0) {
    findings.skip(
      subject,
      `Its transaction ${anchor.tx_hash}: the bundle does not hold it`,
      "a block explorer"
    )
    return NOTHING
  }
  const found = findTransaction(context, line, subject)
  if (found === undefined) return NOTHING
  const failures = findings.failures
  checkSender(context, found.decoded, subject)
  checkPayload(context, anchor, found.decoded.data, subject)
  const { from: sender } = found.decoded
  if (findings.failures === failures) {
    findings.prove(subject, `Transaction ${anchor.tx_hash}, signed by ${sender}, carries its root`)
  }
  if (block === null) {
    const message = `That block ${anchor.block_number} holds the transaction: the bundle has no proof of it`
    findings.skip(subject, message, "a block explorer")
    return { sender, block: null }
  }
  return { sender, block: checkBlock(context, anchor, block, found.raw, subject) }
}

/** Holds a block against the hashes that the auditor looked up, by number. */
export const checkBlockHash = (
  findings: Findings,
  { number, hash, timestamp, anchorId }: ClaimedBlock,
  known: ReadonlyMap<number, string>
): void => {
  const subject: Subject = { kind: "anchor", id: anchorId }
  const expected = known.get(number)
  const when = sayMoment(timestamp)
  if (expected === undefined) {
    const message = `Its transaction is in a block ${number} of ${when} with hash ${hash}: that this one is the chain's`
    findings.skip(subject, message, `--block-hash ${number}=HASH, from a source you trust, or --rpc`)
  } else if (expected !== hash) {
    findings.fail("block_hash_differs", subject, `Block ${number} is not the chain's`, expected, hash)
  } else findings.prove(subject, `Its transaction is in block ${number} of ${when}`)
}
