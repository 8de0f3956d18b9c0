/**
 * Submits anchors to the chain: an anchor is created once the one before it can no longer change, many are
 * sent in one transaction, and they are watched until their block is final.
 *
 * A transaction is stored before it is sent. A crash in between leaves an unsent submission, which the next
 * round sends like any other that is in no block; a crash before it is stored leaves nothing. No other
 * transaction is ever signed for its anchors, unless
 *
 * - it is stuck: another one with the same nonce pays more, and the chain can include only one of the two;
 * - the nonce was used by something else: it is signed again with another nonce, but only once that is final
 *   and the chain knows none of its transactions, so that it can never be included twice.
 */
import { Effect, Result } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { type RandomnessShape, uuid } from "../hashing/Randomness.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import type {
  AnchorChainShape,
  ChainUnavailable,
  SignedTransaction,
  TransactionPlace
} from "./AnchorChain.ts"
import { anchorPayload, logIdHash, MAX_ANCHORS_PER_TRANSACTION, previousAnchorHash } from "./AnchorPayload.ts"
import { toAnchorDetail } from "./AnchorReader.ts"
import type { AnchorsShape, StoredAnchor, Submission } from "./Anchors.ts"
import type { AnchorDetail } from "./AnchorView.ts"

/** An anchor that is about to be confirmed, as it will be shown after that. */
export interface ConfirmedAnchor {
  readonly workspaceId: string
  readonly anchor: AnchorDetail
}

/** What submitting needs in addition to the chain. */
export interface SubmissionContext {
  readonly anchors: AnchorsShape
  readonly sha256: Sha256Shape
  readonly random: RandomnessShape
  /** The log id of a workspace, which never changes. */
  readonly logId: (workspaceId: string) => Effect.Effect<string, StorageUnavailable>
  /** Called with anchors before their confirmation is stored, and so perhaps twice. */
  readonly onConfirmed: (anchors: ReadonlyArray<ConfirmedAnchor>) => Effect.Effect<void, StorageUnavailable>
  /** How long a transaction may wait for a block before one that pays more replaces it. */
  readonly stuckAfter: Micros.Micros
}

/** Makes anchors of the periods that are next, and returns how many. */
export const createAnchors = Effect.fnUntraced(function* (
  { anchors, sha256 }: SubmissionContext,
  chainId: number | null,
  now: Micros.Micros
) {
  let total = 0
  for (;;) {
    const ripe = yield* anchors.ripe(MAX_ANCHORS_PER_TRANSACTION)
    const count = yield* anchors.create(
      ripe.map(({ period, previous }) => ({
        workspaceId: period.workspaceId,
        ordinal: period.ordinal,
        previousAnchorHash:
          previous === null
            ? null
            : previousAnchorHash(sha256, { merkle_root: previous.merkleRoot, tx_hash: previous.txHash }),
        chainId,
        createdAt: now
      }))
    )
    total += count
    if (count === 0) return total
  }
})

/** The account's next nonce: after those in the node's pool and those that are stored but not sent yet. */
const freeNonce = Effect.fnUntraced(function* ({ anchors }: SubmissionContext, chain: AnchorChainShape) {
  return Math.max(yield* chain.nextNonce, yield* anchors.nextNonce(chain.chainId, chain.account))
})

/** Sends a stored transaction. A rejection is logged for the operator, and every round tries again. */
const send = (
  { anchors }: SubmissionContext,
  chain: AnchorChainShape,
  submissionId: string,
  transaction: SignedTransaction
) =>
  chain.send(transaction).pipe(
    Effect.andThen(anchors.markSent(submissionId)),
    Effect.catchTag("TransactionRefused", ({ reason }) =>
      Effect.logWarning("The chain does not take a transaction").pipe(
        Effect.annotateLogs({ reason, hash: transaction.hash, nonce: transaction.nonce })
      )
    )
  )

/**
 * The payload's entry of an anchor; none if its stored hashes are not hashes, which is logged for the
 * operator.
 */
const entryOf = Effect.fnUntraced(function* ({ sha256, logId }: SubmissionContext, anchor: StoredAnchor) {
  const { id, merkleRoot, previousAnchorHash: previous } = anchor
  const logHash = logIdHash(sha256, yield* logId(anchor.workspaceId))
  const entry = { logIdHash: logHash, merkleRoot, previousAnchorHash: previous }
  if (Result.isSuccess(anchorPayload([entry]))) return [{ id, entry }]
  yield* Effect.logError("An anchor cannot be sent: it is damaged").pipe(
    Effect.annotateLogs({ anchorId: id })
  )
  return []
})

/**
 * Sends the pending anchors that are in no transaction yet, and returns how many.
 *
 * A period that is closed on demand ends up to a second later. Its anchor waits for that: a block must not be
 * older than the period it proves.
 */
export const submitAnchors = Effect.fnUntraced(function* (
  context: SubmissionContext,
  chain: AnchorChainShape
) {
  const { anchors, random } = context
  let total = 0
  for (;;) {
    const pending = yield* anchors.unsubmitted(chain.chainId, yield* Micros.now, MAX_ANCHORS_PER_TRANSACTION)
    const entries = (yield* Effect.forEach(pending, (anchor) => entryOf(context, anchor))).flat()
    if (entries.length === 0) return total
    const data = Result.getOrThrow(anchorPayload(entries.map(({ entry }) => entry)))
    const signed = yield* chain.sign(data, yield* freeNonce(context, chain))
    const submission = { id: uuid(random), chainId: chain.chainId, account: chain.account }
    const stored = yield* anchors.submit(
      submission,
      { ...signed, signedAt: yield* Micros.now },
      entries.map(({ id }) => id)
    )
    // Another process has already submitted these anchors or used this nonce.
    if (!stored) return total
    yield* send(context, chain, submission.id, signed)
    total += entries.length
  }
})

