/** A service that anchors, in memory, over a real node. */
import { BaseChain, privateKeyFrom } from "@cairn/anchor-base"
import {
  AnchorChain,
  type AnchorChainShape,
  Anchoring,
  type AnchoringOptions,
  AnchorReader,
  Anchors,
  AnchorVerifier,
  type StoredAnchor
} from "@cairn/core/anchor"
import { LogTree } from "@cairn/core/checkpoint"
import { Micros } from "@cairn/core/encoding"
import { GeoIp } from "@cairn/core/event"
import { AnchorEvidence } from "@cairn/core/evidence"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { Acceptance, ClockGuard, Sequencer } from "@cairn/core/log"
import { addEvents, MemoryAnchors, MemoryStorage, newWorkspace } from "@cairn/testing"
import { Effect, Layer, Option, Result } from "effect"
import { PRIVATE_KEY } from "./Anvil.ts"
import { MovedClock } from "./MovedClock.ts"

/** The log id of a test's workspace. */
export const logId = (workspaceId: string) => Effect.succeed(`test/${workspaceId}`)

/** Settings of a test's service. */
export interface ServiceOptions extends Partial<Omit<BaseChain.BaseChainOptions, "urls">> {
  readonly urls: readonly [string, ...ReadonlyArray<string>]
  readonly stuckAfter?: Micros.Micros
  readonly onConfirmed?: NonNullable<AnchoringOptions["onConfirmed"]>
  /** Comes between the service and its chain. */
  readonly wrap?: (chain: AnchorChainShape) => AnchorChainShape
}

/**
 * The layer of a service. A node has as long to answer as a busy machine may take, unless a test has it hang.
 */
export const service = ({
  stuckAfter = Micros.DAY,
  onConfirmed = () => Effect.void,
  wrap = (chain) => chain,
  ...options
}: ServiceOptions) => {
  const privateKey = Result.getOrThrow(privateKeyFrom(PRIVATE_KEY))
  const chain = Layer.effect(AnchorChain, Effect.map(AnchorChain, Option.map(wrap))).pipe(
    Layer.provide(BaseChain.layer({ timeout: 30_000, privateKey, ...options }))
  )
  const storage = MemoryAnchors.layer.pipe(Layer.provideMerge(MemoryStorage.layer()))
  return Layer.mergeAll(
    Anchoring.layer({ logId, stuckAfter, onConfirmed }),
    AnchorVerifier.layer({ logId }),
    AnchorReader.layer,
    AnchorEvidence.layer,
    Acceptance.layer,
    Sequencer.layer
  ).pipe(
    Layer.provide(LogTree.layer),
    Layer.provideMerge(
      Layer.mergeAll(storage, chain, Sha256.layer, Randomness.layer, ClockGuard.layer, GeoIp.layerNowhere)
    ),
    Layer.provideMerge(MovedClock.layer)
  )
}

/** A workspace with an event in a period that is closed, and so a pending anchor. */
export const makeAnchor = Effect.gen(function* () {
  const workspaceId = yield* newWorkspace
  yield* anchorAgain(workspaceId)
  return workspaceId
})

/** One more event, and its period closed and at its end. */
export const anchorAgain = Effect.fnUntraced(function* (workspaceId: string) {
  yield* addEvents(workspaceId)
  const { close } = yield* Anchoring
  const period = Option.getOrThrow(yield* close(workspaceId))
  const { advance } = yield* MovedClock
  yield* advance(Math.max(0, period.end - (yield* Micros.now)))
  return period
})

/** The newest anchor of a workspace. */
export const newest = Effect.fnUntraced(function* (workspaceId: string) {
  const [anchor] = yield* (yield* Anchors).list(workspaceId, 1)
  if (anchor === undefined) throw new Error(`${workspaceId} has no anchor`)
  return anchor satisfies StoredAnchor
})

/** Its status, as the interface shows it. */
export const status = (workspaceId: string) => Effect.map(newest(workspaceId), (anchor) => anchor.status)
