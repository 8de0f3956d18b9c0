/**
 * Which addresses a customer may have the service call: public ones, and configured exceptions.
 *
 * A webhook or a log stream names a host. Without this check a customer could make the service call machines
 * that only it can reach. What counts is the numeric address that is called, never how it is spelt: the
 * caller resolves the name and checks the results with {@link refusalOf}.
 */
import { Result, Schema } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** What may be called. */
export interface OutboundPolicy {
  /** Networks that are allowed although they are not public. */
  readonly allow: ReadonlyArray<IpNetwork.IpNetwork>
  /** Whether `http` is allowed in addition to `https`. */
  readonly http: boolean
}

/** The service will not call this address. */
export class OutboundRefused extends Schema.TaggedError<OutboundRefused>()("OutboundRefused", {
  /** The URL's host, or the address that it resolved to. */
  host: Schema.String,
  reason: Schema.Literals([
    "not_a_url",
    "scheme",
    "credentials_in_url",
    "not_an_address",
    "not_public",
    "not_found"
  ]),
  /**
   * Of `not_found`: the look-up's error, or where the name leads to. For the service's own log and the
   * operator's commands only, since it tells which internal names exist.
   */
  detail: Schema.optionalKey(Schema.String)
}) {
  /** One sentence. */
  override get message(): string {
    return `${this.host}: ${REASONS[this.reason]}`
  }
}

/** What an operator can do about it; customers may read it too. */
const ALLOWED_BY = "the operator of Cairn can allow it with CAIRN_OUTBOUND_ALLOW"

const REASONS = {
  not_a_url: "is not a URL",
  scheme: "must be called by https; the operator of Cairn can allow http with CAIRN_OUTBOUND_HTTP=true",
  credentials_in_url: "must not have a user name or password in its URL",
  not_an_address: "is not an address",
  not_public: `is not a public address; ${ALLOWED_BY}`,
  // Of a name: the same whether it has no address or only forbidden ones, so that nobody can ask which
  // internal names exist.
  not_found: `has no public address that could be found; if it has another, ${ALLOWED_BY}`
}

const networks = (...cidrs: ReadonlyArray<string>): ReadonlyArray<IpNetwork.IpNetwork> =>
  cidrs.map(IpNetwork.fromStringUnsafe)

/**
 * The blocks of the IANA IPv4 Special-Purpose Address Registry that are not globally reachable, and some
 * more.
 */
const SPECIAL_IPV4 = networks(
  "0.0.0.0/8", // this network, RFC 791
  "10.0.0.0/8", // private, RFC 1918
  "100.64.0.0/10", // shared by carriers, RFC 6598; one cloud's metadata service
  "127.0.0.0/8", // loopback, RFC 1122
  "168.63.129.16/32", // Azure's metadata and DNS, reachable from its machines alone
  "169.254.0.0/16", // link-local, RFC 3927; the clouds' metadata services
  "172.16.0.0/12", // private, RFC 1918
  "192.0.0.0/24", // protocol assignments, RFC 6890; Oracle's metadata service
  "192.0.2.0/24", // documentation, RFC 5737
  "192.31.196.0/24", // AS112, RFC 7535
  "192.52.193.0/24", // AMT, RFC 7450
  "192.88.99.0/24", // 6to4 relays, RFC 7526
  "192.168.0.0/16", // private, RFC 1918
  "192.175.48.0/24", // AS112, RFC 7534
  "198.18.0.0/15", // benchmarks, RFC 2544
  "198.51.100.0/24", // documentation, RFC 5737
  "203.0.113.0/24", // documentation, RFC 5737
  "224.0.0.0/4", // multicast, RFC 5771
  "240.0.0.0/4" // reserved, RFC 1112, and broadcast
)

/** Global unicast, RFC 4291 section 2.4: everything else in IPv6 is special or not assigned yet. */
const GLOBAL_IPV6 = IpNetwork.fromStringUnsafe("2000::/3")

