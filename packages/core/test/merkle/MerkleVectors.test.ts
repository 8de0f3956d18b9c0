import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { proveConsistency, verifyConsistency } from "../../src/merkle/ConsistencyProof.ts"
import { proveInclusion, verifyInclusion } from "../../src/merkle/InclusionProof.ts"
import { appendLeaves, emptyFrontier, frontierRoot } from "../../src/merkle/MerkleFrontier.ts"
import { leafHash } from "../../src/merkle/TreeHash.ts"
import { memoryNodes } from "../../src/merkle/TreeNodes.ts"
import { hex, sha256 } from "../support/CountingSha256.ts"
import { merkleVectors, vectorFolder } from "./MerkleVectors.generate.ts"

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "hex"))
const Texts = Schema.Array(Schema.String)

const TreeVector = Schema.Struct({
  leaf_data: Texts,
  leaf_hashes: Texts,
  frontier: Texts,
  root: Schema.String
})

const InclusionVector = Schema.Struct({
  leaf_hash: Schema.String,
  leaf_index: Schema.Number,
  tree_size: Schema.Number,
  proof: Texts,
  root: Schema.String,
  outcome: Schema.String
})

const ConsistencyVector = Schema.Struct({
  first_size: Schema.Number,
  first_root: Schema.String,
  second_size: Schema.Number,
  second_root: Schema.String,
  proof: Texts,
  outcome: Schema.String
})

const OUTCOMES = {
  LeafOutOfRange: "leaf_out_of_range",
  SizesOutOfRange: "sizes_out_of_range",
  ProofLengthMismatch: "proof_length",
  MalformedHash: "malformed_hash",
  RootMismatch: "root_mismatch"
} as const

const outcomeOf = (result: Result.Result<unknown, { readonly _tag: keyof typeof OUTCOMES }>): string =>
  Result.isSuccess(result) ? "accepted" : OUTCOMES[result.failure._tag]

const read = (path: string): string => readFileSync(join(vectorFolder, path), "utf8")
const names = (kind: string): ReadonlyArray<string> => readdirSync(join(vectorFolder, kind)).sort()

describe("Merkle test vectors", () => {
  it("are those that the generator writes, and no others", () => {
    const generated = merkleVectors()
    const kept = ["tree", "inclusion", "consistency"].flatMap((kind) =>
      names(kind).map((name) => `${kind}/${name}`)
    )
    assert.deepStrictEqual(kept.toSorted(), [...generated.keys()].toSorted())
    for (const [path, text] of generated) assert.strictEqual(read(path), text, path)
  })

  describe.each(names("tree"))("tree/%s", (name) => {
    const vector = Schema.decodeSync(Schema.fromJsonString(TreeVector))(read(`tree/${name}`))
    const data = vector.leaf_data.map(bytes)

    it("has these leaf hashes, this frontier and this root", () => {
      const frontier = appendLeaves(sha256, emptyFrontier, data)
      assert.deepStrictEqual(
        data.map((leaf) => hex(leafHash(sha256, leaf))),
        vector.leaf_hashes
      )
      assert.deepStrictEqual(frontier.hashes.map(hex), vector.frontier)
      assert.strictEqual(hex(frontierRoot(sha256, frontier)), vector.root)
    })
  })

  it.each(names("inclusion"))("inclusion/%s", (name) => {
    const vector = Schema.decodeSync(Schema.fromJsonString(InclusionVector))(read(`inclusion/${name}`))
    const proof = {
      leafIndex: vector.leaf_index,
      treeSize: vector.tree_size,
      hashes: vector.proof.map(bytes)
    }
    const result = verifyInclusion(sha256, bytes(vector.leaf_hash), proof, bytes(vector.root))
    assert.strictEqual(outcomeOf(result), vector.outcome)
  })

  it.each(names("consistency"))("consistency/%s", (name) => {
    const vector = Schema.decodeSync(Schema.fromJsonString(ConsistencyVector))(read(`consistency/${name}`))
    const proof = {
      firstSize: vector.first_size,
      secondSize: vector.second_size,
      hashes: vector.proof.map(bytes)
    }
    const result = verifyConsistency(sha256, bytes(vector.first_root), bytes(vector.second_root), proof)
    assert.strictEqual(outcomeOf(result), vector.outcome)
  })

  it("hold the proofs that this code makes", () => {
    const largest = Schema.decodeSync(Schema.fromJsonString(TreeVector))(read("tree/64-leaves.json"))
    const nodes = memoryNodes(sha256, largest.leaf_data.map(bytes))
    for (const name of names("inclusion").filter((name) => /^leaf-\d+-of-/.test(name))) {
      const vector = Schema.decodeSync(Schema.fromJsonString(InclusionVector))(read(`inclusion/${name}`))
      const proof = Result.getOrThrow(proveInclusion(sha256, nodes, vector.leaf_index, vector.tree_size))
      assert.deepStrictEqual(proof.hashes.map(hex), vector.proof, name)
    }
    for (const name of names("consistency").filter((name) => /^first-\d+-of-/.test(name))) {
      const vector = Schema.decodeSync(Schema.fromJsonString(ConsistencyVector))(read(`consistency/${name}`))
      const proof = Result.getOrThrow(proveConsistency(sha256, nodes, vector.first_size, vector.second_size))
      assert.deepStrictEqual(proof.hashes.map(hex), vector.proof, name)
    }
  })
})
