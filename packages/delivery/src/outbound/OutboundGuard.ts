/**
 * The guard of outbound addresses. The address that is dialled is checked after the name was resolved and
 * again once the socket is connected, so that a name that resolves differently a moment later cannot bypass
 * it.
 */
import { isIP, type LookupFunction, type Socket } from "node:net"
import {
  checkOutboundUrl,
  type OutboundPolicy,
  OutboundRefused,
  OutboundUrls,
  refusalOf
} from "@cairn/core/outbound"
import { Context, Effect, Layer, type Result } from "effect"
import { type Resolve, systemResolver } from "./HostResolver.ts"

/** Options of the guard. */
export interface OutboundGuardOptions extends OutboundPolicy {
  /** Certificate authorities, as PEM, that are trusted besides the runtime's own; for internal networks. */
  readonly authorities?: ReadonlyArray<string>
  /** `systemResolver` unless set. */
  readonly resolve?: Resolve
}

/**
 * Contract: a connection made with `lookup`, to a host that `checkHost` lets pass, and handed to `watch`
 * before anything is written, reaches no address that the policy forbids.
 */
export interface OutboundGuardShape {
  /** Checks a URL as far as possible without resolving its host. */
  readonly checkUrl: (url: string) => Result.Result<URL, OutboundRefused>
  /** Checks a host that is an address, which no look-up will see; returns why it is forbidden. Names pass. */
  readonly checkHost: (host: string) => OutboundRefused | undefined
  /**
   * For the `lookup` option of a socket: returns only permitted addresses. If there are none, it fails with
   * the same `OutboundRefused` whether the name is unknown or leads to forbidden addresses only.
   */
  readonly lookup: LookupFunction
  /**
   * Destroys a socket that is connected to a forbidden address, before TLS and before any byte of the
   * request.
   */
  readonly watch: (socket: Socket) => void
  /** For the `ca` option of TLS; undefined leaves the runtime's own. */
  readonly authorities: ReadonlyArray<string> | undefined
}

/** Where a name leads to that must not be called there. */
const forbidden = (addresses: ReadonlyArray<{ readonly address: string }>): string =>
  addresses.length === 0
    ? "no address"
    : `not public: ${addresses
        .slice(0, 3)
        .map(({ address }) => address)
        .join(", ")}`

/** Builds a guard. */
export const makeOutboundGuard = (options: OutboundGuardOptions): OutboundGuardShape => {
  const resolve = options.resolve ?? systemResolver()
  return {
    checkUrl: (url) => checkOutboundUrl(options, url),
    checkHost: (host) => (isIP(host) === 0 ? undefined : refusalOf(options, host)),
    lookup: (host, { all }, done) => {
      resolve(host, (error, addresses) => {
        const [first, ...others] = (error === null ? addresses : []).filter(
          ({ address }) => refusalOf(options, address) === undefined
        )
        if (first === undefined) {
          const detail = error === null ? forbidden(addresses) : (error.code ?? error.message)
          return done(new OutboundRefused({ host, reason: "not_found", detail }), "", 0)
        }
        if (all === true) done(null, [first, ...others])
        else done(null, first.address, first.family)
      })
    },
    watch: (socket) => {
      const check = (): void => {
        const { remoteAddress } = socket
        if (remoteAddress === undefined) return
        const refusal = refusalOf(options, remoteAddress)
        if (refusal !== undefined) socket.destroy(refusal)
      }
      if (socket.connecting) socket.once("connect", check)
      else check()
    },
    authorities: options.authorities
  }
}

/** The guard. */
export class OutboundGuard extends Context.Service<OutboundGuard, OutboundGuardShape>()(
  "@cairn/delivery/OutboundGuard"
) {
  static readonly layer = (options: OutboundGuardOptions) =>
    Layer.succeed(OutboundGuard, makeOutboundGuard(options))
}

/** The guard, for use cases that only check a URL. */
export const layerOutboundUrls = Layer.effect(
  OutboundUrls,
  Effect.map(OutboundGuard, ({ checkUrl }) => OutboundUrls.of({ check: checkUrl }))
)
