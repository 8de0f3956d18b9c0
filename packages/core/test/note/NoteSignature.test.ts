import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { openNote, signNote } from "../../src/note/NoteSignature.ts"
import { formatNote, parseNote, type SignedNote } from "../../src/note/SignedNote.ts"
import {
  formatVerifierKey,
  makeVerifierKey,
  parseVerifierKey,
  type VerifierKeyType
} from "../../src/note/VerifierKey.ts"
import { sha256 } from "../support/CountingSha256.ts"
import { ed25519, signerOf } from "../support/NodeEd25519.ts"

const keyOf = (seed: number, name: string, type: VerifierKeyType = "ed25519") =>
  Result.getOrThrow(makeVerifierKey(sha256, name, signerOf(seed).publicKey, type))

const ada = keyOf(1, "ada")
const bob = keyOf(2, "bob")
const signed = (seed: number, name: string, text: string): SignedNote =>
  Result.getOrThrow(signNote(sha256, signerOf(seed), name, text))

const cosigned = (seed: number, name: string, text: string, time: bigint) => {
  const signer = signerOf(seed)
  const signature = new Uint8Array(72)
  new DataView(signature.buffer).setBigUint64(0, time)
  signature.set(signer.sign(new TextEncoder().encode(`cosignature/v1\ntime ${time}\n${text}`)), 8)
  return { name, keyId: keyOf(seed, name, "cosignature/v1").keyId, signature }
}

const outcome = (note: SignedNote, ...trusted: Parameters<typeof openNote>[2]) => {
  const result = openNote(ed25519, note, trusted)
  if (Result.isFailure(result)) return result.failure._tag
  return `${result.success.verified.map(({ key, timestamp }) => `${key.name}@${timestamp}`)} ${result.success.unknown.length}`
}

