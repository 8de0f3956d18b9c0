/**
 * The Merkle tree against vectors of other projects, which the environment variable CAIRN_FOREIGN points to.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { proveConsistency, verifyConsistency } from "../../src/merkle/ConsistencyProof.ts"
import { proveInclusion, verifyInclusion } from "../../src/merkle/InclusionProof.ts"
import { merkleRoot } from "../../src/merkle/MerkleTree.ts"
import { emptyRoot, leafHash, nodeHash } from "../../src/merkle/TreeHash.ts"
import { memoryNodes } from "../../src/merkle/TreeNodes.ts"
import { hex, sha256 } from "../support/CountingSha256.ts"

const foreign = process.env.CAIRN_FOREIGN
const vectors = (path: string): string => join(foreign ?? "", "vectors", path)
const fromHex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "hex"))
const fromBase64 = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "base64"))

const InclusionCases = Schema.Array(
  Schema.Struct({
    leafIdx: Schema.Number,
    treeSize: Schema.Number,
    root: Schema.String,
    leafHash: Schema.String,
    proof: Schema.NullOr(Schema.Array(Schema.String)),
    desc: Schema.String,
    wantErr: Schema.Boolean,
    source: Schema.String
  })
)

const Inclusion = Schema.Struct({
  leaf_index: Schema.Number,
  tree_size: Schema.Number,
  proof: Schema.Array(Schema.String)
})
const Consistency = Schema.Struct({
  size1: Schema.Number,
  size2: Schema.Number,
  proof: Schema.Array(Schema.String)
})

const ReferenceTree = Schema.Struct({
  leaf_inputs_hex: Schema.Array(Schema.String),
  leaf_hashes_hex: Schema.Array(Schema.String),
  root_by_size_hex: Schema.Array(Schema.String),
  hasher: Schema.Array(
    Schema.Union([
      Schema.Struct({ kind: Schema.Literal("empty_tree"), hash: Schema.String }),
      Schema.Struct({ kind: Schema.Literal("leaf"), input_hex: Schema.String, hash: Schema.String }),
      Schema.Struct({
        kind: Schema.Literal("node"),
        left_hex: Schema.String,
        right_hex: Schema.String,
        hash: Schema.String
      })
    ])
  ),
  published_inclusion: Schema.Array(Inclusion),
  published_consistency: Schema.Array(Consistency),
  all_inclusion: Schema.Array(Inclusion),
  all_consistency: Schema.Array(Consistency)
})

describe.skipIf(foreign === undefined)("transparency-dev's inclusion vectors (needs CAIRN_FOREIGN)", () => {
  const cases =
    foreign === undefined
      ? []
      : Schema.decodeSync(Schema.fromJsonString(InclusionCases))(
          readFileSync(vectors("merkle-rfc6962/inclusion.json"), "utf8")
        )

  it("are 98, of which 6 are to be accepted", () => {
    assert.strictEqual(cases.length, 98)
    assert.strictEqual(cases.filter(({ wantErr }) => !wantErr).length, 6)
  })

  for (const vector of cases) {
    it(`${vector.wantErr ? "refuses" : "accepts"} ${vector.source}`, () => {
      const proof = {
        leafIndex: vector.leafIdx,
        treeSize: vector.treeSize,
        hashes: (vector.proof ?? []).map(fromBase64)
      }
      const result = verifyInclusion(sha256, fromBase64(vector.leafHash), proof, fromBase64(vector.root))
      assert.strictEqual(Result.isFailure(result), vector.wantErr)
    })
  }
})

describe.skipIf(foreign === undefined)(
  "Certificate Transparency's reference tree (needs CAIRN_FOREIGN)",
  () => {
    const reference = () =>
      Schema.decodeSync(Schema.fromJsonString(ReferenceTree))(
        readFileSync(vectors("merkle-rfc6962/ct-reference-tree.json"), "utf8")
      )
    const leavesOf = (tree: typeof ReferenceTree.Type) => tree.leaf_inputs_hex.map(fromHex)

    it("has these leaf hashes and these roots at every size", () => {
      const tree = reference()
      const leaves = leavesOf(tree)
      assert.strictEqual(leaves.length, 8)
      assert.deepStrictEqual(
        leaves.map((data) => hex(leafHash(sha256, data))),
        tree.leaf_hashes_hex
      )
      const sizes = Array.from({ length: 9 }, (_, size) => size)
      assert.deepStrictEqual(
        sizes.map((size) => hex(merkleRoot(sha256, leaves.slice(0, size)))),
        tree.root_by_size_hex
      )
    })

    it("has these hashes for the empty tree, a leaf and a node", () => {
      for (const vector of reference().hasher) {
        switch (vector.kind) {
          case "empty_tree":
            assert.strictEqual(hex(emptyRoot(sha256)), vector.hash)
            break
          case "leaf":
            assert.strictEqual(hex(leafHash(sha256, fromHex(vector.input_hex))), vector.hash)
            break
          case "node":
            // Its children are four bytes long; nodeHash takes hashes only, so the definition is checked
            // itself.
            assert.strictEqual(
              hex(sha256.bytes(fromHex(`01${vector.left_hex}${vector.right_hex}`))),
              vector.hash
            )
        }
      }
      const tree = reference()
      const [left, right] = tree.leaf_hashes_hex.map(fromHex) as [Uint8Array, Uint8Array]
      assert.strictEqual(hex(nodeHash(sha256, left, right)), tree.root_by_size_hex[2])
    })

    it("has these inclusion proofs, which hold", () => {
      const tree = reference()
      const read = memoryNodes(sha256, leavesOf(tree))
      assert.strictEqual(tree.all_inclusion.length, 36)
      for (const { leaf_index, tree_size, proof } of [...tree.all_inclusion, ...tree.published_inclusion]) {
        const made = Result.getOrThrow(proveInclusion(sha256, read, leaf_index, tree_size))
        assert.deepStrictEqual(made.hashes.map(hex), proof)
        const leaf = fromHex(tree.leaf_hashes_hex[leaf_index] ?? "")
        const root = fromHex(tree.root_by_size_hex[tree_size] ?? "")
        assert.isTrue(Result.isSuccess(verifyInclusion(sha256, leaf, made, root)))
      }
    })

    it("has these consistency proofs, which hold", () => {
      const tree = reference()
      const read = memoryNodes(sha256, leavesOf(tree))
      assert.strictEqual(tree.all_consistency.length, 36)
      for (const { size1, size2, proof } of [...tree.all_consistency, ...tree.published_consistency]) {
        const made = Result.getOrThrow(proveConsistency(sha256, read, size1, size2))
        assert.deepStrictEqual(made.hashes.map(hex), proof)
        const first = fromHex(tree.root_by_size_hex[size1] ?? "")
        const second = fromHex(tree.root_by_size_hex[size2] ?? "")
        assert.isTrue(Result.isSuccess(verifyConsistency(sha256, first, second, made)))
      }
    })
  }
)

describe.skipIf(foreign === undefined)("Tessera's test log (needs CAIRN_FOREIGN)", () => {
  const log = vectors("tlog/tessera-testdata-log")

  /** Size and root of the checkpoint at each size (C2SP tlog-checkpoint: origin, size, root). */
  const checkpoints = (): ReadonlyArray<{ readonly size: number; readonly root: Uint8Array }> =>
    readdirSync(log)
      .filter((name) => /^checkpoint\.\d+$/.test(name))
      .map((name) => readFileSync(join(log, name), "utf8").split("\n"))
      .map(([, size, root]) => ({ size: Number(size), root: fromBase64(root ?? "") }))
      .sort((one, other) => one.size - other.size)

  /** The log's entries (C2SP tlog-tiles: each after its length in two bytes, big-endian). */
  const entries = (): ReadonlyArray<Uint8Array> => {
    const bundle = new Uint8Array(readFileSync(join(log, "tile/entries/000.p/15")))
    const view = new DataView(bundle.buffer)
    const found: Array<Uint8Array> = []
    for (let offset = 0; offset < bundle.length; ) {
      const end = offset + 2 + view.getUint16(offset)
      found.push(bundle.slice(offset + 2, end))
      offset = end
    }
    return found
  }

  it("has the leaf hashes that its tile holds", () => {
    const tile = new Uint8Array(readFileSync(join(log, "tile/0/000.p/15")))
    assert.strictEqual(
      hex(tile),
      entries()
        .map((entry) => hex(leafHash(sha256, entry)))
        .join("")
    )
  })

  it("has the root of every checkpoint", () => {
    const leaves = entries()
    assert.deepStrictEqual(
      checkpoints().map(({ size }) => size),
      Array.from({ length: 16 }, (_, size) => size)
    )
    for (const { size, root } of checkpoints()) {
      assert.strictEqual(hex(merkleRoot(sha256, leaves.slice(0, size))), hex(root), `size ${size}`)
    }
  })

  it("only grew from each checkpoint to every later one, and holds every leaf in each", () => {
    const leaves = entries()
    const read = memoryNodes(sha256, leaves)
    for (const later of checkpoints()) {
      for (let index = 0; index < later.size; index++) {
        const proof = Result.getOrThrow(proveInclusion(sha256, read, index, later.size))
        const leaf = leafHash(sha256, leaves[index] as Uint8Array)
        assert.isTrue(Result.isSuccess(verifyInclusion(sha256, leaf, proof, later.root)))
      }
      for (const earlier of checkpoints()) {
        if (earlier.size === 0 || earlier.size > later.size) continue
        const proof = Result.getOrThrow(proveConsistency(sha256, read, earlier.size, later.size))
        assert.isTrue(Result.isSuccess(verifyConsistency(sha256, earlier.root, later.root, proof)))
      }
    }
  })
})
