/** Says once that a proxy's word on clients' addresses is not taken, which an operator may not know. */
import type { IncomingMessage } from "node:http"
import type { Network } from "@cairn/core/encoding"
import { Effect } from "effect"
import { clientAddresses, isWithin } from "./ClientAddress.ts"

/** Looks at requests until one comes with `X-Forwarded-For` from a peer that is not trusted with it. */
export const makeForwardedNotice = (trusted: ReadonlyArray<Network>) => {
  const peerOf = clientAddresses([])
  let isSaid = false
  return (message: IncomingMessage): Effect.Effect<void> => {
    if (isSaid || message.headers["x-forwarded-for"] === undefined) return Effect.void
    const peer = peerOf(message)
    if (isWithin(peer, trusted)) return Effect.void
    isSaid = true
    return Effect.logWarning(
      "X-Forwarded-For is not believed; if it comes from your proxy, CAIRN_TRUSTED_PROXIES has to name it"
    ).pipe(Effect.annotateLogs({ peer: peer.text }))
  }
}
