/**
 * Verification of an anchor: its root over the events as they are now, its link to the anchor before it, and
 * its transaction on the chain.
 *
 * No stored hash is trusted. The hash of an event is computed from its content, and the stored one must be
 * equal.
 */
import { Context, Effect, Layer, Option, Result } from "effect"
import { contentHash, eventHash } from "../event/EventHash.ts"
import { toHex } from "../hashing/Randomness.ts"
import { HASH_BYTES, Sha256, type Sha256Shape } from "../hashing/Sha256.ts"
import { EventLog, type LogEntry } from "../log/EventLog.ts"
import { mayGoOn } from "../log/ReadingBound.ts"
import { removalLookup } from "../log/RemovalRecords.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { appendLeaves, emptyFrontier, frontierRoot, type MerkleFrontier } from "../merkle/MerkleFrontier.ts"
import { writeHex } from "../merkle/TreeHash.ts"
import { AnchorChain, type AnchorChainShape, type ChainTransaction } from "./AnchorChain.ts"
import { logIdHash, parseAnchorPayload, previousAnchorHash } from "./AnchorPayload.ts"
import { shownPlace } from "./AnchorReader.ts"
import { Anchors, type StoredAnchor } from "./Anchors.ts"
import type { AnchorVerification, OnChain } from "./AnchorView.ts"

/** Rows read at once. */
const SCAN = 1_000

/** Settings. */
interface AnchorVerifierOptions {
  /** The log id of a workspace, see `AnchoringOptions`. */
  readonly logId: (workspaceId: string) => Effect.Effect<string, StorageUnavailable>
}

/**
 * The bytes of a stored hash. A text that is not a hash is itself hashed, so that it becomes a leaf, and a
 * wrong one.
 */
const leafOf = (sha256: Sha256Shape, hash: string | null): Uint8Array => {
  const leaf = new Uint8Array(HASH_BYTES)
  return hash !== null && writeHex(hash, leaf) ? leaf : sha256.bytes(hash ?? "")
}

/**
 * The hash of an event as it is stored now. A missing content counts with its stored hash if its removal is
 * on record.
 */
const recompute = (
  sha256: Sha256Shape,
  workspaceId: string,
  event: LogEntry,
  isRemoved: (sequence: number) => boolean
): string => {
  const { content, salt, id, createdAt, previousEventHash, sequence } = event
  const removed = content === null && salt === null && isRemoved(sequence) ? event.contentHash : null
  const hash = content === null || salt === null ? removed : contentHash(sha256, salt, content)
  const header = { contentHash: hash ?? "", createdAt, id, previousEventHash, sequence, workspaceId }
  return eventHash(sha256, header)
}

/** Whether a transaction is the one that an anchor states. */
const compare = (
  sha256: Sha256Shape,
  chain: AnchorChainShape,
  anchor: StoredAnchor,
  logId: string,
  { from, to, data }: ChainTransaction
): OnChain & { readonly root: boolean } => {
  const differs = (detail: string, root = false) => ({ status: "differs" as const, detail, root })
  if (!chain.accounts.includes(from) || to !== from) {
    return differs(`The transaction is none of this service's account to itself, but of ${from}`)
  }
  const id = logIdHash(sha256, logId)
  const entries = Result.getOrElse(parseAnchorPayload(data), () => []).filter(
    (entry) => entry.logIdHash === id
  )
  const [entry] = entries
  if (entry === undefined) return differs("The transaction carries no anchor of this log")
  if (entries.length > 1) return differs("The transaction carries two anchors of this log")
  if (entry.merkleRoot !== anchor.merkleRoot) {
    return differs(`The transaction carries the root ${entry.merkleRoot}`, true)
  }
  if (entry.previousAnchorHash !== anchor.previousAnchorHash) {
    return differs(`The transaction carries the hash ${entry.previousAnchorHash} of the anchor before`)
  }
  return {
    status: "matches",
    detail: "The transaction carries the root and the anchor before it",
    root: false
  }
}

/** What verifying an anchor needs. */
interface AnchorVerifierContext {
  readonly log: EventLog["Service"]
  readonly anchors: Anchors["Service"]
  readonly chain: AnchorChainShape | undefined
  readonly sha256: Sha256["Service"]
  readonly logId: AnchorVerifierOptions["logId"]
}

/**
 * The root over the events as they are. If some stored hash differs from the computed one, there are two
 * roots: over the computed hashes and over the stored ones. At least one of them differs from the original.
 */
