import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { portableSha256 } from "../src/Sha256.ts"
import {
  emptyRoot,
  HashFromHex,
  hashFromHex,
  leafHash,
  nodeHash,
  sameHash,
  writeHex
} from "../src/TreeHash.ts"
import { flipBit, hex, sha256 } from "./CountingSha256.ts"

const digest = (...bytes: ReadonlyArray<number>): string =>
  createHash("sha256").update(Uint8Array.from(bytes)).digest("hex")

const data = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 7 + length) % 256)

const someHash = hex(data(32))

describe("TreeHash", () => {
  it("has the SHA-256 of nothing for the empty tree's root", () => {
    assert.strictEqual(hex(emptyRoot(sha256)), digest())
  })

  it("hashes a leaf of any length after a zero byte", () => {
    for (const length of [0, 1, 31, 32, 33, 64, 1000, 32]) {
      assert.strictEqual(hex(leafHash(sha256, data(length))), digest(0, ...data(length)), `${length} bytes`)
    }
  })

  it("hashes a node's two children after a one byte, left before right", () => {
    const left = leafHash(sha256, data(1))
    const right = leafHash(sha256, data(2))
    assert.strictEqual(hex(nodeHash(sha256, left, right)), digest(1, ...left, ...right))
    assert.strictEqual(hex(nodeHash(sha256, right, left)), digest(1, ...right, ...left))
  })

  it("gives hashes that a later call leaves alone", () => {
    const first = leafHash(sha256, data(32))
    const node = nodeHash(sha256, first, first)
    const before = [hex(first), hex(node)]
    nodeHash(sha256, leafHash(sha256, new Uint8Array(32)), node)
    assert.deepStrictEqual([hex(first), hex(node)], before)
  })

  it("is the same with the portable SHA-256", () => {
    const [one, other] = [leafHash(sha256, data(32)), leafHash(sha256, data(5))]
    assert.strictEqual(hex(leafHash(portableSha256, data(32))), hex(one))
    assert.strictEqual(hex(nodeHash(portableSha256, one, other)), hex(nodeHash(sha256, one, other)))
  })

  it("tells hashes apart that differ in one bit or in length", () => {
    const hash = data(32)
    assert.isTrue(sameHash(hash, Uint8Array.from(hash)))
    for (let bit = 0; bit < 256; bit++) assert.isFalse(sameHash(hash, flipBit(hash, bit)), `bit ${bit}`)
    assert.isFalse(sameHash(hash, hash.subarray(0, 31)))
  })

  it("reads every byte from hexadecimal", () => {
    for (let byte = 0; byte < 256; byte++) {
      const hash = new Uint8Array(32).fill(byte)
      const read = new Uint8Array(32)
      assert.isTrue(writeHex(hex(hash), read))
      assert.strictEqual(hex(read), hex(hash))
    }
  })

  it.each([
    ["nothing", ""],
    ["a character too few", someHash.slice(1)],
    ["a character too many", `${someHash}0`],
    ["upper case", someHash.toUpperCase()],
    ["a prefix", `0x${someHash.slice(2)}`],
    ["a character below the digits", `/${someHash.slice(1)}`],
    ["a character above the letters", `${someHash.slice(0, 63)}g`],
    ["a space", ` ${someHash.slice(1)}`],
    ["a character beyond ASCII", `${someHash.slice(0, 31)}é${someHash.slice(32)}`],
    ["a full-width digit", `${someHash.slice(0, 63)}\uff10`]
  ])("refuses %s for a hash in hexadecimal", (_, text) => {
    const failure = Result.getOrThrow(Result.flip(hashFromHex(text, "proof", 4)))
    assert.deepInclude(failure, { _tag: "MalformedHash", part: "proof", position: 4, length: text.length })
    assert.isTrue(Result.isFailure(Schema.decodeUnknownResult(HashFromHex)(text)))
  })

  it("goes from hexadecimal and back through its schema, and encodes 32 bytes only", () => {
    const hash = Schema.decodeSync(HashFromHex)(someHash)
    assert.strictEqual(hex(hash), someHash)
    assert.strictEqual(Schema.encodeSync(HashFromHex)(hash), someHash)
    assert.throws(() => Schema.encodeSync(HashFromHex)(hash.subarray(1)))
  })
})
