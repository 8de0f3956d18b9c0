import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { portableSha256, Sha256 } from "../../src/hashing/Sha256.ts"
import { emptyFrontier, MerkleFrontier } from "../../src/merkle/MerkleFrontier.ts"
import { MerkleTree, merkleRoot } from "../../src/merkle/MerkleTree.ts"
import type { NodeAddress } from "../../src/merkle/TreeShape.ts"
import { countingSha256, hex, sha256 } from "../support/CountingSha256.ts"
import { leafHashOf, MTH, PATH, PROOF, someLeaves } from "../support/NaiveMerkleTree.ts"

const leaves = someLeaves(70)
const eventHashes = leaves.map(hex)
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

for (const [name, provider] of [
  ["native", Sha256.layer],
  ["portable", Sha256.layerPortable]
] as const) {
  layer(MerkleTree.layer.pipe(Layer.provide(provider)))(`MerkleTree over ${name} SHA-256`, (it) => {
    it.effect("gives the root over event hashes in hexadecimal", () =>
      Effect.gen(function* () {
        const tree = yield* MerkleTree
        for (const size of [0, 1, 2, 3, 70]) {
          const root = Result.getOrThrow(tree.root(eventHashes.slice(0, size)))
          assert.strictEqual(root, hex(MTH(leaves.slice(0, size))), `size ${size}`)
        }
      })
    )

    it.effect("grows a frontier page by page, through storage", () =>
      Effect.gen(function* () {
        const tree = yield* MerkleTree
        const told: Array<NodeAddress> = []
        let frontier = emptyFrontier
        for (let start = 0; start < eventHashes.length; start += 16) {
          const page = eventHashes.slice(start, start + 16)
          const grown = Result.getOrThrow(
            tree.append(frontier, page, (level, index) => told.push({ level, index }))
          )
          const stored = Schema.encodeSync(MerkleFrontier)(grown)
          frontier = Schema.decodeSync(MerkleFrontier)(stored)
        }
        assert.strictEqual(frontier.size, 70)
        assert.strictEqual(tree.frontierRoot(frontier), hex(MTH(leaves)))
        assert.strictEqual(told.length, 70 + 35 + 17 + 8 + 4 + 2 + 1)
      })
    )

    it.effect("proves and verifies inclusion of an event by its hash", () =>
      Effect.gen(function* () {
        const tree = yield* MerkleTree
        const read = Result.getOrThrow(tree.nodes(eventHashes))
        const root = Result.getOrThrow(tree.rootFromNodes(read, 50))
        assert.strictEqual(root, hex(MTH(leaves.slice(0, 50))))
        const proof = Result.getOrThrow(tree.proveInclusion(read, 33, 50))
        assert.deepStrictEqual(proof, {
          leafIndex: 33,
          treeSize: 50,
          hashes: PATH(33, leaves.slice(0, 50)).map(hex)
        })
        assert.deepStrictEqual(Result.getOrThrow(tree.verifyInclusion(eventHashes[33] ?? "", proof, root)), {
          leafIndex: 33,
          treeSize: 50,
          leafHash: hex(leafHashOf(leaves[33] as Uint8Array)),
          root
        })
        assert.deepInclude(failure(tree.verifyInclusion(eventHashes[34] ?? "", proof, root)), {
          _tag: "RootMismatch",
          treeSize: 50,
          expected: root
        })
      })
    )

    it.effect("proves and verifies that a log only grew", () =>
      Effect.gen(function* () {
        const tree = yield* MerkleTree
        const read = Result.getOrThrow(tree.nodes(eventHashes))
        const [first, second] = [hex(MTH(leaves.slice(0, 21))), hex(MTH(leaves))]
        const proof = Result.getOrThrow(tree.proveConsistency(read, 21, 70))
        assert.deepStrictEqual(proof, { firstSize: 21, secondSize: 70, hashes: PROOF(21, leaves).map(hex) })
        assert.deepStrictEqual(Result.getOrThrow(tree.verifyConsistency(first, second, proof)), {
          firstSize: 21,
          firstRoot: first,
          secondSize: 70,
          secondRoot: second
        })
        assert.deepInclude(failure(tree.verifyConsistency(second, first, proof)), {
          _tag: "RootMismatch",
          treeSize: 21,
          expected: second,
          computed: first
        })
      })
    )
  })
}

layer(MerkleTree.layer.pipe(Layer.provide(Sha256.layer)))("MerkleTree given a malformed hash", (it) => {
  const wrong = "AB".repeat(32)

  it.effect("names the event hash", () =>
    Effect.gen(function* () {
      const tree = yield* MerkleTree
      const texts = eventHashes.with(41, wrong)
      const expected = { _tag: "MalformedHash", part: "leaf_data", position: 41, length: 64 } as const
      assert.deepInclude(failure(tree.root(texts)), expected)
      assert.deepInclude(failure(tree.append(emptyFrontier, texts)), expected)
      assert.deepInclude(failure(tree.nodes(texts)), expected)
    })
  )

  it.effect("names the part of the proof", () =>
    Effect.gen(function* () {
      const tree = yield* MerkleTree
      const read = Result.getOrThrow(tree.nodes(eventHashes))
      const root = hex(MTH(leaves))
      const inclusion = Result.getOrThrow(tree.proveInclusion(read, 5, 70))
      const consistency = Result.getOrThrow(tree.proveConsistency(read, 6, 70))
      const event = eventHashes[5] ?? ""
      const broken = <P extends { readonly hashes: ReadonlyArray<string> }>(proof: P) => ({
        ...proof,
        hashes: proof.hashes.with(2, wrong)
      })
      const cases = [
        [tree.verifyInclusion(wrong, inclusion, root), "leaf_data", 0],
        [tree.verifyInclusion(event, broken(inclusion), root), "proof", 2],
        [tree.verifyInclusion(event, inclusion, wrong), "root", 0],
        [tree.verifyConsistency(wrong, root, consistency), "first_root", 0],
        [tree.verifyConsistency(root, wrong, consistency), "second_root", 0],
        [tree.verifyConsistency(root, root, broken(consistency)), "proof", 2]
      ] as const
      for (const [result, part, position] of cases) {
        assert.deepInclude(failure<unknown, unknown>(result), { _tag: "MalformedHash", part, position })
      }
    })
  )
})
