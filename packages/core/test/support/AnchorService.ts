/** A service that anchors without a chain, in memory, on a clock that a test moves. */

import {
  AnchorChain,
  Anchoring,
  type AnchoringOptions,
  AnchorReader,
  Anchors,
  AnchorVerifier
} from "@cairn/core/anchor"
import { LogTree } from "@cairn/core/checkpoint"
import type { Micros } from "@cairn/core/encoding"
import { GeoIp } from "@cairn/core/event"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { Acceptance, ClockGuard, Sequencer } from "@cairn/core/log"
import { layerManualClock, type ManualClock, MemoryAnchors, MemoryStorage } from "@cairn/testing"
import { Effect, Layer } from "effect"

/** 2024-05-01T12:00:00Z. */
export const NOON: Micros.Micros = 1_714_564_800_000_000

const logId = (workspaceId: string) => Effect.succeed(`test/${workspaceId}`)

/** The layer of a service. `wrap` comes between the use cases and what is stored. */
export const service = (
  clock: ManualClock,
  options: Partial<AnchoringOptions> = {},
  wrap: (anchors: Anchors["Service"]) => Anchors["Service"] = (anchors) => anchors
) => {
  const stored = MemoryAnchors.layer.pipe(Layer.provideMerge(MemoryStorage.layer()))
  const storage = Layer.effect(Anchors, Effect.map(Anchors, wrap)).pipe(Layer.provideMerge(stored))
  return Layer.mergeAll(
    Anchoring.layer({ logId, ...options }),
    AnchorVerifier.layer({ logId }),
    AnchorReader.layer,
    Acceptance.layer,
    Sequencer.layer
  ).pipe(
    Layer.provideMerge(LogTree.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        storage,
        AnchorChain.layerNone,
        Sha256.layer,
        Randomness.layer,
        ClockGuard.layer,
        GeoIp.layerNowhere
      )
    ),
    Layer.provideMerge(layerManualClock(clock))
  )
}

/** The anchors of a workspace, oldest first. */
export const anchorsOf = Effect.fnUntraced(function* (workspaceId: string) {
  const { list } = yield* Anchors
  return (yield* list(workspaceId, 100)).toReversed()
})
