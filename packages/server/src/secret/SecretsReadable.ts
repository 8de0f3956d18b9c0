/**
 * Whether this process can open what is sealed in its database: another process may seal with a key that is
 * not here.
 */
import type { Checkpoints } from "@cairn/core/checkpoint"
import type { SecretBox } from "@cairn/core/hashing"
import type { StorageUnavailable } from "@cairn/core/log"
import { inspectSecrets } from "@cairn/core/management"
import type { LogStreams, Webhooks } from "@cairn/core/outbound"
import type { ViewerKeys } from "@cairn/core/workspace"
import { Clock, Context, Effect, Layer } from "effect"
import { type ApiError, unavailable } from "../http/plumbing/ApiError.ts"

/** For how many milliseconds a result holds, good or bad: supervisors ask every few seconds. */
const GOOD_FOR = { well: 15_000, ill: 1_000 }

/** The check, for `/readyz`. */
export class SecretsReadable extends Context.Service<
  SecretsReadable,
  { readonly check: Effect.Effect<void, ApiError | StorageUnavailable> }
>()("@cairn/server/SecretsReadable") {
  static readonly layer = Layer.effect(
    SecretsReadable,
    Effect.gen(function* () {
      const context = yield* Effect.context<Webhooks | LogStreams | ViewerKeys | Checkpoints | SecretBox>()
      let found: { readonly until: number; readonly missing: string } = { until: -1, missing: "" }
      const check = Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const now = Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
        if (now >= found.until) {
          const { missing } = yield* Effect.provide(inspectSecrets, context)
          const ids = missing.map(({ keyId }) => keyId).join(", ")
          if (ids !== "" && ids !== found.missing) {
            yield* Effect.logError("Secrets are sealed with a key that is not here").pipe(
              Effect.annotateLogs({ keys: ids })
            )
          }
          found = { until: now + (ids === "" ? GOOD_FOR.well : GOOD_FOR.ill), missing: ids }
        }
        if (found.missing !== "") {
          return yield* unavailable(
            `Secrets are sealed with the key ${found.missing}, which this process does not have`,
            30
          )
        }
      })
      return SecretsReadable.of({ check })
    })
  )
}
