/** Networks of IP addresses. */
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** A network in CIDR notation, or a single address. */
export type Network = IpNetwork.IpNetwork

/** A network of IPv4-mapped addresses, as the IPv4 network that it stands for. */
const canonical = (network: Network): Network => {
  const address = NetAddress.toCanonical(network.address)
  return NetAddress.isIpv4Address(address) && network.prefixLength >= 96
    ? (Result.getOrUndefined(IpNetwork.make(address, network.prefixLength - 96)) ?? network)
    : network
}

/**
 * Reads `10.0.0.0/8`, `2001:db8::/32`, `::ffff:10.0.0.0/104` or a bare address; `undefined` for any other
 * text.
 */
export const parseNetwork = (text: string): Network | undefined => {
  const address = NetAddress.ipFromString(text)
  const network = Result.isSuccess(address)
    ? IpNetwork.make(address.success, NetAddress.width(address.success))
    : IpNetwork.fromString(text)
  return Result.isSuccess(network) ? canonical(network.success) : undefined
}
