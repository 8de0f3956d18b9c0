/**
 * Writes testdata/merkle, the language-neutral test vectors of the Merkle tree:
 *
 *     node packages/core/test/MerkleVectors.generate.ts
 *
 * Every hash comes from the RFC's definitions as written down in NaiveMerkleTree.ts, none from the code under
 * test.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  acceptsConsistency,
  acceptsInclusion,
  leafHashOf,
  MTH,
  PATH,
  PROOF,
  someLeaves
} from "../support/NaiveMerkleTree.ts"
import { sparseTree } from "../support/SparseMerkleTree.ts"

const leaves = someLeaves(64)
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const root = (size: number): string => hex(MTH(leaves.slice(0, size)))
const leafHash = (index: number): string => hex(leafHashOf(leaves[index] as Uint8Array))
const bytes = (texts: ReadonlyArray<string>): ReadonlyArray<Uint8Array> =>
  texts.map((text) => Uint8Array.from(Buffer.from(text, "hex")))

/** The hash with its lowest bit turned over. */
const flipped = (hash: string): string =>
  hash.slice(0, -1) + (Number.parseInt(hash.slice(-1), 16) ^ 1).toString(16)

type Outcome =
  | "accepted"
  | "leaf_out_of_range"
  | "sizes_out_of_range"
  | "proof_length"
  | "malformed_hash"
  | "root_mismatch"

interface Inclusion {
  readonly leaf_hash: string
  readonly leaf_index: number
  readonly tree_size: number
  readonly proof: ReadonlyArray<string>
  readonly root: string
}

interface Consistency {
  readonly first_size: number
  readonly first_root: string
  readonly second_size: number
  readonly second_root: string
  readonly proof: ReadonlyArray<string>
}

type Vector = Readonly<Record<string, string | number | ReadonlyArray<string>>>

const files = new Map<string, Vector>()

const tree = (name: string, size: number, description: string): void => {
  const data = leaves.slice(0, size)
  files.set(`tree/${name}.json`, {
    description,
    leaf_data: data.map(hex),
    leaf_hashes: data.map((leaf) => hex(leafHashOf(leaf))),
    frontier: frontier(data).map(hex),
    root: hex(MTH(data))
  })
}

