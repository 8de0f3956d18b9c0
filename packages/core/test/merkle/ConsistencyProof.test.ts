import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import {
  ConsistencyProof,
  consistencyNodes,
  proveConsistency,
  rootsFromConsistencyProof,
  verifyConsistency
} from "../../src/merkle/ConsistencyProof.ts"
import { memoryNodes, type NodeReader, nodesOf } from "../../src/merkle/TreeNodes.ts"
import { ceilLog2, countingSha256, flipBit, hex, sha256 } from "../support/CountingSha256.ts"
import { acceptsConsistency, MTH, PROOF, someLeaves } from "../support/NaiveMerkleTree.ts"
import { sparseTree } from "../support/SparseMerkleTree.ts"
import { withoutStack } from "../support/WithoutStack.ts"

const leaves = someLeaves(70)
const roots = Array.from({ length: 71 }, (_, size) => MTH(leaves.slice(0, size)))
const read = memoryNodes(sha256, leaves)

const rootOf = (size: number) => roots[size] as Uint8Array
const prove = (firstSize: number, secondSize: number): ConsistencyProof =>
  Result.getOrThrow(proveConsistency(sha256, read, firstSize, secondSize))
const verify = (firstRoot: Uint8Array, secondRoot: Uint8Array, proof: ConsistencyProof) =>
  withoutStack(() => verifyConsistency(sha256, firstRoot, secondRoot, proof))
const failure = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))

/** Every pair of sizes with `1 ≤ firstSize ≤ secondSize ≤ largest`. */
const everyPair = function* (largest: number) {
  for (let secondSize = 1; secondSize <= largest; secondSize++) {
    for (let firstSize = 1; firstSize <= secondSize; firstSize++) yield { firstSize, secondSize }
  }
}

/** The proof with its hash at `position` replaced. */
const withHash = (proof: ConsistencyProof, position: number, hash: Uint8Array): ConsistencyProof => ({
  ...proof,
  hashes: proof.hashes.with(position, hash)
})

