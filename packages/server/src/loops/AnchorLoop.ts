/** Anchoring, round after round, for as long as the process works. */
import { Anchoring } from "@cairn/core/anchor"
import { makeNotBehind } from "@cairn/core/log"
import { Effect } from "effect"
import { storeFailed } from "./StoreIncidents.ts"

/** Between two rounds: a block of Base comes every two seconds. */
const PAUSE = "5 seconds"

/** The loop. What fails is logged, and tried again in the next round. */
export const anchorLoop = Effect.gen(function* () {
  const { round } = yield* Anchoring
  // What a database that is behind has in store must not go to the chain.
  const attempt = Effect.andThen(yield* makeNotBehind("anchor"), round)
  const once = Effect.catchTag(attempt, "StorageUnavailable", (error) =>
    storeFailed("Anchoring failed, and is tried again", error)
  )
  return yield* Effect.forever(Effect.andThen(once, Effect.sleep(PAUSE)))
})
