import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import {
  InclusionProof,
  inclusionNodes,
  proveInclusion,
  rootFromInclusionProof,
  verifyInclusion
} from "../../src/merkle/InclusionProof.ts"
import { memoryNodes, type NodeReader, nodesOf } from "../../src/merkle/TreeNodes.ts"
import { ceilLog2, countingSha256, flipBit, hex, sha256 } from "../support/CountingSha256.ts"
import { acceptsInclusion, leafHashOf, MTH, PATH, someLeaves } from "../support/NaiveMerkleTree.ts"
import { sparseTree } from "../support/SparseMerkleTree.ts"
import { withoutStack } from "../support/WithoutStack.ts"

const leaves = someLeaves(70)
const leafHashes = leaves.map(leafHashOf)
const roots = Array.from({ length: 71 }, (_, size) => MTH(leaves.slice(0, size)))
const read = memoryNodes(sha256, leaves)

const leafHashAt = (index: number) => leafHashes[index] as Uint8Array
const rootOf = (size: number) => roots[size] as Uint8Array
const prove = (leafIndex: number, treeSize: number): InclusionProof =>
  Result.getOrThrow(proveInclusion(sha256, read, leafIndex, treeSize))
const verify = (leafHash: Uint8Array, proof: InclusionProof, root: Uint8Array) =>
  withoutStack(() => verifyInclusion(sha256, leafHash, proof, root))
const failure = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))

/** Every leaf of every tree of 1 to `largest` leaves. */
const everyLeaf = function* (largest: number) {
  for (let treeSize = 1; treeSize <= largest; treeSize++) {
    for (let leafIndex = 0; leafIndex < treeSize; leafIndex++) yield { leafIndex, treeSize }
  }
}

/** The proof with its hash at `position` replaced. */
const withHash = (proof: InclusionProof, position: number, hash: Uint8Array): InclusionProof => ({
  ...proof,
  hashes: proof.hashes.with(position, hash)
})