/** The roots of the complete subtrees, largest first. */
const frontier = (data: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> => {
  if (data.length === 0) return []
  let width = 1
  while (2 * width <= data.length) width *= 2
  return [MTH(data.slice(0, width)), ...frontier(data.slice(width))]
}

const inclusion = (name: string, outcome: Outcome, description: string, vector: Inclusion): void => {
  const { leaf_hash, leaf_index, tree_size } = vector
  const [leaf, expected] = bytes([leaf_hash, vector.root]) as [Uint8Array, Uint8Array]
  const whole = Number.isSafeInteger(leaf_index) && Number.isSafeInteger(tree_size) && leaf_index >= 0
  const accepted = whole && acceptsInclusion(leaf, leaf_index, tree_size, bytes(vector.proof), expected)
  if (accepted !== (outcome === "accepted")) throw new Error(`inclusion/${name} is not ${outcome}`)
  files.set(`inclusion/${name}.json`, { description, ...vector, outcome })
}

const consistency = (name: string, outcome: Outcome, description: string, vector: Consistency): void => {
  const { first_size, second_size, first_root, second_root } = vector
  const [first, second] = bytes([first_root, second_root]) as [Uint8Array, Uint8Array]
  const whole = Number.isSafeInteger(first_size) && Number.isSafeInteger(second_size) && first_size > 0
  const accepted = whole && acceptsConsistency(first_size, second_size, bytes(vector.proof), first, second)
  if (accepted !== (outcome === "accepted")) throw new Error(`consistency/${name} is not ${outcome}`)
  files.set(`consistency/${name}.json`, { description, ...vector, outcome })
}

const inclusionOf = (leafIndex: number, treeSize: number): Inclusion => ({
  leaf_hash: leafHash(leafIndex),
  leaf_index: leafIndex,
  tree_size: treeSize,
  proof: PATH(leafIndex, leaves.slice(0, treeSize)).map(hex),
  root: root(treeSize)
})

const consistencyOf = (firstSize: number, secondSize: number): Consistency => ({
  first_size: firstSize,
  first_root: root(firstSize),
  second_size: secondSize,
  second_root: root(secondSize),
  proof: PROOF(firstSize, leaves.slice(0, secondSize)).map(hex)
})

const trees = (): void => {
  tree("0-leaves", 0, "The empty tree: the root is the SHA-256 of nothing.")
  tree("1-leaf", 1, "One leaf: its hash is the root.")
  tree("2-leaves", 2, "Two leaves under one node.")
  tree("3-leaves", 3, "An odd last leaf is carried up as it is, not doubled.")
  tree("7-leaves", 7, "Three complete subtrees: 4, 2 and 1 leaves.")
  tree("8-leaves", 8, "One complete subtree.")
  tree("13-leaves", 13, "Three complete subtrees and no one of 2 leaves: 8, 4 and 1.")
  tree("64-leaves", 64, "A larger complete tree.")
}

const inclusions = (): void => {
  for (const [index, size] of [
    [0, 1],
    [0, 2],
    [1, 2],
    [2, 3],
    [1, 5],
    [4, 5],
    [3, 7],
    [6, 7],
    [0, 8],
    [5, 8],
    [12, 13],
    [63, 64]
  ] as const) {
    inclusion(`leaf-${index}-of-${size}`, "accepted", `Leaf ${index} of ${size}.`, inclusionOf(index, size))
  }
  const good = inclusionOf(5, 8)
  const [sibling, uncle, top] = good.proof as [string, string, string]
  inclusion("leaf-bit-flipped", "root_mismatch", "One bit of the leaf hash is turned over.", {
    ...good,
    leaf_hash: flipped(good.leaf_hash)
  })
  inclusion("leaf-of-another-index", "root_mismatch", "The hash of leaf 4 with the proof of leaf 5.", {
    ...good,
    leaf_hash: leafHash(4)
  })
  inclusion("leaf-data-for-hash", "root_mismatch", "The leaf's data stand where its hash should.", {
    ...good,
    leaf_hash: hex(leaves[5] as Uint8Array)
  })
  for (const [position, hash] of good.proof.entries()) {
    inclusion(
      `proof-${position}-bit-flipped`,
      "root_mismatch",
      `One bit of proof hash ${position} is turned over.`,
      {
        ...good,
        proof: good.proof.with(position, flipped(hash))
      }
    )
  }
  inclusion("proof-reversed", "root_mismatch", "The proof's hashes stand in the opposite order.", {
    ...good,
    proof: good.proof.toReversed()
  })
  inclusion("proof-empty", "proof_length", "The proof has no hash.", { ...good, proof: [] })
  inclusion("proof-first-missing", "proof_length", "The proof's first hash is missing.", {
    ...good,
    proof: [uncle, top]
  })
  inclusion("proof-last-missing", "proof_length", "The proof's last hash is missing.", {
    ...good,
    proof: [sibling, uncle]
  })
  inclusion("proof-one-before", "proof_length", "A hash too many stands before the proof's own.", {
    ...good,
    proof: [good.leaf_hash, ...good.proof]
  })
  inclusion("proof-one-after", "proof_length", "The root stands after the proof's own hashes.", {
    ...good,
    proof: [...good.proof, good.root]
  })
  inclusion("proof-for-only-leaf", "proof_length", "The tree has one leaf, so its proof must be empty.", {
    ...inclusionOf(0, 1),
    proof: [leafHash(0)]
  })
  inclusion("root-bit-flipped", "root_mismatch", "One bit of the root is turned over.", {
    ...good,
    root: flipped(good.root)
  })
  inclusion("root-of-smaller-tree", "root_mismatch", "The root is that of the first 7 leaves.", {
    ...good,
    root: root(7)
  })
  inclusion("root-of-empty-tree", "root_mismatch", "The root is that of the empty tree.", {
    ...good,
    root: root(0)
  })
  inclusion("index-of-sibling", "root_mismatch", "The index is that of the leaf's sibling.", {
    ...good,
    leaf_index: 4
  })
  inclusion("index-is-size", "leaf_out_of_range", "The index is the size, one past the last leaf.", {
    ...good,
    leaf_index: 8
  })
  inclusion("index-past-32-bits", "leaf_out_of_range", "The index is 2^32 + 5, which is 5 in 32 bits.", {
    ...good,
    leaf_index: 2 ** 32 + 5
  })
  inclusion("index-negative", "leaf_out_of_range", "The index is negative.", { ...good, leaf_index: -1 })
  inclusion("index-fractional", "leaf_out_of_range", "The index is not an integer.", {
    ...good,
    leaf_index: 5.5
  })
  inclusion("size-zero", "leaf_out_of_range", "The empty tree has no leaf 0.", {
    ...inclusionOf(0, 1),
    tree_size: 0
  })
  inclusion("size-doubled", "proof_length", "The size is twice what it was.", { ...good, tree_size: 16 })
  inclusion("size-past-32-bits", "proof_length", "The size is 2^32 + 8, which is 8 in 32 bits.", {
    ...good,
    tree_size: 2 ** 32 + 8
  })
  inclusion(
    "size-of-same-shape",
    "accepted",
    "Made for leaf 0 of 3 and checked as leaf 0 of 4: a root does not fix its tree's size, which must come with it.",
    { ...inclusionOf(0, 3), tree_size: 4 }
  )
  for (const [name, hash] of [
    ["short", good.leaf_hash.slice(2)],
    ["long", `${good.leaf_hash}00`],
    ["empty", ""]
  ] as const) {
    inclusion(`leaf-${name}`, "malformed_hash", `The leaf hash has ${hash.length / 2} bytes.`, {
      ...good,
      leaf_hash: hash
    })
    inclusion(`proof-hash-${name}`, "malformed_hash", `Proof hash 1 has ${hash.length / 2} bytes.`, {
      ...good,
      proof: [sibling, hash, top]
    })
    inclusion(`root-${name}`, "malformed_hash", `The root has ${hash.length / 2} bytes.`, {
      ...good,
      root: hash
    })
  }
  hugeInclusion("above-2-to-31", 2 ** 31 + 1, 2 ** 31 + 3)
  hugeInclusion("above-2-to-32", 2 ** 32 + 5, 2 ** 40 + 7)
  hugeInclusion("largest", 2 ** 53 - 2, 2 ** 53 - 1)
}

const hugeInclusion = (name: string, leafIndex: number, treeSize: number): void => {
  const huge = sparseTree(new Map([[leafIndex, Uint8Array.of(1)]]))
  const siblings: Array<string> = []
  for (let start = 0, end = treeSize; end - start > 1; ) {
    let width = 1
    while (2 * width < end - start) width *= 2
    const left = leafIndex < start + width
    siblings.unshift(hex(left ? huge.range(start + width, end) : huge.range(start, start + width)))
    if (left) end = start + width
    else start += width
  }
  const description = `Leaf ${leafIndex} of ${treeSize}; its data are the byte 01, those of all others 32 zero bytes.`
  inclusion(name, "accepted", description, {
    leaf_hash: hex(huge.range(leafIndex, leafIndex + 1)),
    leaf_index: leafIndex,
    tree_size: treeSize,
    proof: siblings,
    root: hex(huge.range(0, treeSize))
  })
}

const consistencies = (): void => {
  for (const [first, second] of [
    [1, 1],
    [7, 7],
    [1, 2],
    [1, 8],
    [2, 5],
    [3, 7],
    [4, 7],
    [6, 7],
    [6, 8],
    [8, 13],
    [63, 64]
  ] as const) {
    const description = `The first ${first} of ${second} leaves.`
    consistency(`first-${first}-of-${second}`, "accepted", description, consistencyOf(first, second))
  }
  const good = consistencyOf(6, 8)
  const [base, , top] = good.proof as [string, string, string]
  for (const [position, hash] of good.proof.entries()) {
    consistency(
      `proof-${position}-bit-flipped`,
      "root_mismatch",
      `One bit of proof hash ${position} is turned over.`,
      { ...good, proof: good.proof.with(position, flipped(hash)) }
    )
  }
  consistency("first-root-bit-flipped", "root_mismatch", "One bit of the first root is turned over.", {
    ...good,
    first_root: flipped(good.first_root)
  })
  consistency("second-root-bit-flipped", "root_mismatch", "One bit of the second root is turned over.", {
    ...good,
    second_root: flipped(good.second_root)
  })
  consistency("roots-exchanged", "root_mismatch", "The two roots stand in each other's place.", {
    ...good,
    first_root: good.second_root,
    second_root: good.first_root
  })
  const rewritten = leaves.with(2, leaves[60] as Uint8Array).slice(0, 8)
  consistency(
    "history-rewritten",
    "root_mismatch",
    "The second tree has another leaf 2 than the first had.",
    {
      ...good,
      second_root: hex(MTH(rewritten)),
      proof: PROOF(6, rewritten).map(hex)
    }
  )
  consistency("proof-reversed", "root_mismatch", "The proof's hashes stand in the opposite order.", {
    ...good,
    proof: good.proof.toReversed()
  })
  consistency("proof-empty", "proof_length", "The proof has no hash.", { ...good, proof: [] })
  consistency("proof-first-missing", "proof_length", "The proof's first hash is missing.", {
    ...good,
    proof: good.proof.slice(1)
  })
  consistency("proof-last-missing", "proof_length", "The proof's last hash is missing.", {
    ...good,
    proof: good.proof.slice(0, -1)
  })
  consistency("proof-one-before", "proof_length", "A hash too many stands before the proof's own.", {
    ...good,
    proof: [good.first_root, ...good.proof]
  })
  consistency("proof-one-after", "proof_length", "The second root stands after the proof's own hashes.", {
    ...good,
    proof: [...good.proof, good.second_root]
  })
  consistency(
    "first-root-in-proof",
    "proof_length",
    "The first tree is a complete subtree, so the proof must not repeat its root.",
    { ...consistencyOf(4, 8), proof: [root(4), ...consistencyOf(4, 8).proof] }
  )
  consistency("equal-sizes-other-root", "root_mismatch", "Two trees of one size with different roots.", {
    ...consistencyOf(7, 7),
    second_root: root(8)
  })
  consistency("equal-sizes-with-proof", "proof_length", "Between equal sizes the proof must be empty.", {
    ...consistencyOf(7, 7),
    proof: [root(7)]
  })
  consistency("first-size-zero", "sizes_out_of_range", "From the empty tree a proof would say nothing.", {
    ...good,
    first_size: 0,
    first_root: root(0),
    proof: []
  })
  consistency("sizes-exchanged", "sizes_out_of_range", "The first tree is the larger one.", {
    ...good,
    first_size: 8,
    second_size: 6
  })
  consistency("first-size-negative", "sizes_out_of_range", "The first size is negative.", {
    ...good,
    first_size: -6
  })
  consistency("first-size-fractional", "sizes_out_of_range", "The first size is not an integer.", {
    ...good,
    first_size: 5.5
  })
  consistency(
    "first-size-past-32-bits",
    "sizes_out_of_range",
    "The first size is 2^32 + 6, which is 6 in 32 bits.",
    {
      ...good,
      first_size: 2 ** 32 + 6
    }
  )
  for (const [name, hash] of [
    ["short", good.first_root.slice(2)],
    ["long", `${good.first_root}00`],
    ["empty", ""]
  ] as const) {
    const length = hash.length / 2
    consistency(`first-root-${name}`, "malformed_hash", `The first root has ${length} bytes.`, {
      ...good,
      first_root: hash
    })
    consistency(`second-root-${name}`, "malformed_hash", `The second root has ${length} bytes.`, {
      ...good,
      second_root: hash
    })
    consistency(`proof-hash-${name}`, "malformed_hash", `Proof hash 1 has ${length} bytes.`, {
      ...good,
      proof: [base, hash, top]
    })
  }
}

/** One member a line, and an array on one line where it fits in 110 columns. */
const format = (vector: Vector): string => {
  const members = Object.entries(vector).map(([name, value], position, all) => {
    const inline = `  ${JSON.stringify(name)}: ${JSON.stringify(value).replaceAll('","', '", "')}`
    const comma = position < all.length - 1 ? 1 : 0
    if (!Array.isArray(value) || inline.length + comma <= 110) return inline
    return `  ${JSON.stringify(name)}: ${JSON.stringify(value, null, 2).replaceAll("\n", "\n  ")}`
  })
  return `{\n${members.join(",\n")}\n}\n`
}

/** Every vector's path below testdata/merkle, and its text. */
export const merkleVectors = (): ReadonlyMap<string, string> => {
  files.clear()
  trees()
  inclusions()
  consistencies()
  return new Map([...files].map(([path, vector]) => [path, format(vector)]))
}

/** Where the vectors are kept. */
export const vectorFolder = fileURLToPath(new URL("../../../../testdata/merkle/", import.meta.url))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const kind of ["tree", "inclusion", "consistency"]) {
    rmSync(join(vectorFolder, kind), { recursive: true, force: true })
  }
  for (const [path, text] of merkleVectors()) {
    mkdirSync(dirname(join(vectorFolder, path)), { recursive: true })
    writeFileSync(join(vectorFolder, path), text)
  }
}
