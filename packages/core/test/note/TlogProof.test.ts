import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { formatTlogProof, parseTlogProof, type TlogProof } from "../../src/note/TlogProof.ts"

const hash = (byte: number) => new Uint8Array(32).fill(byte)
const proof: TlogProof = {
  index: 73_894,
  hashes: [hash(1), hash(2)],
  extra: null,
  checkpoint: "log\n5\nroot\n\n— log sig\n"
}

const partOf = (text: string) => {
  const result = parseTlogProof(text)
  return Result.isFailure(result) ? result.failure.part : "parsed"
}

describe("a tlog-proof", () => {
  it("is written as it is read", () => {
    for (const given of [
      proof,
      { ...proof, index: 0, hashes: [] },
      { ...proof, extra: Uint8Array.of(1, 2, 3) },
      { ...proof, extra: new Uint8Array(0) }
    ]) {
      assert.deepStrictEqual(Result.getOrThrow(parseTlogProof(formatTlogProof(given))), given)
    }
  })

  it("tells what is wrong with a text", () => {
    const text = formatTlogProof(proof)
    assert.strictEqual(partOf(text.replace("@v1", "@v2")), "header")
    assert.strictEqual(partOf(text.replace("index 73894", "index 073894")), "index")
    assert.strictEqual(partOf(text.replace("index 73894", "index")), "index")
    assert.strictEqual(partOf(text.replace("index 73894", "index 9007199254740993")), "index")
    assert.strictEqual(partOf(text.replace("index 73894\n", "")), "index")
    assert.strictEqual(partOf(text.replace("AQEB", "AQE=")), "hash")
    assert.strictEqual(partOf(text.slice(0, text.indexOf("\n\n"))), "checkpoint")
    assert.strictEqual(partOf("c2sp.org/tlog-proof@v1\nindex 0\n\n"), "checkpoint")
    assert.strictEqual(partOf("c2sp.org/tlog-proof@v1\n\ncheckpoint\n"), "index")
  })

  it("has no more hashes than any tree needs", () => {
    const long = (count: number) =>
      formatTlogProof({ ...proof, hashes: Array.from({ length: count }, (_, index) => hash(index)) })
    assert.strictEqual(partOf(long(53)), "parsed")
    assert.strictEqual(partOf(long(54)), "too_many_hashes")
  })
})