/** The blocks within it that are not globally reachable, IANA IPv6 Special-Purpose Address Registry. */
const SPECIAL_IPV6 = networks(
  "2001::/23", // protocol assignments, RFC 2928: Teredo, benchmarks, ORCHIDs and more
  "2001:db8::/32", // documentation, RFC 3849
  "2002::/16", // 6to4, RFC 3056: leads to any IPv4 address
  "2620:4f:8000::/48", // AS112, RFC 7534
  "3fff::/20" // documentation, RFC 9637
)

/**
 * Prefixes after which an IPv4 address is written: IPv4-mapped (RFC 4291 section 2.5.5.2) and NAT64 (RFC 6052
 * section 2.1).
 */
const CARRIES_IPV4 = networks("::ffff:0:0/96", "64:ff9b::/96")

/** The IPv4 address that an IPv6 address stands for, if any. */
const embedded = (address: NetAddress.IpAddress): NetAddress.IpAddress => {
  if (!NetAddress.isIpv6Address(address)) return address
  if (!CARRIES_IPV4.some((network) => IpNetwork.contains(network, address))) return address
  return NetAddress.ipv4FromBytesUnsafe(Uint8Array.from(NetAddress.ipv6ToOctets(address)).slice(12))
}

const isPublic = (address: NetAddress.IpAddress): boolean =>
  NetAddress.isIpv4Address(address)
    ? !SPECIAL_IPV4.some((network) => IpNetwork.contains(network, address))
    : IpNetwork.contains(GLOBAL_IPV6, address) &&
      !SPECIAL_IPV6.some((network) => IpNetwork.contains(network, address))

/**
 * Why an address must not be called; `undefined` if it may. The address must be in the canonical spelling of
 * a resolver or a socket. An IPv4 address within IPv6 is checked as IPv4. An IPv6 zone (`fe80::1%eth0`) is
 * never allowed.
 */
export const refusalOf = ({ allow }: OutboundPolicy, text: string): OutboundRefused | undefined => {
  const parsed = Result.getOrUndefined(NetAddress.ipFromString(text))
  if (parsed === undefined) return new OutboundRefused({ host: text, reason: "not_an_address" })
  const address = embedded(parsed)
  if (isPublic(address)) return undefined
  const allowed = allow.some(
    (network) => IpNetwork.contains(network, address) || IpNetwork.contains(network, parsed)
  )
  return allowed ? undefined : new OutboundRefused({ host: text, reason: "not_public" })
}

/**
 * Checks a URL as far as possible without resolving its host. A numeric host in any base is checked here,
 * because a URL normalizes it (`http://0x7f.1/` is `127.0.0.1`) and no resolver will see it.
 */
export const checkOutboundUrl = (
  policy: OutboundPolicy,
  text: string
): Result.Result<URL, OutboundRefused> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined)
    return Result.fail(new OutboundRefused({ host: text.slice(0, 256), reason: "not_a_url" }))
  const refuse = (reason: OutboundRefused["reason"]) =>
    Result.fail(new OutboundRefused({ host: url.hostname, reason }))
  if (url.protocol !== "https:" && !(policy.http && url.protocol === "http:")) return refuse("scheme")
  if (url.username !== "" || url.password !== "") return refuse("credentials_in_url")
  const host = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname
  const refusal = Result.isSuccess(NetAddress.ipFromString(host)) ? refusalOf(policy, host) : undefined
  return refusal === undefined ? Result.succeed(url) : Result.fail(refusal)
}

/** A list of networks in a setting, such as `10.0.0.0/8,fd00::/8`; an address alone is a network of one. */
export const parseNetworks = (
  text: string
): Result.Result<ReadonlyArray<IpNetwork.IpNetwork>, NetAddress.NetAddressError> =>
  Result.all(
    text
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "")
      .map((one) =>
        one.includes("/")
          ? IpNetwork.fromString(one)
          : Result.flatMap(NetAddress.ipFromString(one), (address) =>
              IpNetwork.make(address, NetAddress.width(address))
            )
      )
  )
