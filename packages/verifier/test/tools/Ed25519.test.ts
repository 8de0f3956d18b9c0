import { createPublicKey, verify } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { openNote, parseNote, parseVerifierKey } from "@cairn/core/note"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { portableEd25519 } from "../../src/index.ts"
import { sha256, signerOf } from "../Bundles.ts"

const generated = generatedTests(import.meta.url)

const foreign = process.env.CAIRN_FOREIGN

const Notes = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      name: Schema.String,
      note_b64: Schema.String,
      trusted_vkeys: Schema.Array(Schema.String),
      expect: Schema.String
    })
  )
)

/** What comes before a raw key in its DER form, RFC 8410. */
const SPKI = Buffer.from("302a300506032b6570032100", "hex")

/** By Node's own implementation. */
const verifyByNode = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
  const key = createPublicKey({ key: Buffer.concat([SPKI, publicKey]), format: "der", type: "spki" })
  return verify(null, message, key, signature)
}

const seeds = fc.integer({ min: 0, max: 255 })
const messages = fc.uint8Array({ maxLength: 200 })
const fromHex = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"))

describe("portableEd25519", () => {
  it("takes the signatures that Node makes", () => {
    generated.property(
      fc.property(seeds, messages, (seed, message) => {
        const signer = signerOf(seed)
        assert.isTrue(portableEd25519.verify(signer.publicKey, message, signer.sign(message)))
      }),
      { numRuns: 20 }
    )
  })

  it("refuses one with any bit flipped, as Node does", () => {
    const signer = signerOf(1)
    const message = new TextEncoder().encode("cairn")
    const signature = signer.sign(message)
    for (let bit = 0; bit < 512; bit += 7) {
      const flipped = signature.with(bit >> 3, (signature[bit >> 3] ?? 0) ^ (1 << (bit & 7)))
      assert.isFalse(verifyByNode(signer.publicKey, message, flipped))
      assert.isFalse(portableEd25519.verify(signer.publicKey, message, flipped), `bit ${bit}`)
    }
    assert.isFalse(portableEd25519.verify(signer.publicKey, message.with(0, 0), signature))
    assert.isFalse(portableEd25519.verify(signerOf(2).publicKey, message, signature))
  })

  it("takes the vector of RFC 8032 section 7.1, test 2", () => {
    const key = fromHex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
    const signature = fromHex(
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    assert.isTrue(portableEd25519.verify(key, Uint8Array.of(0x72), signature))
  })

  it("answers false, and throws nothing, for what is no key or no signature", () => {
    const { publicKey, sign } = signerOf(1)
    const message = new Uint8Array(3)
    const signature = sign(message)
    for (const length of [0, 31, 33])
      assert.isFalse(portableEd25519.verify(new Uint8Array(length), message, signature))
    for (const length of [0, 63, 65])
      assert.isFalse(portableEd25519.verify(publicKey, message, new Uint8Array(length)))
    assert.isFalse(portableEd25519.verify(new Uint8Array(32).fill(0xff), message, signature))
    // A point of small order signs anything for anyone.
    assert.isFalse(portableEd25519.verify(new Uint8Array(32), message, new Uint8Array(64)))
  })
})

describe.skipIf(foreign === undefined)("signed notes of other projects (needs CAIRN_FOREIGN)", () => {
  const path = join(foreign ?? "", "vectors/tlog/signed-note-vectors.json")
  const notes = foreign === undefined ? [] : Schema.decodeUnknownSync(Notes)(readFileSync(path, "utf8"))
  for (const { name, note_b64: base64, trusted_vkeys: keys, expect } of notes) {
    it(`${name}: ${expect}`, () => {
      const trusted = keys.flatMap((text) =>
        Result.match(parseVerifierKey(sha256, text), { onSuccess: (key) => [key], onFailure: () => [] })
      )
      const opened: Result.Result<unknown, { readonly _tag: string }> = Result.flatMap(
        parseNote(Uint8Array.from(Buffer.from(base64, "base64"))),
        (note) => openNote(portableEd25519, note, trusted)
      )
      const outcome = Result.match(opened, {
        onSuccess: () => "ok",
        onFailure: ({ _tag }) =>
          _tag === "UnverifiedNote"
            ? "reject-unverified"
            : _tag === "InvalidNoteSignature"
              ? "reject-invalid-signature"
              : "reject-malformed"
      })
      assert.strictEqual(outcome, expect)
    })
  }
})
