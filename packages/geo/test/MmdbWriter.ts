/** Writes tiny MaxMind databases (MaxMind DB File Format 2.0) of IPv4 networks, for tests. */

type Value = string | number | { readonly [key: string]: Value }

const control = (type: number, size: number): ReadonlyArray<number> => {
  const [length, extra] =
    size < 29 ? [size, []] : size < 285 ? [29, [size - 29]] : [30, [(size - 285) >> 8, (size - 285) & 255]]
  // Types above 7 stand in a second byte.
  return type <= 7 ? [(type << 5) | length, ...extra] : [length, type - 7, ...extra]
}

const encode = (value: Value): ReadonlyArray<number> => {
  if (typeof value === "string") {
    const bytes = [...new TextEncoder().encode(value)]
    return [...control(2, bytes.length), ...bytes]
  }
  if (typeof value === "number") {
    return [...control(6, 4), (value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
  }
  const entries = Object.entries(value)
  return [
    ...control(7, entries.length),
    ...entries.flatMap(([key, item]) => [...encode(key), ...encode(item)])
  ]
}

interface Node {
  readonly children: [Node | Leaf | undefined, Node | Leaf | undefined]
}
interface Leaf {
  readonly value: Value
}

/** A database of IPv4 networks (CIDR) and their records. */
export const writeMmdb = (records: Record<string, Value>): Uint8Array => {
  const root: Node = { children: [undefined, undefined] }
  for (const [cidr, value] of Object.entries(records)) {
    const [address = "", bits = "32"] = cidr.split("/")
    const number = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0)
    let node = root
    for (let depth = 0; depth < Number(bits); depth++) {
      const side = Math.floor(number / 2 ** (31 - depth)) % 2 === 0 ? 0 : 1
      if (depth === Number(bits) - 1) {
        node.children[side] = { value }
        break
      }
      const next = node.children[side]
      if (next !== undefined && "children" in next) node = next
      else {
        const made: Node = { children: [undefined, undefined] }
        node.children[side] = made
        node = made
      }
    }
  }
  const nodes: Array<Node> = []
  const number = (node: Node): void => {
    nodes.push(node)
    for (const child of node.children) if (child !== undefined && "children" in child) number(child)
  }
  number(root)
  const data: Array<number> = []
  const tree: Array<number> = []
  for (const node of nodes) {
    for (const child of node.children) {
      let record = nodes.length
      if (child !== undefined && "children" in child) record = nodes.indexOf(child)
      else if (child !== undefined) {
        record = nodes.length + 16 + data.length
        data.push(...encode(child.value))
      }
      tree.push((record >> 16) & 255, (record >> 8) & 255, record & 255)
    }
  }
  const metadata = encode({
    node_count: nodes.length,
    record_size: 24,
    ip_version: 4,
    database_type: "Test",
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 0,
    description: { en: "test" }
  })
  const marker = [0xab, 0xcd, 0xef, ...new TextEncoder().encode("MaxMind.com")]
  return Uint8Array.from([...tree, ...new Array<number>(16).fill(0), ...data, ...marker, ...metadata])
}
