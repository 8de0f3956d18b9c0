import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { portableSha256 } from "../../src/hashing/Sha256.ts"
import {
  emptyRoot,
  HashFromHex,
  hashFromHex,
  isSpelling,
  leafHash,
  leafHashes,
  nodeHash,
  nodeHashes,
  sameHash,
  spellHashes,
  writeHex
} from "../../src/merkle/TreeHash.ts"
import { flipBit, hex, sha256 } from "../support/CountingSha256.ts"

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

  it.each([
    ["side by side", sha256],
    ["one by one", { hex: sha256.hex, bytes: sha256.bytes }],
    ["by the portable SHA-256", portableSha256]
  ] as const)("hashes many leaves and nodes as it hashes one, %s", (_, implementation) => {
    for (const count of [0, 1, 2, 5, 300]) {
      const hashes = data(64 * count)
      const each = (bytes: number) =>
        Array.from({ length: count }, (__, index) => hashes.subarray(index * bytes, (index + 1) * bytes))
      assert.strictEqual(
        hex(leafHashes(implementation, hashes.subarray(0, 32 * count))),
        each(32)
          .map((leaf) => digest(0, ...leaf))
          .join("")
      )
      assert.strictEqual(
        hex(nodeHashes(implementation, hashes)),
        each(64)
          .map((children) => digest(1, ...children))
          .join("")
      )
    }
  })

  it("knows the spelling of each of many hashes from any other", () => {
    const hashes = data(96)
    const spelt = spellHashes(hashes)
    assert.strictEqual(spelt, hex(hashes))
    for (const index of [0, 1, 2]) {
      const text = hex(hashes.subarray(index * 32, (index + 1) * 32))
      assert.isTrue(isSpelling(spelt, index, text))
      assert.isFalse(isSpelling(spelt, (index + 1) % 3, text))
      for (let at = 0; at < text.length; at++) {
        for (const other of ["0", "f", "g", "A", "\u0100", String.fromCharCode(text.charCodeAt(at) + 256)]) {
          if (other === text[at]) continue
          assert.isFalse(
            isSpelling(spelt, index, text.slice(0, at) + other + text.slice(at + 1)),
            `${at} ${other}`
          )
        }
      }
      // Two characters whose codes make up for each other.
      const [high, low] = [text.charCodeAt(0) ^ 1, text.charCodeAt(1) | 256]
      assert.isFalse(isSpelling(spelt, index, String.fromCharCode(high, low) + text.slice(2)))
      for (const other of ["", text.slice(1), `${text}0`]) assert.isFalse(isSpelling(spelt, index, other))
    }
  })

  it("writes a hash where it is told to, and nowhere else", () => {
    const target = new Uint8Array(96)
    assert.isTrue(writeHex(someHash, target, 32))
    assert.strictEqual(hex(target), `${"0".repeat(64)}${someHash}${"0".repeat(64)}`)
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