const recomputeRoots = Effect.fnUntraced(function* (
  { log, sha256 }: AnchorVerifierContext,
  anchor: StoredAnchor
) {
  const { workspaceId, lastSequence } = anchor
  let computed: MerkleFrontier = emptyFrontier
  let stored: MerkleFrontier | undefined
  const { know, isRemoved } = removalLookup(log, sha256, workspaceId)
  for (let next = anchor.firstSequence; ; ) {
    const rows = yield* log.entries(workspaceId, next, SCAN)
    const events = rows.filter(({ sequence }) => sequence <= lastSequence)
    yield* know(events)
    const before = computed
    const hashes = events.map((event) => recompute(sha256, workspaceId, event, isRemoved))
    computed = appendLeaves(
      sha256,
      before,
      hashes.map((hash) => leafOf(sha256, hash))
    )
    if (stored !== undefined || events.some(({ eventHash: hash }, index) => hash !== hashes[index])) {
      const leaves = events.map(({ eventHash: hash }) => leafOf(sha256, hash))
      stored = appendLeaves(sha256, stored ?? before, leaves)
    }
    const last = events.at(-1)
    if (last === undefined || events.length < rows.length || !mayGoOn(rows, SCAN)) break
    next = last.sequence + 1
    yield* Effect.yieldNow
  }
  const roots = stored === undefined ? [computed] : [computed, stored]
  return roots.map((frontier) => toHex(frontierRoot(sha256, frontier)))
})

const followsPrevious = Effect.fnUntraced(function* (
  { anchors, sha256 }: AnchorVerifierContext,
  anchor: StoredAnchor
) {
  // A workspace's first anchor has no predecessor: the interface defines that as valid.
  if (anchor.ordinal === 1) return true
  const previous = Option.getOrUndefined(yield* anchors.at(anchor.workspaceId, anchor.ordinal - 1))
  if (previous === undefined) return false
  const fields = { merkle_root: previous.merkleRoot, tx_hash: previous.place?.hash ?? null }
  return anchor.previousAnchorHash === previousAnchorHash(sha256, fields)
})

const readBack = Effect.fnUntraced(
  function* ({ chain, sha256, logId }: AnchorVerifierContext, anchor: StoredAnchor) {
    const { place, status, chainId, workspaceId } = anchor
    if (chain === undefined || status !== "confirmed" || place === null || chainId !== chain.chainId) {
      const detail = status === "confirmed" ? "Its chain is not configured" : "It is not confirmed"
      return { status: "not_checked" as const, detail, root: false }
    }
    const reading = yield* chain.read(place)
    switch (reading.type) {
      case "found":
        return compare(sha256, chain, anchor, yield* logId(workspaceId), reading)
      case "absent": {
        const detail = `Block ${place.blockNumber} does not hold the transaction`
        return { status: "differs" as const, detail, root: false }
      }
      case "dropped": {
        // The anchor is still called confirmed until the next round of anchoring notices this.
        const detail = `The chain has dropped block ${place.blockNumber}: the transaction is on its way again`
        return { status: "not_checked" as const, detail, root: false }
      }
    }
  },
  Effect.catchTag("ChainUnavailable", ({ message }) =>
    Effect.succeed({ status: "unreachable" as const, detail: message, root: false })
  )
)

const verify = Effect.fn("AnchorVerifier.verify")(function* (
  context: AnchorVerifierContext,
  workspaceId: string,
  anchorId: string
) {
  const { anchors } = context
  const anchor = Option.getOrUndefined(yield* anchors.get(workspaceId, anchorId))
  if (anchor === undefined) return Option.none()
  const roots = yield* recomputeRoots(context, anchor)
  const different = roots.find((root) => root !== anchor.merkleRoot)
  const linked = yield* followsPrevious(context, anchor)
  const { status, detail, root } = yield* readBack(context, anchor)
  const { tx_hash, explorer_url } = shownPlace(anchor)
  return Option.some<AnchorVerification>({
    anchor_id: anchor.id,
    merkle_root: anchor.merkleRoot,
    valid: different === undefined && !root,
    chain_valid: linked && !(status === "differs" && !root),
    expected: different ?? anchor.merkleRoot,
    actual: anchor.merkleRoot,
    events_count: anchor.lastSequence - anchor.firstSequence + 1,
    tx_hash,
    explorer_url,
    on_chain: { status, detail }
  })
})

/** The use case *verify an anchor*. Memory does not grow with the number of events. */
export class AnchorVerifier extends Context.Service<
  AnchorVerifier,
  {
    /**
     * None if the workspace has no such anchor. Costs four SHA-256 an event of its period and one request to
     * the chain.
     */
    readonly verify: (
      workspaceId: string,
      anchorId: string
    ) => Effect.Effect<Option.Option<AnchorVerification>, StorageUnavailable>
  }
>()("@cairn/core/AnchorVerifier") {
  static readonly layer = ({ logId }: AnchorVerifierOptions) =>
    Layer.effect(
      AnchorVerifier,
      Effect.gen(function* () {
        const chain = Option.getOrUndefined(yield* AnchorChain)
        const context: AnchorVerifierContext = {
          log: yield* EventLog,
          anchors: yield* Anchors,
          chain,
          sha256: yield* Sha256,
          logId
        }
        return AnchorVerifier.of({
          verify: (workspaceId, anchorId) => verify(context, workspaceId, anchorId)
        })
      })
    )
}
