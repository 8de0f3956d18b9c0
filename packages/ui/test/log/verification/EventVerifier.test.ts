import { createPrivateKey, createPublicKey, sign } from "node:crypto"
import { portableEd25519 } from "@cairn/verifier"
import { assert, describe, it } from "@effect/vitest"
import { smallEd25519 } from "../../../src/log/verification/EventVerifier.ts"

const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex")

describe("the page's Ed25519", () => {
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.alloc(32, 3)]),
    format: "der",
    type: "pkcs8"
  })
  const publicKey = Uint8Array.from(createPublicKey(key).export({ format: "der", type: "spki" }).subarray(12))
  const message = new TextEncoder().encode("checkpoint\n")
  const signature = Uint8Array.from(sign(null, message, key))

  it("accepts what Node signed", () => {
    assert.isTrue(smallEd25519.verify(publicKey, message, signature))
  })

  it("agrees with the verifier's own on every flipped bit of key, message and signature", () => {
    for (const [name, original] of Object.entries({ publicKey, message, signature })) {
      for (let bit = 0; bit < original.length * 8; bit += 7) {
        const bytes = original.slice()
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        const parts = { publicKey, message, signature, [name]: bytes }
        const verdict = smallEd25519.verify(parts.publicKey, parts.message, parts.signature)
        assert.isFalse(verdict)
        assert.strictEqual(verdict, portableEd25519.verify(parts.publicKey, parts.message, parts.signature))
      }
    }
  })

  it("refuses lengths and points that cannot be, and the encodings that ZIP 215 would allow", () => {
    const identity = Uint8Array.from({ length: 32 }, (_, index) => (index === 0 ? 1 : 0))
    const small = new Uint8Array(64)
    small.set(identity)
    for (const ed25519 of [smallEd25519, portableEd25519]) {
      assert.isFalse(ed25519.verify(new Uint8Array(31), message, signature))
      assert.isFalse(ed25519.verify(publicKey, message, new Uint8Array(63)))
      assert.isFalse(ed25519.verify(new Uint8Array(32).fill(255), message, signature))
      assert.isFalse(ed25519.verify(identity, message, small), "a key of small order signs everything")
    }
  })
})