describe("a note", () => {
  const note = signed(1, "ada", "hello\n")

  it("is opened by the key that signed it, and survives its text form", () => {
    assert.strictEqual(outcome(note, ada), "ada@null 0")
    assert.strictEqual(outcome(Result.getOrThrow(parseNote(formatNote(note))), ada), "ada@null 0")
  })

  it("is opened by no one else", () => {
    assert.strictEqual(outcome(note), "UnverifiedNote")
    assert.strictEqual(outcome(note, bob), "UnverifiedNote")
    assert.strictEqual(outcome(note, keyOf(1, "eve")), "UnverifiedNote")
    assert.strictEqual(outcome(note, keyOf(1, "ada", "cosignature/v1")), "UnverifiedNote")
  })

  it("is refused when its text or its signature was changed", () => {
    assert.strictEqual(outcome({ ...note, text: "hallo\n" }, ada), "InvalidNoteSignature")
    const [line] = note.signatures
    assert.isDefined(line)
    if (line === undefined) return
    for (let bit = 0; bit < 512; bit += 37) {
      const signature = line.signature.slice()
      signature[bit >> 3] = (signature[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.strictEqual(
        outcome({ ...note, signatures: [{ ...line, signature }] }, ada),
        "InvalidNoteSignature"
      )
    }
    const signature = line.signature.subarray(0, 63)
    assert.strictEqual(
      outcome({ ...note, signatures: [{ ...line, signature }] }, ada),
      "InvalidNoteSignature"
    )
  })

  it("is refused when one trusted signature holds and another does not", () => {
    const other = signed(2, "bob", "something else\n")
    const both = { ...note, signatures: [...note.signatures, ...other.signatures] }
    assert.strictEqual(outcome(both, ada, bob), "InvalidNoteSignature")
    // To someone who does not know bob, his line is anyone's.
    assert.strictEqual(outcome(both, ada), "ada@null 1")
  })

  it("counts a signature once that stands there twice", () => {
    const other = signed(2, "bob", "hello\n")
    const signatures = [...note.signatures, ...note.signatures, ...other.signatures, ...other.signatures]
    assert.strictEqual(outcome({ ...note, signatures }, ada), "ada@null 1")
  })

  it("passes over a key that shares only its name or only its id", () => {
    const [line] = note.signatures
    if (line === undefined) return assert.fail("no signature")
    const strangers = [
      { ...line, keyId: "00000000" },
      { ...line, name: "eve" }
    ]
    assert.strictEqual(outcome({ ...note, signatures: [...strangers, line] }, ada), "ada@null 2")
  })

  it("is not signed when its text could not be read back", () => {
    for (const text of ["", "no newline", "tab\t\n", "\ud800\n"]) {
      assert.isTrue(Result.isFailure(signNote(sha256, signerOf(1), "ada", text)), JSON.stringify(text))
    }
    assert.isTrue(Result.isFailure(signNote(sha256, signerOf(1), "two names", "hello\n")))
  })
})

describe("a cosignature", () => {
  const witness = keyOf(3, "witness", "cosignature/v1")
  const note = (time: bigint): SignedNote => ({
    text: "log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n",
    signatures: [cosigned(3, "witness", "log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", time)]
  })

  it("says when the witness made it", () => {
    assert.strictEqual(outcome(note(1_679_315_147n), witness), "witness@1679315147 0")
  })

  it("covers its time and its text", () => {
    const [line] = note(5n).signatures
    if (line === undefined) return assert.fail("no signature")
    const later = line.signature.slice()
    later[7] = 6
    assert.strictEqual(
      outcome({ ...note(5n), signatures: [{ ...line, signature: later }] }, witness),
      "InvalidNoteSignature"
    )
    assert.strictEqual(outcome({ ...note(5n), text: "log\n" }, witness), "InvalidNoteSignature")
    assert.strictEqual(
      outcome({ ...note(5n), signatures: [{ ...line, signature: line.signature.subarray(8) }] }, witness),
      "InvalidNoteSignature"
    )
  })

  it("of a time beyond 2^53 seconds is refused", () => {
    assert.strictEqual(outcome(note(2n ** 53n), witness), "InvalidNoteSignature")
  })

  it("is no plain signature by the same key", () => {
    const plain = signed(3, "witness", "log\n")
    assert.strictEqual(outcome(plain, witness), "UnverifiedNote")
  })
})

describe("a verifier key", () => {
  it("is written as it is read", () => {
    for (const key of [ada, keyOf(3, "witness", "cosignature/v1")]) {
      const text = formatVerifierKey(key)
      assert.deepStrictEqual(Result.getOrThrow(parseVerifierKey(sha256, text)), key)
    }
  })

  it("has a name of one word and 32 bytes", () => {
    for (const name of ["", "a b", "a+b", "a\nb", "a\u2003b", "a\u0001b"]) {
      const made = makeVerifierKey(sha256, name, signerOf(1).publicKey)
      assert.strictEqual(Result.isFailure(made) && made.failure.reason, "name")
    }
    const short = makeVerifierKey(sha256, "ada", new Uint8Array(31))
    assert.strictEqual(Result.isFailure(short) && short.failure.reason, "key_length")
  })

  it("tells what is wrong with a text", () => {
    const reasonOf = (text: string) => {
      const result = parseVerifierKey(sha256, text)
      return Result.isFailure(result) ? result.failure.reason : "parsed"
    }
    const text = formatVerifierKey(ada)
    assert.strictEqual(reasonOf(""), "form")
    assert.strictEqual(reasonOf(text.replace(ada.keyId, ada.keyId.toUpperCase())), "form")
    assert.strictEqual(reasonOf(`${text}=`), "base64")
    assert.strictEqual(reasonOf(text.replace("ada", "adb")), "key_id")
    assert.strictEqual(reasonOf(text.replace("ada", "")), "name")
    assert.strictEqual(reasonOf("ada+00000000+Ag=="), "unsupported_type")
    assert.strictEqual(reasonOf("ada+00000000+AQ=="), "key_length")
  })
})
