/** Addresses that a geolocation database may be asked about. */
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/**
 * IPv4 networks that are in no place (RFC 6890), beside the loopback, link-local, private and multicast ones.
 */
const INTERNAL_IPV4 = [
  "0.0.0.0/8", // this network
  "100.64.0.0/10", // shared by carriers (RFC 6598)
  "192.0.0.0/24", // protocol assignments
  "198.18.0.0/15", // benchmarks
  "240.0.0.0/4" // reserved, and broadcast
].map((cidr) => IpNetwork.fromStringUnsafe(cidr))

/**
 * All IPv6 addresses of the public Internet (RFC 4291, section 2.4, and IANA's registry). Outside lie `::`
 * and `::1`, unique-local, link-local, site-local and multicast ones, and IPv4 ones in the obsolete spelling
 * `::10.0.0.1`.
 */
const GLOBAL_IPV6 = IpNetwork.fromStringUnsafe("2000::/3")

/** An address to look up. */
export interface PublicAddress {
  /** In canonical spelling. */
  readonly text: string
  readonly family: 4 | 6
}

const isPublicIpv4 = (address: NetAddress.Ipv4Address): boolean =>
  !NetAddress.isPrivate(address) &&
  !NetAddress.isLoopback(address) &&
  !NetAddress.isLinkLocal(address) &&
  !NetAddress.isMulticast(address) &&
  !INTERNAL_IPV4.some((network) => IpNetwork.contains(network, address))

/**
 * The address to look up; undefined when it is private, internal, or no address at all. An IPv4 address in
 * IPv6 spelling (`::ffff:81.2.69.142`) becomes an IPv4 one.
 *
 * Addresses for documentation (RFC 5737, RFC 3849) are neither private nor internal, so they are looked up;
 * no public database knows them.
 */
export const publicAddress = (text: string): PublicAddress | undefined => {
  const parsed = NetAddress.ipFromString(text)
  if (Result.isFailure(parsed)) return undefined
  const address = NetAddress.toCanonical(parsed.success)
  if (NetAddress.isIpv4Address(address)) {
    return isPublicIpv4(address) ? { text: NetAddress.formatIp(address), family: 4 } : undefined
  }
  return IpNetwork.contains(GLOBAL_IPV6, address)
    ? { text: NetAddress.formatIp(address), family: 6 }
    : undefined
}
