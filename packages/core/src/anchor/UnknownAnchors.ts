/**
 * Whether the chain has transactions of the anchoring account that are not in this store: the sign of a
 * restored copy that is behind.
 */
import { Context, Effect, Layer, Option } from "effect"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { AnchorChain, type ChainUnavailable } from "./AnchorChain.ts"
import { Anchors } from "./Anchors.ts"

/** The use case of this module. */
export class UnknownAnchors extends Context.Service<
  UnknownAnchors,
  {
    /**
     * How many transactions the account has sent after the last one signed here; none if no chain is
     * configured. If the account is also used for other purposes, those transactions count too.
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
        // An account that never anchored here may rightly be new to this database.
        return Option.some(Math.max(0, sent - signed))
      })
      return UnknownAnchors.of({ count })
    })
  )
}
