/**
 * Signing and verifying notes: Ed25519 over the text (C2SP signed-note), and cosignatures, in which a witness
 * states when it saw the text (C2SP tlog-cosignature, `cosignature/v1`).
 */
import { Result, Schema } from "effect"
import {
  ED25519_SIGNATURE_BYTES,
  type Ed25519SignerShape,
  type Ed25519VerifierShape
} from "../hashing/Ed25519.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { isNoteText, MalformedNote, type NoteSignature, type SignedNote } from "./SignedNote.ts"
import { type MalformedVerifierKey, makeVerifierKey, type VerifierKey } from "./VerifierKey.ts"

/** A valid signature and the key that made it. */
export interface VerifiedSignature {
  readonly key: VerifierKey
  /** When a witness made its cosignature, in seconds since the Unix epoch; null for a plain signature. */
  readonly timestamp: number | null
}

/** A note with valid signatures: its text can be trusted as far as the keys that signed it. */
export interface OpenedNote {
  readonly text: string
  /** Signatures by trusted keys, each once; at least one. */
  readonly verified: ReadonlyArray<VerifiedSignature>
  /** Signatures by other keys, which were not verified. */
  readonly unknown: ReadonlyArray<NoteSignature>
}

/**
 * A line with the name and id of a trusted key is not that key's signature: the text or the line was changed.
 */
export class InvalidNoteSignature extends Schema.TaggedError<InvalidNoteSignature>()("InvalidNoteSignature", {
  name: Schema.String,
  keyId: Schema.String
}) {}

/** No trusted key signed the note. */
export class UnverifiedNote extends Schema.TaggedError<UnverifiedNote>()("UnverifiedNote", {
  /** The keys that the signature lines name, as `name+id`; not verified. */
  signers: Schema.Array(Schema.String)
}) {}

const utf8 = new TextEncoder()

/** Bytes of the time before a cosignature: an unsigned 64-bit integer, big-endian. */
const TIMESTAMP_BYTES = 8

/** What a witness signs, C2SP tlog-cosignature section "Ed25519 signed message". */
const cosignedMessage = (text: string, timestamp: number): Uint8Array =>
  utf8.encode(`cosignature/v1\ntime ${timestamp}\n${text}`)

const verifyPlain = (
  ed25519: Ed25519VerifierShape,
  key: VerifierKey,
  text: string,
  signature: Uint8Array
): VerifiedSignature | undefined =>
  signature.length === ED25519_SIGNATURE_BYTES && ed25519.verify(key.publicKey, utf8.encode(text), signature)
    ? { key, timestamp: null }
    : undefined

const verifyCosignature = (
  ed25519: Ed25519VerifierShape,
  key: VerifierKey,
  text: string,
  signature: Uint8Array
): VerifiedSignature | undefined => {
  if (signature.length !== TIMESTAMP_BYTES + ED25519_SIGNATURE_BYTES) return undefined
  const view = new DataView(signature.buffer, signature.byteOffset, TIMESTAMP_BYTES)
  const timestamp = Number(view.getBigUint64(0))
  // Beyond that the number is not exact and the time is beyond any calendar, so it may be rejected as a time
  // in the future.
  if (!Number.isSafeInteger(timestamp)) return undefined
  const message = cosignedMessage(text, timestamp)
  return ed25519.verify(key.publicKey, message, signature.subarray(TIMESTAMP_BYTES))
    ? { key, timestamp }
    : undefined
}

const verifySignature = (
  ed25519: Ed25519VerifierShape,
  key: VerifierKey,
  text: string,
  signature: Uint8Array
): VerifiedSignature | undefined =>
  key.type === "ed25519"
    ? verifyPlain(ed25519, key, text, signature)
    : verifyCosignature(ed25519, key, text, signature)

const sameBytes = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index])

const sameSignature = (one: NoteSignature, other: NoteSignature): boolean =>
  one.name === other.name && one.keyId === other.keyId && sameBytes(one.signature, other.signature)

/**
 * Checks a note against the trusted keys: at least one has signed it, and every line with the name and id of
 * a trusted key is a valid signature.
 *
 * Lines of other keys are kept but not checked, even if they share a name or an id with a trusted key. A
 * repeated line counts once. Costs one Ed25519 verification a line of a trusted key, about a millisecond with
 * the portable implementation.
 */
export const openNote = (
  ed25519: Ed25519VerifierShape,
  note: SignedNote,
  trusted: ReadonlyArray<VerifierKey>
): Result.Result<OpenedNote, InvalidNoteSignature | UnverifiedNote> => {
  const verified: Array<VerifiedSignature> = []
  const unknown: Array<NoteSignature> = []
  for (const [index, line] of note.signatures.entries()) {
    if (note.signatures.slice(0, index).some((earlier) => sameSignature(earlier, line))) continue
    const key = trusted.find(({ name, keyId }) => name === line.name && keyId === line.keyId)
    if (key === undefined) {
      unknown.push(line)
      continue
    }
    const found = verifySignature(ed25519, key, note.text, line.signature)
    if (found === undefined) {
      return Result.fail(new InvalidNoteSignature({ name: line.name, keyId: line.keyId }))
    }
    verified.push(found)
  }
  if (verified.length === 0) {
    const signers = note.signatures.map(({ name, keyId }) => `${name}+${keyId}`)
    return Result.fail(new UnverifiedNote({ signers }))
  }
  return Result.succeed({ text: note.text, verified, unknown })
}

/** Signs a text under a key name. The text must end in a newline. Costs one signature. */
export const signNote = (
  sha256: Sha256Shape,
  signer: Ed25519SignerShape,
  keyName: string,
  text: string
): Result.Result<SignedNote, MalformedNote | MalformedVerifierKey> => {
  if (!isNoteText(text)) {
    return Result.fail(
      new MalformedNote({ reason: text.endsWith("\n") ? "control_character" : "no_final_newline", line: 0 })
    )
  }
  return Result.map(makeVerifierKey(sha256, keyName, signer.publicKey), ({ name, keyId }) => ({
    text,
    signatures: [{ name, keyId, signature: signer.sign(utf8.encode(text)) }]
  }))
}
