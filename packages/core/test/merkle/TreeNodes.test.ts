import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { memoryNodes, nodesOf, rangeHash, rootFromNodes } from "../../src/merkle/TreeNodes.ts"
import { completeSubtrees } from "../../src/merkle/TreeShape.ts"
import { countingSha256, hex, sha256 } from "../support/CountingSha256.ts"
import { MTH, someLeaves } from "../support/NaiveMerkleTree.ts"
import { sparseTree } from "../support/SparseMerkleTree.ts"

const leaves = someLeaves(70)

describe("TreeNodes", () => {
  it("gives the root at every earlier size from the nodes of a tree", () => {
    const read = memoryNodes(sha256, leaves)
    for (let size = 0; size <= leaves.length; size++) {
      const root = Result.getOrThrow(rootFromNodes(sha256, read, size))
      assert.strictEqual(hex(root), hex(MTH(leaves.slice(0, size))), `size ${size}`)
    }
  })

  it("gives the hash of every range that a hash of the tree covers", () => {
    const read = memoryNodes(sha256, leaves)
    for (const [start, end] of [
      [64, 70],
      [32, 64],
      [68, 70],
      [8, 13]
    ] as const) {
      const hash = Result.getOrThrow(rangeHash(sha256, read, { start, end }))
      assert.strictEqual(hex(hash), hex(MTH(leaves.slice(start, end))), `leaves ${start} to ${end}`)
    }
  })

  it("has no node that its leaves do not complete", () => {
    const read = memoryNodes(sha256, leaves.slice(0, 5))
    assert.isDefined(read({ level: 0, index: 4 }))
    assert.isDefined(read({ level: 2, index: 0 }))
    for (const [level, index] of [
      [0, 5],
      [1, 2],
      [2, 1],
      [3, 0]
    ] as const) {
      assert.isUndefined(read({ level, index }), `level ${level}, index ${index}`)
    }
    assert.isUndefined(memoryNodes(sha256, [])({ level: 0, index: 0 }))
  })

  it("costs fewer than two SHA-256 a leaf to hold a tree, and less than log₂ n for a root from it", () => {
    const counted = countingSha256()
    const read = memoryNodes(counted.sha256, leaves)
    assert.isBelow(counted.calls, 2 * leaves.length)
    counted.calls = 0
    rootFromNodes(counted.sha256, read, 63)
    assert.strictEqual(counted.calls, 5)
  })

  it("gives a hash that the reader's owner may keep and change", () => {
    const read = memoryNodes(sha256, leaves)
    const node = { level: 0, index: 3 }
    const before = hex(read(node) ?? new Uint8Array())
    read(node)?.fill(0)
    assert.strictEqual(hex(read(node) ?? new Uint8Array()), before)
  })

  it("reads from rows in any order", () => {
    const all = memoryNodes(sha256, leaves)
    const rows = completeSubtrees({ start: 0, end: 55 })
      .map((node) => ({ ...node, hash: all(node) ?? new Uint8Array() }))
      .reverse()
    const root = Result.getOrThrow(rootFromNodes(sha256, nodesOf(rows), 55))
    assert.strictEqual(hex(root), hex(MTH(leaves.slice(0, 55))))
  })

  it("names the node that is missing", () => {
    const failure = Result.getOrThrow(
      Result.flip(rootFromNodes(sha256, memoryNodes(sha256, leaves.slice(0, 6)), 7))
    )
    assert.deepInclude(failure, { _tag: "MissingNode", level: 0, index: 6 })
  })

  it("refuses a stored node that is not a hash", () => {
    const failure = Result.getOrThrow(Result.flip(rootFromNodes(sha256, () => new Uint8Array(31), 4)))
    assert.deepInclude(failure, { _tag: "MalformedHash", part: "stored_node", length: 31 })
  })

  it.each([-1, 1.5, 2 ** 53, Number.NaN])("refuses the size %d", (treeSize) => {
    const failure = Result.getOrThrow(
      Result.flip(rootFromNodes(sha256, memoryNodes(sha256, leaves), treeSize))
    )
    assert.deepInclude(failure, { _tag: "TreeSizeOutOfRange" })
  })

  it.each([2 ** 31 + 1, 2 ** 32, 2 ** 32 + 7, 2 ** 40 - 3, Number.MAX_SAFE_INTEGER])(
    "gives the root of %d leaves",
    (size) => {
      const tree = sparseTree(new Map([[size - 1, Uint8Array.of(1)]]))
      assert.strictEqual(
        hex(Result.getOrThrow(rootFromNodes(sha256, tree.read, size))),
        hex(tree.range(0, size))
      )
    }
  )
})
