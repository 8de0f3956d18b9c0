/**
 * Signed notes (C2SP signed-note): a text, a blank line, and one line for each signature.
 *
 * ```
 * This is an example message.
 *
 * — example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3…
 * ```
 *
 * A signature names its key and carries the key's id, so that readers skip signatures of keys they do not
 * know. Do not trust the text until {@link openNote} has found the signature of a trusted key.
 */
import { Result, Schema } from "effect"
import { decodeBase64, encodeBase64 } from "../encoding/StrictBase64.ts"
import { toHex } from "../hashing/Randomness.ts"

/** One signature line. */
export interface NoteSignature {
  /** The key's name: not empty, without spaces and without `+`. */
  readonly name: string
  /** The key's id as eight lower-case hexadecimal characters. */
  readonly keyId: string
  /** The signature itself; its form depends on the key's type. */
  readonly signature: Uint8Array
}

/** A well-formed note. Its signatures are not verified. */
export interface SignedNote {
  /** What is signed, the final newline included. */
  readonly text: string
  /** In the order of their lines; at least one. */
  readonly signatures: ReadonlyArray<NoteSignature>
}

/** The text is not a signed note; the error says why. */
export class MalformedNote extends Schema.TaggedError<MalformedNote>()("MalformedNote", {
  reason: Schema.Literals([
    "too_long",
    "not_utf8",
    "control_character",
    "no_signatures",
    "no_final_newline",
    "too_many_signatures",
    "signature_line"
  ]),
  /** The line with the error, from 1; 0 if it has no line. */
  line: Schema.Number
}) {}

/** Most characters of a note. C2SP asks for a limit; a post-quantum signature takes some 5,000. */
export const MAX_NOTE_LENGTH = 1_000_000

/** Most signatures of a note. C2SP asks for a limit of 16 or more. */
export const MAX_NOTE_SIGNATURES = 100

/**
 * An em dash, a space, the key's name, a space, the signature. Names have no Unicode space and no plus sign.
 */
const SIGNATURE_LINE = /^\u2014 ([^\p{White_Space}+]+) ([A-Za-z0-9+/]+={0,2})$/u

/** Bytes of a key id. */
const KEY_ID_BYTES = 4

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what the format forbids.
const CONTROL = /[\u0000-\u0009\u000b-\u001f]/

const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    // A byte order mark is a character of the text like any other.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const parseSignature = (line: string): NoteSignature | undefined => {
  const [, name, base64] = SIGNATURE_LINE.exec(line) ?? []
  const bytes = base64 === undefined ? undefined : decodeBase64(base64)
  if (name === undefined || bytes === undefined || bytes.length <= KEY_ID_BYTES) return undefined
  return { name, keyId: toHex(bytes.subarray(0, KEY_ID_BYTES)), signature: bytes.slice(KEY_ID_BYTES) }
}

/** Whether some text can be the text of a note: it ends in a newline and has no other control character. */
export const isNoteText = (text: string): boolean =>
  text.endsWith("\n") && text.isWellFormed() && !CONTROL.test(text)

/** Reads a note from its text or its UTF-8 bytes. Costs one pass; verifies no signature. */
export const parseNote = (source: string | Uint8Array): Result.Result<SignedNote, MalformedNote> => {
  const refuse = (reason: MalformedNote["reason"], line = 0) =>
    Result.fail(new MalformedNote({ reason, line }))
  if (source.length > MAX_NOTE_LENGTH) return refuse("too_long")
  const whole = typeof source === "string" ? source : decodeUtf8(source)
  if (whole === undefined || !whole.isWellFormed()) return refuse("not_utf8")
  if (CONTROL.test(whole)) return refuse("control_character")
  if (!whole.endsWith("\n")) return refuse("no_final_newline")
  // The last empty line: the text before it may have empty lines of its own.
  const blank = whole.lastIndexOf("\n\n")
  if (blank < 0 || blank + 2 === whole.length) return refuse("no_signatures")
  const text = whole.slice(0, blank + 1)
  const lines = whole.slice(blank + 2, -1).split("\n")
  if (lines.length > MAX_NOTE_SIGNATURES) return refuse("too_many_signatures")
  const signatures: Array<NoteSignature> = []
  for (const line of lines) {
    const signature = parseSignature(line)
    if (signature === undefined) {
      return refuse("signature_line", text.split("\n").length + 1 + signatures.length)
    }
    signatures.push(signature)
  }
  return Result.succeed({ text, signatures })
}

const bytesOfHex = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16)
  )

/** Writes one signature as its line, without the newline. */
const signatureLine = ({ name, keyId, signature }: NoteSignature): string => {
  const bytes = new Uint8Array(KEY_ID_BYTES + signature.length)
  bytes.set(bytesOfHex(keyId))
  bytes.set(signature, KEY_ID_BYTES)
  return `\u2014 ${name} ${encodeBase64(bytes)}`
}

/** The note as text; {@link parseNote} reads it back. */
export const formatNote = ({ text, signatures }: SignedNote): string =>
  `${text}\n${signatures.map((signature) => `${signatureLine(signature)}\n`).join("")}`
