/** Writes tiny MaxMind databases (MaxMind DB File Format 2.0), for tests. */
import { IpNetwork, NetAddress } from "effect/net"

/** What a record may hold; bytes are taken as they are, already encoded. */
export type Value =
  | string
  | number
  | boolean
  | Uint8Array
  | ReadonlyArray<Value>
  | { readonly [key: string]: Value }

/** A control byte and what follows it. Types above 7 stand in a second byte. */
const control = (type: number, size: number): ReadonlyArray<number> => {
  const [length, extra] =
    size < 29 ? [size, []] : size < 285 ? [29, [size - 29]] : [30, [(size - 285) >> 8, (size - 285) & 255]]
  return type <= 7 ? [(type << 5) | length, ...extra] : [length, type - 7, ...extra]
}

/** A text of bytes that need not be UTF-8. */
export const text = (bytes: ReadonlyArray<number>): Uint8Array =>
  Uint8Array.from([...control(2, bytes.length), ...bytes])

/** Points at a byte of the data section, below 2,048. */
export const pointer = (offset: number): Uint8Array => Uint8Array.from([0x20 | (offset >> 8), offset & 255])

/** A value as the data section holds it. */
export const encode = (value: Value): Uint8Array => {
  if (value instanceof Uint8Array) return value
  if (typeof value === "string") return text([...new TextEncoder().encode(value)])
  if (typeof value === "boolean") return Uint8Array.from(control(14, value ? 1 : 0))
  if (typeof value === "number") {
    return Uint8Array.from([...control(6, 4), ...[24, 16, 8, 0].map((shift) => (value >>> shift) & 255)])
  }
  if (Array.isArray(value)) {
    return Uint8Array.from([...control(11, value.length), ...value.flatMap((item) => [...encode(item)])])
  }
  const entries = Object.entries(value)
  return Uint8Array.from([
    ...control(7, entries.length),
    ...entries.flatMap(([key, item]) => [...encode(key), ...encode(item)])
  ])
}

/** A node's two sides: another node, where in the data section a record stands, or nothing. */
interface Node {
  readonly sides: [Node | number | undefined, Node | number | undefined]
}

const makeNode = (): Node => ({ sides: [undefined, undefined] })

/** The bits that lead to a network; in an IPv6 tree, an IPv4 one lies under 96 zeros. */
const bitsOf = (cidr: string, version: 4 | 6): ReadonlyArray<0 | 1> => {
  const { address, prefixLength } = IpNetwork.fromStringUnsafe(cidr)
  const octets = NetAddress.isIpv4Address(address)
    ? NetAddress.ipv4ToOctets(address)
    : NetAddress.ipv6ToOctets(address)
  const bits = octets.flatMap((octet) => [7, 6, 5, 4, 3, 2, 1, 0].map((at) => ((octet >> at) & 1 ? 1 : 0)))
  const zeros = version === 6 && octets.length === 4 ? new Array<0 | 1>(96).fill(0) : []
  return [...zeros, ...bits.slice(0, prefixLength)]
}

/**
 * A database of networks (CIDR, none within another) and their records; `metadata` overrides what it says of
 * itself.
 */
export const writeMmdb = (
  records: Record<string, Value>,
  { version = 4, metadata = {} }: { readonly version?: 4 | 6; readonly metadata?: Record<string, Value> } = {}
): Uint8Array => {
  const root = makeNode()
  const nodes = new Map([[root, 0]])
  const data: Array<number> = []
  for (const [cidr, value] of Object.entries(records)) {
    const bits = bitsOf(cidr, version)
    let node = root
    bits.forEach((bit, depth) => {
      const next = node.sides[bit]
      if (depth === bits.length - 1) node.sides[bit] = data.length
      else if (typeof next === "object") node = next
      else {
        const made = makeNode()
        nodes.set(made, nodes.size)
        node.sides[bit] = made
        node = made
      }
    })
    data.push(...encode(value))
  }
  const side = (target: Node | number | undefined): number => {
    if (target === undefined) return nodes.size
    return typeof target === "number" ? nodes.size + 16 + target : (nodes.get(target) ?? nodes.size)
  }
  const tree = [...nodes.keys()]
    .flatMap(({ sides }) => sides.map(side))
    .flatMap((record) => [(record >> 16) & 255, (record >> 8) & 255, record & 255])
  const described = encode({
    node_count: nodes.size,
    record_size: 24,
    ip_version: version,
    database_type: "Test",
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 0,
    description: { en: "test" },
    languages: ["en"],
    ...metadata
  })
  const marker = [0xab, 0xcd, 0xef, ...new TextEncoder().encode("MaxMind.com")]
  return Uint8Array.from([...tree, ...new Array<number>(16).fill(0), ...data, ...marker, ...described])
}

/** A record of the GeoLite2 layout. */
export const cityRecord = (iso: string, name: string) => ({
  country: { iso_code: iso },
  city: { names: { en: name } }
})
