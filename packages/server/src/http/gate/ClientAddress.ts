/** Whose address a request comes from, and whether it lies in a list of networks. */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import type { Network } from "@cairn/core/encoding"
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** The address of a client. */
export interface ClientAddress {
  /** As it is shown and enriched; the IPv4 form of an IPv4-mapped one. */
  readonly text: string
  /** Undefined when the connection has none, as over a Unix socket. */
  readonly ip: NetAddress.IpAddress | undefined
}

/** An address without the IPv6 spelling of an IPv4 one, and without its zone. */
const parseAddress = (text: string): NetAddress.IpAddress | undefined => {
  const zone = text.indexOf("%")
  const address = Result.getOrUndefined(NetAddress.ipFromString(zone < 0 ? text : text.slice(0, zone)))
  return address === undefined ? undefined : NetAddress.toCanonical(address)
}

/** Whether the address lies in one of the networks. What is no address lies in none. */
export const isWithin = ({ ip }: ClientAddress, networks: ReadonlyArray<Network>): boolean =>
  ip !== undefined && networks.some((network) => IpNetwork.contains(network, ip))

const fromText = (text: string): ClientAddress => {
  const ip = parseAddress(text)
  return { text: ip === undefined ? text : NetAddress.formatIp(ip), ip }
}

/** Some proxies write the port too: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string =>
  /^\[(.*)\](?::\d+)?$/.exec(hop)?.[1] ?? hop.replace(/^([\d.]+):\d+$/, "$1")

/**
 * Tells clients' addresses: the connection's, or, when that is a trusted proxy, the right-most entry of
 * `X-Forwarded-For` that is not. An entry that is no address ends the search: its writer is not trusted for
 * the entries before it.
 */
export const clientAddresses = (
  trusted: ReadonlyArray<Network>
): ((message: IncomingMessage) => ClientAddress) => {
  // A connection's address is parsed once, not for each of its requests.
  const peers = new WeakMap<Socket, ClientAddress>()

  const peerOf = (socket: Socket): ClientAddress => {
    const known = peers.get(socket)
    if (known !== undefined) return known
    const peer = fromText(socket.remoteAddress ?? "")
    peers.set(socket, peer)
    return peer
  }

  return (message) => {
    let address = peerOf(message.socket)
    if (trusted.length === 0 || !isWithin(address, trusted)) return address
    const header = message.headers["x-forwarded-for"]
    const hops = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",")
    for (const hop of hops.reverse()) {
      const next = fromText(withoutPort(hop.trim()))
      if (next.ip === undefined) return address
      address = next
      if (!isWithin(address, trusted)) return address
    }
    return address
  }
}

/**
 * The part of an address that one client holds alone: all of an IPv4 address, the first 64 bits of an IPv6
 * one.
 */
export const subnetOf = ({ text, ip }: ClientAddress): string =>
  ip !== undefined && NetAddress.isIpv6Address(ip)
    ? IpNetwork.format(IpNetwork.fromAddressUnsafe(ip, 64))
    : text
