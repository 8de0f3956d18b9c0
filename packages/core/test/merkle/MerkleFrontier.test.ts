import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import {
  appendLeaves,
  emptyFrontier,
  frontierFrom,
  frontierRoot,
  MerkleFrontier
} from "../../src/merkle/MerkleFrontier.ts"
import { nodesOf, type StoredNode } from "../../src/merkle/TreeNodes.ts"
import { completeSubtrees, type NodeAddress } from "../../src/merkle/TreeShape.ts"
import { countingSha256, hex, sha256 } from "../support/CountingSha256.ts"
import { MTH, someLeaves } from "../support/NaiveMerkleTree.ts"
import { commonLeaf, sparseTree } from "../support/SparseMerkleTree.ts"

const leaves = someLeaves(130)
const frontierOf = (size: number): MerkleFrontier =>
  appendLeaves(sha256, emptyFrontier, leaves.slice(0, size))

describe("MerkleFrontier", () => {
  it("has the RFC's root at every size, grown leaf by leaf", () => {
    let frontier = emptyFrontier
    for (let size = 0; size <= leaves.length; size++) {
      assert.strictEqual(frontier.size, size)
      assert.strictEqual(hex(frontierRoot(sha256, frontier)), hex(MTH(leaves.slice(0, size))), `size ${size}`)
      frontier = appendLeaves(sha256, frontier, leaves.slice(size, size + 1))
    }
  })

  it("does not depend on how its leaves were grouped", () => {
    for (const first of [0, 1, 2, 63, 64, 65, 100]) {
      const grown = appendLeaves(sha256, frontierOf(first), leaves.slice(first))
      assert.deepStrictEqual(
        grown.hashes.map(hex),
        frontierOf(leaves.length).hashes.map(hex),
        `first ${first}`
      )
    }
  })

  it("keeps the root of each complete subtree, largest first", () => {
    for (let size = 0; size <= leaves.length; size++) {
      const expected = completeSubtrees({ start: 0, end: size }).map(({ level, index }) =>
        hex(MTH(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)))
      )
      assert.deepStrictEqual(frontierOf(size).hashes.map(hex), expected, `size ${size}`)
    }
  })

  it("leaves the frontier it was given as it was", () => {
    const before = frontierOf(7)
    const hashes = before.hashes.map(hex)
    appendLeaves(sha256, before, leaves.slice(7, 20))
    assert.strictEqual(before.size, 7)
    assert.deepStrictEqual(before.hashes.map(hex), hashes)
  })

  it("takes leaves that come one by one in the same buffer", () => {
    const buffer = new Uint8Array(32)
    const oneByOne = function* () {
      for (const leaf of leaves) {
        buffer.set(leaf)
        yield buffer
      }
    }
    const grown = appendLeaves(sha256, emptyFrontier, oneByOne())
    assert.strictEqual(hex(frontierRoot(sha256, grown)), hex(MTH(leaves)))
  })

  it("tells the listener of each complete subtree once, a node after its children", () => {
    const told: Array<StoredNode> = []
    let frontier = emptyFrontier
    for (const part of [leaves.slice(0, 3), leaves.slice(3, 64), leaves.slice(64)]) {
      frontier = appendLeaves(sha256, frontier, part, (level, index, hash) =>
        told.push({ level, index, hash })
      )
    }
    for (const { level, index, hash } of told) {
      const covered = leaves.slice(index * 2 ** level, (index + 1) * 2 ** level)
      assert.strictEqual(covered.length, 2 ** level)
      assert.strictEqual(hex(hash), hex(MTH(covered)), `level ${level}, index ${index}`)
    }
    const address = ({ level, index }: NodeAddress) => `${level}/${index}`
    const addresses = told.map(address)
    assert.strictEqual(new Set(addresses).size, addresses.length)
    let complete = 0
    for (let width = 1; width <= leaves.length; width *= 2) complete += Math.floor(leaves.length / width)
    assert.strictEqual(addresses.length, complete)
    for (const [position, { level, index }] of told.entries()) {
      if (level === 0) continue
      for (const child of [2 * index, 2 * index + 1]) {
        const at = addresses.indexOf(address({ level: level - 1, index: child }))
        assert.isTrue(at >= 0 && at < position, `child ${child} of level ${level}, index ${index}`)
      }
    }
  })

  it("can be rebuilt at any size from the nodes that the listener was told of", () => {
    const told: Array<StoredNode> = []
    appendLeaves(sha256, emptyFrontier, leaves, (level, index, hash) => told.push({ level, index, hash }))
    const read = nodesOf(told)
    for (const size of [0, 1, 7, 64, 100, 130]) {
      const hashes = completeSubtrees({ start: 0, end: size }).map((node) => read(node) ?? new Uint8Array())
      const frontier = Result.getOrThrow(frontierFrom(size, hashes))
      assert.strictEqual(hex(frontierRoot(sha256, frontier)), hex(MTH(leaves.slice(0, size))), `size ${size}`)
    }
  })

  it("goes on growing after it was stored as JSON and read back", () => {
    const codec = Schema.fromJsonString(MerkleFrontier)
    for (const size of [0, 1, 6, 77]) {
      const stored = Schema.encodeSync(codec)(frontierOf(size))
      const grown = appendLeaves(sha256, Schema.decodeSync(codec)(stored), leaves.slice(size))
      assert.strictEqual(hex(frontierRoot(sha256, grown)), hex(MTH(leaves)), `size ${size}`)
    }
    assert.strictEqual(Schema.encodeSync(codec)(emptyFrontier), '{"size":0,"hashes":[]}')
  })

  it.each([
    ["a hash too few", { size: 7, hashes: ["00".repeat(32), "00".repeat(32)] }],
    ["a hash too many", { size: 4, hashes: ["00".repeat(32), "00".repeat(32)] }],
    ["a short hash", { size: 4, hashes: ["00".repeat(31)] }],
    ["a negative size", { size: -1, hashes: [] }],
    ["a fraction of a leaf", { size: 1.5, hashes: ["00".repeat(32)] }],
    ["a size past 2^53 − 1", { size: 2 ** 53, hashes: ["00".repeat(32)] }]
  ])("does not decode a frontier with %s", (_, stored) => {
    assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(MerkleFrontier)(stored)))
  })

  it("is not made from parts that do not belong together", () => {
    const failure = (size: number, hashes: ReadonlyArray<Uint8Array>) =>
      Result.getOrThrow(Result.flip(frontierFrom(size, hashes)))
    const hash = new Uint8Array(32)
    assert.deepInclude(failure(7, [hash, hash]), {
      _tag: "FrontierMismatch",
      size: 7,
      expected: 3,
      actual: 2
    })
    assert.deepInclude(failure(3, [hash, hash.subarray(1)]), {
      _tag: "MalformedHash",
      part: "subtree",
      position: 1,
      length: 31
    })
    assert.deepInclude(failure(-1, []), { _tag: "TreeSizeOutOfRange", treeSize: -1 })
    assert.deepInclude(failure(2 ** 53, [hash]), { _tag: "TreeSizeOutOfRange" })
  })

  it("costs fewer than two SHA-256 a leaf to grow, and one fewer than its hashes for a root", () => {
    const counted = countingSha256()
    const frontier = appendLeaves(counted.sha256, emptyFrontier, leaves.slice(0, 127))
    assert.strictEqual(counted.calls, 2 * 127 - frontier.hashes.length)
    counted.calls = 0
    frontierRoot(counted.sha256, frontier)
    assert.strictEqual(counted.calls, frontier.hashes.length - 1)
  })

  it.each([2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 52 + 2 ** 33 + 1, Number.MAX_SAFE_INTEGER - 2])(
    "goes on growing after %d leaves",
    (size) => {
      const special = new Map([
        [size, Uint8Array.of(1)],
        [size + 1, Uint8Array.of(2)]
      ])
      const tree = sparseTree(special)
      const before = Result.getOrThrow(
        frontierFrom(size, completeSubtrees({ start: 0, end: size }).map(tree.read))
      )
      const told: Array<NodeAddress> = []
      const after = appendLeaves(sha256, before, special.values(), (level, index, hash) => {
        assert.strictEqual(hex(hash), hex(tree.read({ level, index })), `level ${level}, index ${index}`)
        told.push({ level, index })
      })
      assert.strictEqual(after.size, size + 2)
      assert.deepInclude(told, { level: 0, index: size + 1 })
      assert.strictEqual(hex(frontierRoot(sha256, after)), hex(tree.range(0, size + 2)))
    }
  )

  it("throws rather than count past 2^53 − 1 leaves", () => {
    const tree = sparseTree(new Map())
    const size = Number.MAX_SAFE_INTEGER
    const full = Result.getOrThrow(
      frontierFrom(size, completeSubtrees({ start: 0, end: size }).map(tree.read))
    )
    assert.throws(() => appendLeaves(sha256, full, [commonLeaf]), RangeError)
  })
})