/** Signs again with an unused nonce. */
const moveOn = Effect.fnUntraced(function* (
  context: SubmissionContext,
  chain: AnchorChainShape,
  { id, account, confirmedHash }: Submission,
  last: SignedTransaction
) {
  // If it was confirmed before, the next anchor has named its transaction.
  if (account !== chain.account || confirmedHash !== null) {
    const why =
      confirmedHash === null ? "their account is not configured" : "their transaction was confirmed once"
    yield* Effect.logError(`Anchors whose nonce is taken cannot be sent again: ${why}`).pipe(
      Effect.annotateLogs({ account, nonce: last.nonce })
    )
    return
  }
  const signed = yield* chain.resign(last, yield* freeNonce(context, chain))
  const stored = yield* context.anchors.addTransaction(id, { ...signed, signedAt: yield* Micros.now })
  if (stored) yield* send(context, chain, id, signed)
})

/** Sends the transaction again, or, if it has waited too long, one that pays more instead. */
const insist = Effect.fnUntraced(function* (
  context: SubmissionContext,
  chain: AnchorChainShape,
  submission: Submission,
  last: Submission["transactions"][number]
) {
  const { id, account, confirmedHash, transactions } = submission
  // The next anchor has named the confirmed transaction, so no other may replace it.
  const confirmed = transactions.find(({ hash }) => hash === confirmedHash)
  const now = yield* Micros.now
  const stuck = now - last.signedAt >= context.stuckAfter
  if (confirmed !== undefined || !stuck || account !== chain.account) {
    return yield* send(context, chain, id, confirmed ?? last)
  }
  const signed = yield* chain
    .resign(last, last.nonce)
    .pipe(
      Effect.catchTag("FeeTooHigh", ({ message }) =>
        Effect.as(Effect.logWarning(`A stuck transaction is not replaced: ${message}`), undefined)
      )
    )
  if (signed === undefined) return yield* send(context, chain, id, last)
  yield* context.anchors.addTransaction(id, { ...signed, signedAt: now })
  yield* send(context, chain, id, signed)
})

/** Calls the listener with the anchors that a submission is about to confirm. */
const announce = Effect.fnUntraced(function* (
  { anchors, onConfirmed }: SubmissionContext,
  submissionId: string,
  { hash, blockNumber, blockHash }: TransactionPlace
) {
  const place = { hash, blockNumber, blockHash }
  const carried = yield* anchors.carriedBy(submissionId)
  yield* onConfirmed(
    carried.map((anchor) => ({
      workspaceId: anchor.workspaceId,
      anchor: toAnchorDetail({ ...anchor, status: "confirmed", place })
    }))
  )
})

const watch = Effect.fnUntraced(function* (
  context: SubmissionContext,
  chain: AnchorChainShape,
  submission: Submission
) {
  const { anchors } = context
  const { id, account, confirmed, transactions } = submission
  const last = transactions.at(-1)
  if (last === undefined) return
  const hashes = transactions.flatMap(({ hash, nonce }) => (nonce === last.nonce ? [hash] : []))
  const fate = yield* chain.fate({ account, nonce: last.nonce, hashes })
  if (confirmed && fate.type !== "confirmed") {
    yield* Effect.logWarning("The chain has dropped a block that was confirmed").pipe(
      Effect.annotateLogs({ hash: submission.confirmedHash })
    )
    yield* anchors.reopen(id)
  }
  switch (fate.type) {
    case "missing":
      return yield* insist(context, chain, submission, last)
    case "included":
      return yield* anchors.markSent(id)
    case "confirmed":
      if (!confirmed) yield* announce(context, id, fate)
      return yield* anchors.confirm(id, fate, fate.final)
    case "superseded":
      return yield* moveOn(context, chain, submission, last)
  }
})

/**
 * Leaves a submission whose state no node returned to the next round: the nodes may have dropped the data
 * that it needs. Fails if the nodes do not respond at all, so that the other submissions do not each wait for
 * a time-out.
 */
const leave = Effect.fnUntraced(function* (
  chain: AnchorChainShape,
  { id, transactions }: Submission,
  error: ChainUnavailable
) {
  yield* Effect.mapError(chain.nextNonce, () => error)
  yield* Effect.logWarning(
    `A transaction could not be looked up on the chain; trying again later: ${error.message}`
  ).pipe(Effect.annotateLogs({ submission: id, hash: transactions.at(-1)?.hash }))
})

/**
 * Advances every submission that is not settled. A submission that fails now does not hold up the others; the
 * round fails only if the chain does not respond at all.
 */
export const watchSubmissions = Effect.fnUntraced(function* (
  context: SubmissionContext,
  chain: AnchorChainShape
) {
  for (const submission of yield* context.anchors.unsettled(chain.chainId)) {
    yield* watch(context, chain, submission).pipe(
      Effect.catchTag("FeeTooHigh", ({ message }) => Effect.logWarning(message)),
      Effect.catchTag("ChainUnavailable", (error) => leave(chain, submission, error))
    )
  }
})
