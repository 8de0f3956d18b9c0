/** Guards that let tests reach this machine, as a server is told to reach an internal network. */
import { parseNetworks } from "@cairn/core/outbound"
import { Result } from "effect"
import type { Resolve } from "../../src/outbound/HostResolver.ts"
import { makeOutboundGuard } from "../../src/outbound/OutboundGuard.ts"
import { authority } from "./Certificates.ts"

export const loopback = Result.getOrThrow(parseNetworks("127.0.0.0/8"))

/** Resolves every name to loopback, so that certificates for a name can be tried. */
export const toLoopback: Resolve = (_, done) => done(null, [{ address: "127.0.0.1", family: 4 }])

/** Allows loopback, plain HTTP, and certificates of the tests' authority. */
export const internal = { allow: loopback, http: true, authorities: [authority], resolve: toLoopback }

export const internalGuard = makeOutboundGuard(internal)