describe("ConsistencyProof", () => {
  it("is the RFC's between every two sizes", () => {
    for (const { firstSize, secondSize } of everyPair(70)) {
      const expected = PROOF(firstSize, leaves.slice(0, secondSize)).map(hex)
      assert.deepStrictEqual(
        prove(firstSize, secondSize).hashes.map(hex),
        expected,
        `${firstSize}, ${secondSize}`
      )
    }
  })

  it("holds between every two sizes, and says what it proved", () => {
    for (const { firstSize, secondSize } of everyPair(70)) {
      const found = Result.getOrThrow(
        verify(rootOf(firstSize), rootOf(secondSize), prove(firstSize, secondSize))
      )
      assert.strictEqual(found.firstSize, firstSize)
      assert.strictEqual(found.secondSize, secondSize)
      assert.strictEqual(hex(found.firstRoot), hex(rootOf(firstSize)))
      assert.strictEqual(hex(found.secondRoot), hex(rootOf(secondSize)))
    }
  })

  it("is refused when any bit of it or of either root is turned over", () => {
    for (const { firstSize, secondSize } of everyPair(9)) {
      const proof = prove(firstSize, secondSize)
      const [first, second] = [rootOf(firstSize), rootOf(secondSize)]
      for (let bit = 0; bit < 256; bit++) {
        const wrong = [
          verify(flipBit(first, bit), second, proof),
          verify(first, flipBit(second, bit), proof),
          ...proof.hashes.map((hash, position) =>
            verify(first, second, withHash(proof, position, flipBit(hash, bit)))
          )
        ]
        for (const [position, result] of wrong.entries()) {
          const where = `${firstSize}, ${secondSize}, bit ${bit} of ${position}`
          assert.strictEqual(failure(result)._tag, "RootMismatch", where)
        }
      }
    }
  })

  it("names the tree whose root it contradicts, with both roots", () => {
    const proof = prove(6, 8)
    assert.deepInclude(failure(verify(rootOf(5), rootOf(8), proof)), {
      _tag: "RootMismatch",
      treeSize: 6,
      expected: hex(rootOf(5)),
      computed: hex(rootOf(6))
    })
    assert.deepInclude(failure(verify(rootOf(6), rootOf(7), proof)), {
      _tag: "RootMismatch",
      treeSize: 8,
      expected: hex(rootOf(7)),
      computed: hex(rootOf(8))
    })
  })

  it("does not hold for a log whose earlier leaves were changed, removed or exchanged", () => {
    const altered = [
      leaves.with(3, leaves[60] as Uint8Array),
      leaves.toSpliced(3, 1),
      leaves.with(2, leaves[3] as Uint8Array).with(3, leaves[2] as Uint8Array)
    ]
    for (const other of altered) {
      for (const { firstSize, secondSize } of everyPair(24)) {
        if (firstSize < 4) continue
        const otherRead = memoryNodes(sha256, other)
        const proof = Result.getOrThrow(proveConsistency(sha256, otherRead, firstSize, secondSize))
        const secondRoot = MTH(other.slice(0, secondSize))
        const tag = failure(verify(rootOf(firstSize), secondRoot, proof))._tag
        assert.strictEqual(tag, "RootMismatch", `${firstSize}, ${secondSize}`)
      }
    }
  })

  it("is accepted for other sizes exactly where the RFC's verification accepts it", () => {
    let accepted = 0
    for (const { firstSize, secondSize } of everyPair(10)) {
      const { hashes } = prove(firstSize, secondSize)
      for (const other of everyPair(24)) {
        const mine = verify(rootOf(firstSize), rootOf(secondSize), { ...other, hashes })
        const theirs = acceptsConsistency(
          other.firstSize,
          other.secondSize,
          hashes,
          rootOf(firstSize),
          rootOf(secondSize)
        )
        const where = `${firstSize}, ${secondSize} as ${other.firstSize}, ${other.secondSize}`
        assert.strictEqual(Result.isSuccess(mine), theirs, where)
        if (theirs) accepted++
      }
    }
    // Roots do not fix their trees' sizes: see verifyConsistency. Without such cases this test would prove
    // less.
    assert.isAbove(accepted, 55)
  })

  it("is refused with any hash left out or put in", () => {
    for (const { firstSize, secondSize } of everyPair(20)) {
      const proof = prove(firstSize, secondSize)
      const { hashes } = proof
      const expected = { _tag: "ProofLengthMismatch" as const, expected: hashes.length }
      for (let position = 0; position <= hashes.length; position++) {
        const longer = hashes.toSpliced(position, 0, hashes[position] ?? rootOf(secondSize))
        assert.deepInclude(
          failure(verify(rootOf(firstSize), rootOf(secondSize), { ...proof, hashes: longer })),
          {
            ...expected,
            actual: hashes.length + 1
          }
        )
        if (position === hashes.length) continue
        const shorter = hashes.toSpliced(position, 1)
        assert.deepInclude(
          failure(verify(rootOf(firstSize), rootOf(secondSize), { ...proof, hashes: shorter })),
          {
            ...expected,
            actual: hashes.length - 1
          }
        )
      }
    }
  })

  it("is empty between equal sizes, whose roots must be the same", () => {
    assert.deepStrictEqual(prove(7, 7).hashes, [])
    assert.deepInclude(failure(verify(rootOf(7), rootOf(8), prove(7, 7))), {
      _tag: "RootMismatch",
      treeSize: 7,
      expected: hex(rootOf(8)),
      computed: hex(rootOf(7))
    })
  })

  it.each([
    [0, 0],
    [0, 8],
    [9, 8],
    [8, 0],
    [-1, 8],
    [6, -8],
    [0.5, 8],
    [6, 8.5],
    [Number.NaN, 8],
    [6, Number.NaN],
    [6, Number.POSITIVE_INFINITY],
    [6, 2 ** 53],
    [2 ** 32 + 6, 8],
    [2 ** 64, 2 ** 64]
  ])("does not exist from %d to %d leaves", (firstSize, secondSize) => {
    const expected = { _tag: "SizesOutOfRange" } as const
    const proof = { firstSize, secondSize, hashes: prove(6, 8).hashes }
    assert.deepInclude(failure(verify(rootOf(6), rootOf(8), proof)), expected)
    assert.deepInclude(failure(proveConsistency(sha256, read, firstSize, secondSize)), expected)
    assert.deepInclude(failure(consistencyNodes(firstSize, secondSize)), expected)
  })

  it.each([0, 31, 33, 64])("is refused where a hash has %i bytes", (length) => {
    const wrong = new Uint8Array(length)
    const proof = prove(6, 8)
    const cases = [
      [verify(wrong, rootOf(8), proof), "first_root", 0],
      [verify(rootOf(6), wrong, proof), "second_root", 0],
      [verify(rootOf(6), rootOf(8), withHash(proof, 2, wrong)), "proof", 2]
    ] as const
    for (const [result, part, position] of cases) {
      assert.deepInclude(failure(result), { _tag: "MalformedHash", part, position, length })
    }
  })

  it("gives the roots it leads to, right or not", () => {
    const leads = (firstRoot: Uint8Array, proof: ConsistencyProof) => {
      const found = Result.getOrThrow(rootsFromConsistencyProof(sha256, firstRoot, proof))
      return [hex(found.firstRoot), hex(found.secondRoot)]
    }
    // From 6 leaves the proof alone gives both; from 4, a complete subtree, it starts at the first root
    // itself.
    assert.deepStrictEqual(leads(rootOf(1), prove(6, 8)), [hex(rootOf(6)), hex(rootOf(8))])
    assert.deepStrictEqual(leads(rootOf(4), prove(4, 8)), [hex(rootOf(4)), hex(rootOf(8))])
    assert.notStrictEqual(leads(rootOf(3), prove(4, 8))[1], hex(rootOf(8)))
  })

  it("names the nodes to read, which are all that it reads", () => {
    for (const { firstSize, secondSize } of everyPair(70)) {
      const nodes = Result.getOrThrow(consistencyNodes(firstSize, secondSize))
      assert.isAtMost(nodes.length, 2 * ceilLog2(secondSize), `${firstSize}, ${secondSize}`)
      const rows = nodes.map((node) => ({ ...node, hash: read(node) ?? new Uint8Array() }))
      const proof = Result.getOrThrow(proveConsistency(sha256, nodesOf(rows), firstSize, secondSize))
      assert.deepStrictEqual(proof.hashes.map(hex), prove(firstSize, secondSize).hashes.map(hex))
    }
  })

  it("names the node that its reader lacks", () => {
    const lacking: NodeReader = (node) => (node.level === 1 ? undefined : read(node))
    assert.deepInclude(failure(proveConsistency(sha256, lacking, 6, 8)), {
      _tag: "MissingNode",
      level: 1,
      index: 2
    })
  })

  it("is made and checked for 10^7 leaves with at most 48 reads and 49 SHA-256", () => {
    const [firstSize, secondSize] = [7_654_321, 10_000_000]
    const tree = sparseTree(new Map([[5_000_000, Uint8Array.of(1)]]))
    const counted = countingSha256()
    let reads = 0
    const counting: NodeReader = (node) => {
      reads++
      return tree.read(node)
    }
    const proof = Result.getOrThrow(proveConsistency(counted.sha256, counting, firstSize, secondSize))
    assert.isAtMost(reads, 48)
    assert.isAtMost(counted.calls, 24)
    counted.calls = 0
    const [first, second] = [tree.range(0, firstSize), tree.range(0, secondSize)]
    assert.isTrue(Result.isSuccess(verifyConsistency(counted.sha256, first, second, proof)))
    assert.isAtMost(counted.calls, 49)
  })

  it.each([
    [1, 2 ** 32 + 1],
    [2 ** 31, 2 ** 31 + 1],
    [2 ** 31 + 1, 2 ** 32],
    [2 ** 32, 2 ** 32 + 1],
    [2 ** 33 + 5, 2 ** 40 + 7],
    [2 ** 52 + 2 ** 33 + 1, 2 ** 53 - 1],
    [2 ** 53 - 2, 2 ** 53 - 1],
    [2 ** 53 - 1, 2 ** 53 - 1]
  ])("holds from %d to %d leaves", (firstSize, secondSize) => {
    const tree = sparseTree(new Map([[firstSize - 1, Uint8Array.of(1)]]))
    const [first, second] = [tree.range(0, firstSize), tree.range(0, secondSize)]
    const proof = Result.getOrThrow(proveConsistency(sha256, tree.read, firstSize, secondSize))
    assert.strictEqual(hex(Result.getOrThrow(verify(first, second, proof)).secondRoot), hex(second))
    assert.isTrue(acceptsConsistency(firstSize, secondSize, proof.hashes, first, second))
    // The same tree with its last leaf before the first root altered.
    const rewritten = sparseTree(new Map([[firstSize - 1, Uint8Array.of(2)]]))
    const forged = Result.getOrThrow(proveConsistency(sha256, rewritten.read, firstSize, secondSize))
    assert.strictEqual(failure(verify(first, rewritten.range(0, secondSize), forged))._tag, "RootMismatch")
  })

  it("goes through JSON with its hashes in lower-case hexadecimal", () => {
    const codec = Schema.fromJsonString(ConsistencyProof)
    const text = Schema.encodeSync(codec)(prove(2, 3))
    assert.match(text, /^{"firstSize":2,"secondSize":3,"hashes":\["[0-9a-f]{64}"\]}$/)
    assert.isTrue(Result.isSuccess(verify(rootOf(2), rootOf(3), Schema.decodeSync(codec)(text))))
    assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(codec)(text.replace('["', '["0'))))
  })
})
