/**
 * Whether the chain holds transactions of the anchoring account that these stores know nothing of: the mark
 * of a copy that was restored and is behind.
 */
import { Context, Effect, Layer, Option } from "effect"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { AnchorChain, type ChainUnavailable } from "./AnchorChain.ts"
import { Anchors } from "./Anchors.ts"

/** The use case. */
export class UnknownAnchors extends Context.Service<
  UnknownAnchors,
  {
    /**
     * How many transactions the account has sent beyond the last that was signed for here; none when no chain
     * is configured. An account that somebody uses for other things too has more than anchors.
     */
    readonly count: Effect.Effect<Option.Option<number>, ChainUnavailable | StorageUnavailable>
  }
>()("@cairn/core/UnknownAnchors") {
  static readonly layer = Layer.effect(
    UnknownAnchors,
    Effect.gen(function* () {
      const anchors = yield* Anchors
      const chain = Option.getOrUndefined(yield* AnchorChain)
      if (chain === undefined) return UnknownAnchors.of({ count: Effect.succeedNone })
      const count = Effect.gen(function* () {
        const sent = yield* chain.nextNonce
        const signed = yield* anchors.signedUpTo(chain.chainId, chain.account)
        // An account that never anchored here may be new to this database for good reason.
        return Option.some(Math.max(0, sent - signed))
      })
      return UnknownAnchors.of({ count })
    })
  )
}
