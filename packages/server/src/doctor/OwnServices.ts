/** The HTTP services that the operator has configured, and the time that each tells. */
import { Micros } from "@cairn/core/encoding"
import { Effect } from "effect"
import type { ExportStoreSettings } from "../settings/ExportSettings.ts"
import type { Patient } from "./Patient.ts"

/** A service. */
export interface OwnService {
  /** What it is, without its address. */
  readonly name: string
  /** May hold a secret. */
  readonly url: string
}

const storeUrl = (store: ExportStoreSettings | null): ReadonlyArray<string> =>
  store?.kind === "s3" ? [store.endpoint ?? `https://${store.bucket}.s3.${store.region}.amazonaws.com`] : []

/** Those that are configured. */
export const servicesOf = ({ settings, chain }: Patient): ReadonlyArray<OwnService> => [
  ...storeUrl(settings.exportStore).map((url) => ({ name: "the store of exports", url })),
  ...storeUrl(settings.archiveStore).map((url) => ({ name: "the store of archives", url })),
  ...(chain?.urls.slice(0, 1) ?? []).map((url) => ({ name: "the node of the chain", url })),
  ...(settings.oidc === null ? [] : [{ name: "the identity provider", url: settings.oidc.issuer }])
]

const LIMIT_MILLIS = 5_000

/**
 * How far this clock is ahead of what a service tells, to within its second; null if it does not answer, or
 * tells no time.
 */
export const dateOf = (url: string) =>
  Effect.gen(function* () {
    const answer = yield* Effect.tryPromise((signal) =>
      fetch(new URL(url).origin, {
        method: "HEAD",
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MILLIS)])
      })
    )
    const now = yield* Micros.now
    const at = Date.parse(answer.headers.get("date") ?? "")
    return Number.isNaN(at) ? null : { ahead: now - Micros.fromMillis(at) }
  }).pipe(Effect.orElseSucceed(() => null))
