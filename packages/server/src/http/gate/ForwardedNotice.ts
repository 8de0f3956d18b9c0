/** Says once that a proxy's word on clients' addresses is not taken, which an operator may not know. */
import type { IncomingMessage } from "node:http"
import type { Network } from "@cairn/core/encoding"
import { Effect } from "effect"
import { clientAddresses, isWithin } from "./ClientAddress.ts"

/** The notice. It is due until it was said once. */
export interface ForwardedNotice {
  /** Whether a request comes with `X-Forwarded-For` from a peer that is not trusted with it. */
  readonly isDue: (message: IncomingMessage) => boolean
  /** Says it of a request, if it is due. */
  readonly note: (message: IncomingMessage) => Effect.Effect<void>
}

/** Looks at requests until the notice was said. */
export const makeForwardedNotice = (trusted: ReadonlyArray<Network>): ForwardedNotice => {
  const peerOf = clientAddresses([])
  let isSaid = false
  const isDue = (message: IncomingMessage): boolean =>
    !isSaid && message.headers["x-forwarded-for"] !== undefined && !isWithin(peerOf(message), trusted)
  return {
    isDue,
    note: (message) => {
      if (!isDue(message)) return Effect.void
      isSaid = true
      return Effect.logWarning(
        "X-Forwarded-For is not believed; if it comes from your proxy, CAIRN_TRUSTED_PROXIES has to name it"
      ).pipe(Effect.annotateLogs({ peer: peerOf(message).text }))
    }
  }
}
