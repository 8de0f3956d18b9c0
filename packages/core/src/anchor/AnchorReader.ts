/** Reading anchors, as the interface shows them. */
import { Context, Effect, Layer, Option } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { DEFAULT_LIMIT } from "../log/Page.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { BASE, explorerUrl } from "./AnchorChain.ts"
import { Anchors, type StoredAnchor } from "./Anchors.ts"
import type { Anchor, AnchorDetail } from "./AnchorView.ts"

/** The transaction as it is shown: null members until it is confirmed. */
export const shownPlace = ({ status, place, chainId }: StoredAnchor) =>
  status === "confirmed" && place !== null
    ? {
        tx_hash: place.hash,
        block_number: place.blockNumber,
        explorer_url: explorerUrl(chainId ?? BASE, place.hash)
      }
    : { tx_hash: null, block_number: null, explorer_url: null }

/** An anchor as an item of a list. */
export const toAnchor = (anchor: StoredAnchor): Anchor => ({
  id: anchor.id,
  merkle_root: anchor.merkleRoot,
  previous_anchor_hash: anchor.previousAnchorHash,
  events_count: anchor.lastSequence - anchor.firstSequence + 1,
  period_start: Micros.formatSeconds(anchor.start),
  period_end: Micros.formatSeconds(anchor.end),
  chain: "base",
  status: anchor.status,
  ...shownPlace(anchor),
  created_at: Micros.formatSeconds(anchor.createdAt)
})

/** A single anchor. */
export const toAnchorDetail = (anchor: StoredAnchor): AnchorDetail => ({
  ...toAnchor(anchor),
  first_event_hash: anchor.firstEventHash,
  last_event_hash: anchor.lastEventHash
})

/** The use case *read anchors*. */
export class AnchorReader extends Context.Service<
  AnchorReader,
  {
    /** Newest first by creation; at most `limit`, 25 unless given. */
    readonly list: (
      workspaceId: string,
      limit?: number
    ) => Effect.Effect<ReadonlyArray<Anchor>, StorageUnavailable>
    readonly get: (
      workspaceId: string,
      anchorId: string
    ) => Effect.Effect<Option.Option<AnchorDetail>, StorageUnavailable>
  }
>()("@cairn/core/AnchorReader") {
  static readonly layer = Layer.effect(
    AnchorReader,
    Effect.map(Anchors, (anchors) =>
      AnchorReader.of({
        list: (workspaceId, limit = DEFAULT_LIMIT) =>
          Effect.map(anchors.list(workspaceId, limit), (found) => found.map(toAnchor)),
        get: (workspaceId, anchorId) =>
          Effect.map(anchors.get(workspaceId, anchorId), Option.map(toAnchorDetail))
      })
    )
  )
}
