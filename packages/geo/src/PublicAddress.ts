/** Addresses that a geolocation database may be asked about. */
import { Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** Networks without a place, beside loopback, link-local, private and multicast ones (RFC 6890). */
const SPECIAL = [
  "0.0.0.0/8", // this network
  "100.64.0.0/10", // shared by carriers (RFC 6598)
  "192.0.0.0/24", // protocol assignments
  "198.18.0.0/15", // benchmarks
  "240.0.0.0/4" // reserved, and broadcast
].map((cidr) => IpNetwork.fromStringUnsafe(cidr))

/** The address in the spelling to look up; none when it is private, internal, or no address at all. */
export const publicAddress = (
  text: string
): Option.Option<{ readonly text: string; readonly family: 4 | 6 }> => {
  const parsed = NetAddress.ipFromString(text.trim())
  if (Result.isFailure(parsed)) return Option.none()
  const address = NetAddress.toCanonical(parsed.success)
  if (
    NetAddress.isUnspecified(address) ||
    NetAddress.isLoopback(address) ||
    NetAddress.isLinkLocal(address) ||
    NetAddress.isMulticast(address) ||
    SPECIAL.some((network) => IpNetwork.contains(network, address))
  ) {
    return Option.none()
  }
  if (NetAddress.isIpv4Address(address)) {
    return NetAddress.isPrivate(address)
      ? Option.none()
      : Option.some({ text: NetAddress.formatIp(address), family: 4 })
  }
  return NetAddress.isUniqueLocal(address)
    ? Option.none()
    : Option.some({ text: NetAddress.formatIp(address), family: 6 })
}
