/**
 * The way of anchors to the chain: created when the one before cannot change any more, sent many to a
 * transaction, watched until their block is final.
 *
 * A transaction is stored before it is sent. A crash in between leaves a submission that nobody has sent,
 * which the next round of watching sends like any other that is in no block; a crash before it is stored
 * leaves nothing. Nothing else is ever signed for its anchors, unless
 *
 * - it is stuck: another one at the same nonce pays more, and whichever of them the chain takes, it can take
 *   only that one;
 * - somebody else has used its nonce: it is signed again at another one, but only once that is final and no
 *   transaction of its own is known to the chain, so that both can never count.
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

/** An anchor that is about to be confirmed, as it will be shown then. */
export interface ConfirmedAnchor {
  readonly workspaceId: string
  readonly anchor: AnchorDetail
}

/** What submitting needs beside the chain. */
export interface SubmissionContext {
  readonly anchors: AnchorsShape
  readonly sha256: Sha256Shape
  readonly random: RandomnessShape
  /** The log id of a workspace, which never changes. */
  readonly logId: (workspaceId: string) => Effect.Effect<string, StorageUnavailable>
  /** Told of anchors before their confirmation is stored, and so perhaps twice. */
  readonly onConfirmed: (anchors: ReadonlyArray<ConfirmedAnchor>) => Effect.Effect<void, StorageUnavailable>
  /** How long a transaction may wait for a block before it is replaced by one that pays more. */
  readonly stuckAfter: Micros.Micros
}

/** Makes anchors of the periods whose turn has come; answers how many. */
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

/** The account's next nonce: after those in the node's pool, and those that are stored and not sent yet. */
const freeNonce = Effect.fnUntraced(function* ({ anchors }: SubmissionContext, chain: AnchorChainShape) {
  return Math.max(yield* chain.nextNonce, yield* anchors.nextNonce(chain.chainId, chain.account))
})

/**
 * Sends a transaction that is stored. A refusal is the operator's to look at: it is tried again with every
 * round.
 */
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
 * The payload's entry of an anchor; none if what is stored of it is no hash, which is for the operator to
 * look at.
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
 * Sends the pending anchors that travel in no transaction yet; answers how many.
 *
 * A period that is closed on demand ends up to a second later. Its anchor waits for that: no block may be
 * older than what it proves.
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
    // Another process was faster, with these anchors or with this nonce.
    if (!stored) return total
    yield* send(context, chain, submission.id, signed)
    total += entries.length
  }
})

/** Signs again at a nonce that nobody has used. */
const moveOn = Effect.fnUntraced(function* (
  context: SubmissionContext,
  chain: AnchorChainShape,
  { id, account, confirmedHash }: Submission,
  last: SignedTransaction
) {
  // Of one that was confirmed, the next anchor has named the transaction.
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

/** Sends the transaction again, or one that pays more in its place when it has waited too long. */
const insist = Effect.fnUntraced(function* (
  context: SubmissionContext,
  chain: AnchorChainShape,
  submission: Submission,
  last: Submission["transactions"][number]
) {
  const { id, account, confirmedHash, transactions } = submission
  // The next anchor has named the transaction that was confirmed: no other may take its place.
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
        Effect.as(Effect.logWarning(`A transaction is stuck, and stays as it is: ${message}`), undefined)
      )
    )
  if (signed === undefined) return yield* send(context, chain, id, last)
  yield* context.anchors.addTransaction(id, { ...signed, signedAt: now })
  yield* send(context, chain, id, signed)
})

/** Tells of the anchors that a submission is about to confirm. */
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
 * Leaves a submission that no node could say anything of to the next round: it may be that the nodes have
 * dropped what it would take. Fails if they answer nothing else either: then they are not asked about the
 * others, one time-out after the other.
 */
const leave = Effect.fnUntraced(function* (
  chain: AnchorChainShape,
  { id, transactions }: Submission,
  error: ChainUnavailable
) {
  yield* Effect.mapError(chain.nextNonce, () => error)
  yield* Effect.logWarning(`The chain is asked about a transaction again later: ${error.message}`).pipe(
    Effect.annotateLogs({ submission: id, hash: transactions.at(-1)?.hash })
  )
})

/**
 * Looks after every submission that is not settled. One that cannot be helped now does not hold up the
 * others; fails only when the chain answers nothing at all.
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
