/** Whose address a request comes from, and whether it lies in a list of networks. */

import type { IncomingMessage } from "node:http"
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** A network in CIDR notation, or a single address. */
export type Network = IpNetwork.IpNetwork

/** Reads `10.0.0.0/8`, `2001:db8::/32` or a bare address; `undefined` when it is none. */
export const parseNetwork = (text: string): Network | undefined => {
  const address = NetAddress.ipFromString(text)
  const network = Result.isSuccess(address)
    ? IpNetwork.fromString(`${text}/${NetAddress.width(address.success)}`)
    : IpNetwork.fromString(text)
  return Result.getOrUndefined(network)
}

/** An address without the IPv6 spelling of an IPv4 one. */
const parseAddress = (text: string): NetAddress.IpAddress | undefined => {
  const address = Result.getOrUndefined(NetAddress.ipFromString(text))
  return address === undefined ? undefined : NetAddress.toCanonical(address)
}

/** Whether the address lies in one of the networks. What is no address lies in none. */
export const isWithin = (address: string, networks: ReadonlyArray<Network>): boolean => {
  const parsed = parseAddress(address)
  return parsed !== undefined && networks.some((network) => IpNetwork.contains(network, parsed))
}

/**
 * The client's address: the connection's, or, when that is a trusted proxy, the right-most entry of `X-Forwarded-For` that is
 * not. An entry that is no address ends the search: whoever wrote it is not to be believed about those before it.
 */
export const clientAddress = (request: IncomingMessage, trusted: ReadonlyArray<Network>): string => {
  const peer = request.socket.remoteAddress ?? ""
  const canonical = parseAddress(peer)
  let address = canonical === undefined ? peer : NetAddress.formatIp(canonical)
  if (trusted.length === 0 || !isWithin(address, trusted)) return address
  const header = request.headers["x-forwarded-for"]
  const hops = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",")
  for (const hop of hops.reverse()) {
    const parsed = parseAddress(hop.trim())
    if (parsed === undefined) return address
    address = NetAddress.formatIp(parsed)
    if (!isWithin(address, trusted)) return address
  }
  return address
}