describe("InclusionProof", () => {
  it("is the RFC's for every leaf at every size", () => {
    for (const { leafIndex, treeSize } of everyLeaf(70)) {
      const expected = PATH(leafIndex, leaves.slice(0, treeSize)).map(hex)
      assert.deepStrictEqual(
        prove(leafIndex, treeSize).hashes.map(hex),
        expected,
        `${leafIndex} of ${treeSize}`
      )
    }
  })

  it("holds for every leaf at every size, and says what it proved", () => {
    for (const { leafIndex, treeSize } of everyLeaf(70)) {
      const found = Result.getOrThrow(
        verify(leafHashAt(leafIndex), prove(leafIndex, treeSize), rootOf(treeSize))
      )
      assert.strictEqual(found.leafIndex, leafIndex)
      assert.strictEqual(found.treeSize, treeSize)
      assert.strictEqual(hex(found.leafHash), hex(leafHashAt(leafIndex)))
      assert.strictEqual(hex(found.root), hex(rootOf(treeSize)))
    }
  })

  it("leads to another root when any bit of the leaf or of a proof's hash is turned over", () => {
    for (const treeSize of [1, 2, 3, 5, 8, 11]) {
      for (let leafIndex = 0; leafIndex < treeSize; leafIndex++) {
        const leafHash = leafHashAt(leafIndex)
        const proof = prove(leafIndex, treeSize)
        const root = rootOf(treeSize)
        for (let bit = 0; bit < 256; bit++) {
          const where = `${leafIndex} of ${treeSize}, bit ${bit}`
          assert.strictEqual(failure(verify(flipBit(leafHash, bit), proof, root))._tag, "RootMismatch", where)
          for (const [position, hash] of proof.hashes.entries()) {
            const wrong = verify(leafHash, withHash(proof, position, flipBit(hash, bit)), root)
            assert.strictEqual(failure(wrong)._tag, "RootMismatch", `${where} of hash ${position}`)
          }
        }
      }
    }
  })

  it("is refused with both roots when any bit of the root is turned over", () => {
    for (const { leafIndex, treeSize } of everyLeaf(9)) {
      const proof = prove(leafIndex, treeSize)
      for (let bit = 0; bit < 256; bit++) {
        const wrong = flipBit(rootOf(treeSize), bit)
        const found = failure(verify(leafHashAt(leafIndex), proof, wrong))
        if (found._tag !== "RootMismatch") return assert.fail(found._tag)
        assert.strictEqual(found.treeSize, treeSize)
        assert.strictEqual(found.expected, hex(wrong))
        assert.strictEqual(found.computed, hex(rootOf(treeSize)))
      }
    }
  })

  it("is refused at every other index of its tree", () => {
    for (const { leafIndex, treeSize } of everyLeaf(33)) {
      const proof = prove(leafIndex, treeSize)
      for (let other = 0; other < treeSize; other++) {
        if (other === leafIndex) continue
        const wrong = verify(leafHashAt(leafIndex), { ...proof, leafIndex: other }, rootOf(treeSize))
        assert.isTrue(Result.isFailure(wrong), `${leafIndex} of ${treeSize} as ${other}`)
      }
    }
  })

  it("is accepted at another index and size exactly where the RFC's verification accepts it", () => {
    let accepted = 0
    for (const { leafIndex, treeSize } of everyLeaf(12)) {
      const { hashes } = prove(leafIndex, treeSize)
      for (const other of everyLeaf(24)) {
        const mine = verify(leafHashAt(leafIndex), { ...other, hashes }, rootOf(treeSize))
        const theirs = acceptsInclusion(
          leafHashAt(leafIndex),
          other.leafIndex,
          other.treeSize,
          hashes,
          rootOf(treeSize)
        )
        const where = `${leafIndex} of ${treeSize} as ${other.leafIndex} of ${other.treeSize}`
        assert.strictEqual(Result.isSuccess(mine), theirs, where)
        if (theirs) accepted++
      }
    }
    // A root does not fix its tree's size: see verifyInclusion. Without such cases this test would prove
    // less.
    assert.isAbove(accepted, 12 * 6.5)
  })

  it("is refused with any hash left out, doubled or put in", () => {
    for (const { leafIndex, treeSize } of everyLeaf(20)) {
      const proof = prove(leafIndex, treeSize)
      const { hashes } = proof
      const expected = { _tag: "ProofLengthMismatch" as const, expected: hashes.length }
      for (let position = 0; position <= hashes.length; position++) {
        const longer = {
          ...proof,
          hashes: hashes.toSpliced(position, 0, hashes[position] ?? rootOf(treeSize))
        }
        assert.deepInclude(failure(verify(leafHashAt(leafIndex), longer, rootOf(treeSize))), {
          ...expected,
          actual: hashes.length + 1
        })
        if (position === hashes.length) continue
        const shorter = { ...proof, hashes: hashes.toSpliced(position, 1) }
        assert.deepInclude(failure(verify(leafHashAt(leafIndex), shorter, rootOf(treeSize))), {
          ...expected,
          actual: hashes.length - 1
        })
      }
    }
  })

  it("is refused with two of its hashes exchanged", () => {
    for (const { leafIndex, treeSize } of everyLeaf(40)) {
      const proof = prove(leafIndex, treeSize)
      for (let position = 1; position < proof.hashes.length; position++) {
        const [one, other] = [proof.hashes[position - 1], proof.hashes[position]] as [Uint8Array, Uint8Array]
        const exchanged = withHash(withHash(proof, position, one), position - 1, other)
        const tag = failure(verify(leafHashAt(leafIndex), exchanged, rootOf(treeSize)))._tag
        assert.strictEqual(tag, "RootMismatch", `${leafIndex} of ${treeSize}, ${position}`)
      }
    }
  })

  it("is empty for the only leaf, whose hash is the root", () => {
    assert.deepStrictEqual(prove(0, 1).hashes, [])
    assert.strictEqual(hex(rootOf(1)), hex(leafHashAt(0)))
    assert.strictEqual(failure(verify(leafHashAt(1), prove(0, 1), rootOf(1)))._tag, "RootMismatch")
  })

  it.each([
    [0, 0],
    [1, 1],
    [8, 8],
    [9, 8],
    [-1, 8],
    [0, -1],
    [0.5, 8],
    [3, 7.5],
    [Number.NaN, 8],
    [3, Number.NaN],
    [3, Number.POSITIVE_INFINITY],
    [3, 2 ** 53],
    [2 ** 32, 8],
    [2 ** 32 + 3, 8],
    [2 ** 64 - 1, 8]
  ])("has no leaf %d in a tree of %d", (leafIndex, treeSize) => {
    const expected = { _tag: "LeafOutOfRange" } as const
    const proof = { leafIndex, treeSize, hashes: prove(3, 8).hashes }
    assert.deepInclude(failure(verify(leafHashAt(3), proof, rootOf(8))), expected)
    assert.deepInclude(failure(proveInclusion(sha256, read, leafIndex, treeSize)), expected)
    assert.deepInclude(failure(inclusionNodes(leafIndex, treeSize)), expected)
  })

  it.each([0, 31, 33, 64])("is refused where a hash has %i bytes", (length) => {
    const wrong = new Uint8Array(length)
    const proof = prove(5, 8)
    const cases = [
      [verify(wrong, proof, rootOf(8)), "leaf_hash", 0],
      [verify(leafHashAt(5), withHash(proof, 1, wrong), rootOf(8)), "proof", 1],
      [verify(leafHashAt(5), proof, wrong), "root", 0]
    ] as const
    for (const [result, part, position] of cases) {
      assert.deepInclude(failure(result), { _tag: "MalformedHash", part, position, length })
    }
  })

  it("gives the root it leads to, right or not", () => {
    const proof = prove(5, 8)
    assert.strictEqual(
      hex(Result.getOrThrow(rootFromInclusionProof(sha256, leafHashAt(5), proof))),
      hex(rootOf(8))
    )
    const other = Result.getOrThrow(rootFromInclusionProof(sha256, leafHashAt(4), proof))
    assert.notStrictEqual(hex(other), hex(rootOf(8)))
  })

  it("names the nodes to read, which are all that it reads", () => {
    for (const { leafIndex, treeSize } of everyLeaf(70)) {
      const nodes = Result.getOrThrow(inclusionNodes(leafIndex, treeSize))
      assert.isAtMost(nodes.length, 2 * ceilLog2(treeSize), `${leafIndex} of ${treeSize}`)
      const rows = nodes.map((node) => ({ ...node, hash: read(node) ?? new Uint8Array() }))
      const proof = Result.getOrThrow(proveInclusion(sha256, nodesOf(rows), leafIndex, treeSize))
      assert.deepStrictEqual(proof.hashes.map(hex), prove(leafIndex, treeSize).hashes.map(hex))
    }
  })

  it("names the node that its reader lacks", () => {
    const lacking: NodeReader = (node) => (node.level === 2 ? undefined : read(node))
    assert.deepInclude(failure(proveInclusion(sha256, lacking, 2, 8)), {
      _tag: "MissingNode",
      level: 2,
      index: 1
    })
  })

  it("is made and checked for 10^7 leaves with at most 48 reads and 24 SHA-256", () => {
    const [leafIndex, treeSize] = [7_654_321, 10_000_000]
    const tree = sparseTree(new Map([[leafIndex, Uint8Array.of(1)]]))
    const counted = countingSha256()
    let reads = 0
    const proof = Result.getOrThrow(
      proveInclusion(
        counted.sha256,
        (node) => {
          reads++
          return tree.read(node)
        },
        leafIndex,
        treeSize
      )
    )
    assert.isAtMost(reads, 48)
    assert.isAtMost(counted.calls, 24)
    counted.calls = 0
    const root = tree.range(0, treeSize)
    const result = verifyInclusion(counted.sha256, tree.range(leafIndex, leafIndex + 1), proof, root)
    assert.isTrue(Result.isSuccess(result))
    assert.strictEqual(counted.calls, proof.hashes.length)
    assert.isAtMost(proof.hashes.length, 24)
  })

  it.each([
    [0, 2 ** 31 + 1],
    [2 ** 31, 2 ** 31 + 1],
    [2 ** 32 - 1, 2 ** 32],
    [2 ** 32, 2 ** 32 + 1],
    [2 ** 33 + 5, 2 ** 40 + 7],
    [2 ** 52 + 2 ** 33 + 1, 2 ** 53 - 1],
    [2 ** 53 - 2, 2 ** 53 - 1]
  ])("holds for leaf %d of %d", (leafIndex, treeSize) => {
    const tree = sparseTree(new Map([[leafIndex, Uint8Array.of(1)]]))
    const leafHash = tree.range(leafIndex, leafIndex + 1)
    const root = tree.range(0, treeSize)
    const proof = Result.getOrThrow(proveInclusion(sha256, tree.read, leafIndex, treeSize))
    assert.strictEqual(hex(Result.getOrThrow(verify(leafHash, proof, root)).root), hex(root))
    assert.isTrue(acceptsInclusion(leafHash, leafIndex, treeSize, proof.hashes, root))
    const distances = [1, 2 ** 20, 2 ** 31, 2 ** 32].flatMap((distance) => [distance, -distance])
    for (const other of distances.map((distance) => leafIndex + distance)) {
      if (other < 0 || other >= treeSize) continue
      const wrong = verify(leafHash, { ...proof, leafIndex: other }, root)
      assert.isTrue(Result.isFailure(wrong), `as leaf ${other}`)
    }
  })

  it("goes through JSON with its hashes in lower-case hexadecimal", () => {
    const codec = Schema.fromJsonString(InclusionProof)
    const text = Schema.encodeSync(codec)(prove(2, 3))
    assert.strictEqual(text, `{"leafIndex":2,"treeSize":3,"hashes":["${hex(rootOf(2))}"]}`)
    assert.isTrue(Result.isSuccess(verify(leafHashAt(2), Schema.decodeSync(codec)(text), rootOf(3))))
    assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(codec)(text.replace('["', '["0'))))
    assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(codec)(text.replace(":2", ":2.5"))))
  })
})
