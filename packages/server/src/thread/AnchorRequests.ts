/** What requests need of anchoring: two operations that read a whole period, and so run on the log thread. */
import {
  Anchoring,
  type AnchorVerification,
  AnchorVerifier,
  type ClosedPeriod,
  type LogDamaged
} from "@cairn/core/anchor"
import type { ClockAhead, StorageUnavailable } from "@cairn/core/log"
import { Context, Effect, Layer, type Option } from "effect"

/** The requests. */
export class AnchorRequests extends Context.Service<
  AnchorRequests,
  {
    /** See `Anchoring`. */
    readonly close: (
      workspaceId: string
    ) => Effect.Effect<Option.Option<ClosedPeriod>, StorageUnavailable | LogDamaged | ClockAhead>
    /** See `AnchorVerifier`. */
    readonly verify: (
      workspaceId: string,
      anchorId: string
    ) => Effect.Effect<Option.Option<AnchorVerification>, StorageUnavailable>
  }
>()("@cairn/server/AnchorRequests") {
  /** Runs them on this thread. */
  static readonly layer = Layer.effect(
    AnchorRequests,
    Effect.gen(function* () {
      const { close } = yield* Anchoring
      const { verify } = yield* AnchorVerifier
      return AnchorRequests.of({ close, verify })
    })
  )
}
