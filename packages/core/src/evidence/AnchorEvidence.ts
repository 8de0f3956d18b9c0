/**
 * What an evidence bundle contains about an anchor: the anchor, the transactions that were signed for it, and
 * the block that contains one of them.
 */
import { Context, Effect, Layer, Option } from "effect"
import { AnchorChain } from "../anchor/AnchorChain.ts"
import { toAnchorDetail } from "../anchor/AnchorReader.ts"
import { Anchors, type StoredAnchor } from "../anchor/Anchors.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import type { EvidenceAnchor } from "./Evidence.ts"

/** An anchor and its evidence, which is loaded on demand: with its transactions it may be large. */
interface AnchorEvidenceEntry {
  readonly anchor: StoredAnchor
  /** Everything except the proof from the range's events to the anchor's root, which depends on the range. */
  readonly load: Effect.Effect<Omit<EvidenceAnchor, "type" | "after">, StorageUnavailable>
}

/** The use case *collect the evidence of anchors*. */
export class AnchorEvidence extends Context.Service<
  AnchorEvidence,
  {
    /**
     * Anchors that cover any event of a range, both ends included, oldest first. If no node returns the block
     * of a confirmed anchor now, the anchor comes without the block: its transaction hash still identifies
     * it.
     */
    readonly over: (
      workspaceId: string,
      from: number,
      to: number
    ) => Effect.Effect<ReadonlyArray<AnchorEvidenceEntry>, StorageUnavailable>
  }
>()("@cairn/core/AnchorEvidence") {
  static readonly layer = Layer.effect(
    AnchorEvidence,
    Effect.gen(function* () {
      const anchors = yield* Anchors
      const chain = Option.getOrUndefined(yield* AnchorChain)

      const blockOf = Effect.fnUntraced(
        function* ({ place, chainId }: StoredAnchor) {
          if (place === null || chain === undefined || chainId !== chain.chainId) return null
          return Option.getOrNull(yield* chain.prove(place.hash, place.blockNumber))
        },
        Effect.catchTag("ChainUnavailable", ({ message }) =>
          Effect.as(
            Effect.logWarning(`An anchor is exported without the proof of its block: ${message}`),
            null
          )
        )
      )

      const load = Effect.fnUntraced(function* (anchor: StoredAnchor) {
        const { submissionId, status, place } = anchor
        const confirmed = status === "confirmed" ? place : null
        const signed = submissionId === null ? [] : yield* anchors.transactions(submissionId)
        return {
          anchor: toAnchorDetail(anchor),
          first_sequence: anchor.firstSequence,
          last_sequence: anchor.lastSequence,
          // For a confirmed anchor, only the transaction in the chain: those that it replaced prove nothing.
          transactions: signed
            .filter(({ hash }) => confirmed === null || hash === confirmed.hash)
            .map(({ raw }) => raw),
          block: confirmed === null ? null : yield* blockOf(anchor)
        }
      })

      return AnchorEvidence.of({
        over: (workspaceId, from, to) =>
          Effect.map(anchors.over(workspaceId, from, to), (found) =>
            found.map((anchor) => ({ anchor, load: load(anchor) }))
          )
      })
    })
  )
}
