/** What the log says of a provider that fails: a line when it begins and one when it works again. */
import { Clock, Effect } from "effect"
import type { OpenIdConnectFailed } from "./ProviderFault.ts"

/** What of it fails. */
export type ProviderPart = "its metadata" | "its tokens"

/** Failures that are the provider's, or of the settings; anybody can cause the others. */
const OF_PROVIDER: ReadonlyArray<OpenIdConnectFailed["reason"]> = [
  "provider_error",
  "token_invalid",
  "unreachable"
]

/** The incidents with one provider, of each part by itself. */
export const providerIncidents = Effect.map(Clock.Clock, (clock) => {
  const open = new Map<ProviderPart, { readonly since: number; failures: number }>()
  const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)

  const failed = (part: ProviderPart, { reason, detail }: OpenIdConnectFailed) =>
    Effect.suspend(() => {
      const known = open.get(part)
      open.set(part, { since: known?.since ?? now(), failures: (known?.failures ?? 0) + 1 })
      return known === undefined
        ? Effect.logError(`The identity provider fails, ${part}: ${detail}`).pipe(
            Effect.annotateLogs({ reason })
          )
        : Effect.void
    })

  const succeeded = (part: ProviderPart) =>
    Effect.suspend(() => {
      const known = open.get(part)
      if (known === undefined) return Effect.void
      open.delete(part)
      return Effect.logInfo(`The identity provider works again, ${part}`).pipe(
        Effect.annotateLogs({ failures: known.failures, seconds: Math.ceil((now() - known.since) / 1_000) })
      )
    })

  /** Runs a call to the provider, and says in the log when its failures begin and when they are over. */
  return <A>(part: ProviderPart, call: Effect.Effect<A, OpenIdConnectFailed>) =>
    call.pipe(
      Effect.tap(() => succeeded(part)),
      Effect.tapError((error) => (OF_PROVIDER.includes(error.reason) ? failed(part, error) : Effect.void))
    )
})

/** How a call is run. */
export type ProviderIncidents = Effect.Success<typeof providerIncidents>
