import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { proveConsistency } from "../../src/merkle/ConsistencyProof.ts"
import { frontierFromNodes, verifyGrowth } from "../../src/merkle/FrontierProof.ts"
import { appendLeaves, frontierRoot } from "../../src/merkle/MerkleFrontier.ts"
import { merkleRoot } from "../../src/merkle/MerkleTree.ts"
import { memoryNodes } from "../../src/merkle/TreeNodes.ts"
import { sha256 } from "../support/CountingSha256.ts"

const generated = generatedTests(import.meta.url)

const SIZE = 130
const leaves = Array.from({ length: SIZE }, (_, index) => sha256.bytes(`leaf ${index}`))
const read = memoryNodes(sha256, leaves)

const sizes = fc
  .tuple(fc.nat(SIZE), fc.nat(SIZE), fc.nat(SIZE))
  .map((three) => three.toSorted((one, other) => one - other))

/** The frontier over the leaves before `start`, to which those up to `end` were added. */
const grown = (start: number, end: number) =>
  appendLeaves(sha256, Result.getOrThrow(frontierFromNodes(read, start)), leaves.slice(start, end))

const growth = (first: number, second: number) =>
  first === 0 || first === second
    ? []
    : Result.getOrThrow(proveConsistency(sha256, read, first, second)).hashes

describe("a frontier proof", () => {
  it("shows that any run of leaves stands in the tree, at any size after it", () => {
    generated.property(
      fc.property(sizes, ([start = 0, end = 0, size = 0]) => {
        const root = merkleRoot(sha256, leaves.slice(0, size))
        const shown = verifyGrowth(sha256, grown(start, end), size, root, growth(end, size))
        // Nothing can be shown of the beginning of a tree that is empty.
        assert.strictEqual(Result.isSuccess(shown), end > 0 || size === 0)
      })
    )
  })

  it("makes the root of the tree from its stored nodes, at every size", () => {
    for (let size = 0; size <= SIZE; size++) {
      const frontier = Result.getOrThrow(frontierFromNodes(read, size))
      assert.deepStrictEqual(frontierRoot(sha256, frontier), merkleRoot(sha256, leaves.slice(0, size)))
    }
  })

  it("does not hold for a leaf that was changed, for another root, or for another way there", () => {
    generated.property(
      fc.property(sizes, fc.nat(255), ([start = 0, end = 0, size = 0], bit) => {
        fc.pre(end > start)
        const root = merkleRoot(sha256, leaves.slice(0, size))
        const after = growth(end, size)
        const frontier = Result.getOrThrow(frontierFromNodes(read, start))
        const flip = (hash: Uint8Array) => hash.with(bit >> 3, (hash[bit >> 3] ?? 0) ^ (1 << (bit & 7)))
        const [first, ...rest] = leaves.slice(start, end)
        assert.isDefined(first)
        if (first === undefined) return
        const changed = appendLeaves(sha256, frontier, [flip(first), ...rest])
        const right = grown(start, end)
        assert.isTrue(Result.isFailure(verifyGrowth(sha256, changed, size, root, after)))
        assert.isTrue(Result.isFailure(verifyGrowth(sha256, right, size, flip(root), after)))
        assert.isTrue(Result.isFailure(verifyGrowth(sha256, right, size, root, [...after, root])))
        for (const [index, hash] of after.entries()) {
          assert.isTrue(
            Result.isFailure(verifyGrowth(sha256, right, size, root, after.with(index, flip(hash))))
          )
        }
      })
    )
  })

  it("says which node is missing, and which sizes no tree has", () => {
    const missing = frontierFromNodes(() => undefined, 5)
    assert.strictEqual(Result.isFailure(missing) ? missing.failure._tag : "", "MissingNode")
    for (const size of [-1, 0.5, Number.NaN, 2 ** 54]) {
      const refused = frontierFromNodes(read, size)
      assert.strictEqual(Result.isFailure(refused) ? refused.failure._tag : "", "TreeSizeOutOfRange")
    }
  })
})
