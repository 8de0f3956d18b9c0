/** Whether a customer's address takes a connection: guarded as all that goes there, and sent nothing. */
import { connect, isIP, type Socket } from "node:net"
import { rootCertificates, connect as tlsConnect } from "node:tls"
import type { OutboundRefused } from "@cairn/core/outbound"
import { Effect } from "effect"
import type { OutboundGuardShape } from "./OutboundGuard.ts"
import { OutboundFailed, outboundFailure } from "./OutboundHttp.ts"

/** Where a connection leads. */
export interface OutboundPlace {
  readonly host: string
  readonly port: number
  readonly tls: boolean
}

/** The place of an `http` or `https` URL. */
export const placeOfUrl = ({ protocol, hostname, port }: URL): OutboundPlace => {
  const tls = protocol === "https:"
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port) || (tls ? 443 : 80), tls }
}

/** A connecting socket, which is destroyed with the scope. */
const dial = ({ host, port, tls }: OutboundPlace, { lookup, watch, authorities }: OutboundGuardShape) =>
  Effect.acquireRelease(
    Effect.sync((): Socket => {
      const trust = authorities === undefined ? {} : { ca: [...rootCertificates, ...authorities] }
      const socket = tls
        ? tlsConnect({ host, port, lookup, ...(isIP(host) === 0 ? { servername: host } : {}), ...trust })
        : connect({ host, port, lookup })
      watch(socket)
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Connects, over TLS until the certificate is checked, and hangs up. */
export const reachOutbound = (
  guard: OutboundGuardShape,
  place: OutboundPlace,
  timeout: number
): Effect.Effect<void, OutboundFailed | OutboundRefused> =>
  Effect.gen(function* () {
    const refusal = guard.checkHost(place.host)
    if (refusal !== undefined) return yield* refusal
    const socket = yield* dial(place, guard)
    yield* Effect.callback<void, OutboundFailed | OutboundRefused>((resume) => {
      // The listener stays: a connection that breaks later must not end the process.
      socket.on("error", (error) => resume(Effect.fail(outboundFailure(error))))
      socket.once(place.tls ? "secureConnect" : "connect", () => resume(Effect.void))
    })
  }).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () =>
        Effect.fail(new OutboundFailed({ reason: "timeout", detail: `no connection within ${timeout} ms` }))
    })
  )
