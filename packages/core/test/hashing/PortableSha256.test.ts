import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { sha256 } from "../../src/hashing/PortableSha256.ts"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const native = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

/** Bytes that differ from place to place and from length to length. */
const message = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 167 + length * 31 + 5) % 256)

describe("PortableSha256", () => {
  // FIPS 180-4's examples, as published with NIST's example values and in RFC 6234.
  it.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ],
    [
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ]
  ])("gives the published digest of %j", (text, digest) => {
    assert.strictEqual(hex(sha256(new TextEncoder().encode(text))), digest)
  })

  it("gives the published digest of a million a's", () => {
    assert.strictEqual(
      hex(sha256(new Uint8Array(1_000_000).fill(0x61))),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    )
  })

  it("agrees with the native implementation at every length over five blocks", () => {
    for (let length = 0; length <= 5 * 64 + 1; length++) {
      const bytes = message(length)
      assert.strictEqual(hex(sha256(bytes)), native(bytes), `${length} bytes`)
    }
  })

  it.each([4095, 4096, 4097, 65_535, 65_536, 1_048_577])(
    "agrees with the native implementation at %i bytes",
    (length) => {
      const bytes = message(length)
      assert.strictEqual(hex(sha256(bytes)), native(bytes))
    }
  )

  it("hashes a view into a larger buffer, from the view's own offset", () => {
    const whole = message(300)
    for (const [start, end] of [
      [1, 1],
      [3, 67],
      [7, 200],
      [63, 300]
    ] as const) {
      const view = whole.subarray(start, end)
      assert.strictEqual(hex(sha256(view)), native(view), `${start} to ${end}`)
    }
  })

  it("leaves the message as it was and gives a digest of its own each time", () => {
    const bytes = message(100)
    const before = hex(bytes)
    const first = sha256(bytes)
    const second = sha256(bytes)
    first.fill(0)
    assert.strictEqual(hex(bytes), before)
    assert.strictEqual(hex(second), native(bytes))
  })
})
