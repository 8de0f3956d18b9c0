import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { HashBatch } from "../../src/hashing/HashBatch.ts"
import { portableSha256, type Sha256Shape } from "../../src/hashing/Sha256.ts"
import { hex, sha256 } from "../support/CountingSha256.ts"

const oneByOne: Sha256Shape = { hex: sha256.hex, bytes: sha256.bytes }

const digest = (text: string | Uint8Array): string => createHash("sha256").update(text).digest("hex")

const hashes = (batch: HashBatch): ReadonlyArray<string> => {
  const all = batch.hash()
  return Array.from({ length: all.length / 32 }, (_, index) =>
    hex(all.subarray(index * 32, (index + 1) * 32))
  )
}

const TEXTS = [
  "",
  "a",
  "é",
  "\u007f\u0080",
  "😀".repeat(16),
  "x".repeat(64),
  "x".repeat(65),
  "\ud800 alone",
  "ü".repeat(3_000),
  "z".repeat(9_000),
  "an ordinary content ".repeat(30),
  "q".repeat(200_000)
]

describe.each([
  ["side by side", sha256],
  ["one by one", oneByOne],
  ["portable", portableSha256]
] as const)("a batch of messages, hashed %s", (_, implementation) => {
  it("has the hash of each message, in their order", () => {
    const batch = new HashBatch(implementation)
    for (let count = 0; count <= TEXTS.length; count++) {
      const some = TEXTS.slice(0, count)
      for (const text of some) {
        batch.text(text)
        batch.end()
      }
      assert.deepStrictEqual(
        hashes(batch),
        some.map((text) => digest(text)),
        `${count} messages`
      )
    }
  })

  it("joins the pieces of a message, and no others", () => {
    const batch = new HashBatch(implementation)
    const pieces = Uint8Array.from({ length: 300 }, (__, index) => index % 256)
    for (let round = 0; round < 5; round++) {
      batch.text("salt ü")
      batch.bytes(pieces.subarray(round))
      batch.text("\n")
      batch.end()
    }
    const expected = Array.from({ length: 5 }, (__, round) =>
      digest(Buffer.concat([Buffer.from("salt ü"), pieces.subarray(round), Buffer.from("\n")]))
    )
    assert.deepStrictEqual(hashes(batch), expected)
  })

  it("counts its bytes, and is empty after it was hashed", () => {
    const batch = new HashBatch(implementation)
    batch.text("é")
    batch.bytes(new Uint8Array(10))
    assert.strictEqual(batch.length, 12)
    batch.end()
    batch.hash()
    assert.strictEqual(batch.length, 0)
    assert.deepStrictEqual(hashes(batch), [])
  })
})
