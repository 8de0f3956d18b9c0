import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { portableSha256 } from "../../src/hashing/Sha256.ts"
import { proveConsistency, verifyConsistency } from "../../src/merkle/ConsistencyProof.ts"
import { proveInclusion, verifyInclusion } from "../../src/merkle/InclusionProof.ts"
import { appendLeaves, emptyFrontier, frontierRoot, MerkleFrontier } from "../../src/merkle/MerkleFrontier.ts"
import { merkleRoot } from "../../src/merkle/MerkleTree.ts"
import { leafHash } from "../../src/merkle/TreeHash.ts"
import { memoryNodes, rootFromNodes } from "../../src/merkle/TreeNodes.ts"
import type { NodeAddress } from "../../src/merkle/TreeShape.ts"
import { countingSha256, hex, sha256 } from "../support/CountingSha256.ts"
import { MTH, someLeaves } from "../support/NaiveMerkleTree.ts"

const leaves = someLeaves(70)
const failure = <A, E>(result: Result.Result<A, E>): E => Result.getOrThrow(Result.flip(result))

describe("merkleRoot", () => {
  it("is the RFC's at every size", () => {
    for (let size = 0; size <= leaves.length; size++) {
      const data = leaves.slice(0, size)
      assert.strictEqual(hex(merkleRoot(sha256, data)), hex(MTH(data)), `size ${size}`)
    }
  })

  it("is the same with the portable SHA-256", () => {
    assert.strictEqual(hex(merkleRoot(portableSha256, leaves)), hex(MTH(leaves)))
  })

  it("takes leaf data of any length", () => {
    const data = Array.from({ length: 40 }, (_, length) => new Uint8Array(length).fill(length))
    assert.strictEqual(hex(merkleRoot(sha256, data)), hex(MTH(data)))
  })

  it("does not double an odd last leaf, so no two lists share a root", () => {
    const [a, b, c] = leaves as [Uint8Array, Uint8Array, Uint8Array]
    const roots = [[a, b, c], [a, b, c, c], [a, b], [b, a], [a], []].map((list) =>
      hex(merkleRoot(sha256, list))
    )
    assert.strictEqual(new Set(roots).size, roots.length)
  })

  it("costs 2n − 1 SHA-256", () => {
    for (const size of [1, 2, 3, 64, 70]) {
      const counted = countingSha256()
      merkleRoot(counted.sha256, leaves.slice(0, size))
      assert.strictEqual(counted.calls, 2 * size - 1, `size ${size}`)
    }
  })
})

for (const [name, sha] of [
  ["native", sha256],
  ["portable", portableSha256]
] as const) {
  describe(`A Merkle tree over ${name} SHA-256`, () => {
    it("grows a frontier page by page, through storage", () => {
      const listened: Array<NodeAddress> = []
      let frontier = emptyFrontier
      for (let start = 0; start < leaves.length; start += 16) {
        const page = leaves.slice(start, start + 16)
        const grown = appendLeaves(sha, frontier, page, (level, index) => listened.push({ level, index }))
        frontier = Schema.decodeSync(MerkleFrontier)(Schema.encodeSync(MerkleFrontier)(grown))
      }
      assert.strictEqual(frontier.size, 70)
      assert.strictEqual(hex(frontierRoot(sha, frontier)), hex(MTH(leaves)))
      assert.strictEqual(listened.length, 70 + 35 + 17 + 8 + 4 + 2 + 1)
    })

    it("proves and verifies inclusion of an event by its hash", () => {
      const read = memoryNodes(sha, leaves)
      const root = Result.getOrThrow(rootFromNodes(sha, read, 50))
      assert.strictEqual(hex(root), hex(MTH(leaves.slice(0, 50))))
      const proof = Result.getOrThrow(proveInclusion(sha, read, 33, 50))
      const verified = (at: number) =>
        verifyInclusion(sha, leafHash(sha, leaves[at] ?? new Uint8Array()), proof, root)
      assert.deepInclude(Result.getOrThrow(verified(33)), { leafIndex: 33, treeSize: 50, root })
      assert.deepInclude(failure(verified(34)), { _tag: "RootMismatch", treeSize: 50, expected: hex(root) })
    })

    it("proves and verifies that a log only grew", () => {
      const read = memoryNodes(sha, leaves)
      const [first, second] = [MTH(leaves.slice(0, 21)), MTH(leaves)]
      const proof = Result.getOrThrow(proveConsistency(sha, read, 21, 70))
      const grown = Result.getOrThrow(verifyConsistency(sha, first, second, proof))
      assert.deepInclude(grown, { firstSize: 21, secondSize: 70 })
      assert.deepInclude(failure(verifyConsistency(sha, second, first, proof)), {
        _tag: "RootMismatch",
        treeSize: 21,
        expected: hex(second),
        computed: hex(first)
      })
    })
  })
}
