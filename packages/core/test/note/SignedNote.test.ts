import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { formatNote, MAX_NOTE_SIGNATURES, parseNote } from "../../src/note/SignedNote.ts"

const LINE =
  "— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM="
const NOTE = `This is an example message.\n\n${LINE}\n`

const reasonOf = (source: string | Uint8Array) => {
  const result = parseNote(source)
  return Result.isFailure(result) ? `${result.failure.reason} ${result.failure.line}` : "parsed"
}

describe("a signed note", () => {
  it("is a text, a blank line and signatures", () => {
    const { text, signatures } = Result.getOrThrow(parseNote(NOTE))
    assert.strictEqual(text, "This is an example message.\n")
    assert.deepStrictEqual(
      signatures.map(({ name, keyId, signature }) => [name, keyId, signature.length]),
      [["example.com/foo", "530d903a", 64]]
    )
  })

  it("reads from bytes as from text, and is written as it was read", () => {
    const fromBytes = Result.getOrThrow(parseNote(new TextEncoder().encode(NOTE)))
    assert.deepStrictEqual(fromBytes, Result.getOrThrow(parseNote(NOTE)))
    assert.strictEqual(formatNote(fromBytes), NOTE)
  })

  it("may have blank lines in its text: the last one ends it", () => {
    const { text } = Result.getOrThrow(parseNote(`one\n\n\ntwo\n\n${LINE}\n`))
    assert.strictEqual(text, "one\n\n\ntwo\n")
    assert.strictEqual(Result.getOrThrow(parseNote(`one\n\n\n${LINE}\n`)).text, "one\n\n")
  })

  it("keeps a byte order mark: it is part of what was signed", () => {
    const bytes = new TextEncoder().encode(`\ufeff${NOTE}`)
    assert.strictEqual(Result.getOrThrow(parseNote(bytes)).text, "\ufeffThis is an example message.\n")
  })

  it("has signatures", () => {
    assert.strictEqual(reasonOf("text\n"), "no_signatures 0")
    assert.strictEqual(reasonOf("text\n\n"), "no_signatures 0")
  })

  it("ends in a newline", () => {
    assert.strictEqual(reasonOf(NOTE.slice(0, -1)), "no_final_newline 0")
  })

  it("has no control character but newlines, and is UTF-8", () => {
    for (const control of ["\u0000", "\t", "\r", "\u000b", "\u001f"]) {
      assert.strictEqual(reasonOf(`te${control}xt\n\n${LINE}\n`), "control_character 0")
    }
    assert.strictEqual(reasonOf(`te\u007fxt\n\n${LINE}\n`), "parsed")
    assert.strictEqual(reasonOf(Uint8Array.of(0xff, ...new TextEncoder().encode(NOTE))), "not_utf8 0")
    assert.strictEqual(reasonOf(`te\ud800xt\n\n${LINE}\n`), "not_utf8 0")
  })

  it("names the line that is no signature", () => {
    const bad = (line: string) => reasonOf(`one\ntwo\n\n${LINE}\n${line}\n`)
    assert.strictEqual(bad("Unexpected line."), "signature_line 5")
    assert.strictEqual(bad(LINE.replace("— ", "- ")), "signature_line 5")
    assert.strictEqual(bad(LINE.replace("example.com/foo", "example com/foo")), "signature_line 5")
    assert.strictEqual(bad(LINE.replace("example.com/foo", "example\u0085com/foo")), "signature_line 5")
    assert.strictEqual(bad(LINE.replace("example.com/foo", "example+foo")), "signature_line 5")
    assert.strictEqual(bad(LINE.replace("example.com/foo", "")), "signature_line 5")
    assert.strictEqual(bad(`${LINE} `), "signature_line 5")
    // Four bytes are a key id and no signature.
    assert.strictEqual(bad("— example.com/foo Uw2QOg=="), "signature_line 5")
    assert.strictEqual(bad("— example.com/foo Uw2QOkk="), "parsed")
  })

  it("takes each signature in one spelling only", () => {
    const padded = LINE.replace("aQM=", "aQM")
    assert.strictEqual(reasonOf(`t\n\n${padded}\n`), "signature_line 3")
    // The last character's unused bits are set.
    assert.strictEqual(reasonOf(`t\n\n${LINE.replace("aQM=", "aQN=")}\n`), "signature_line 3")
    assert.strictEqual(reasonOf(`t\n\n${LINE.replace("/ONn", "_ONn")}\n`), "parsed")
    assert.strictEqual(reasonOf(`t\n\n${LINE.replace("Uw2Q", "Uw2-")}\n`), "signature_line 3")
  })

  it("has a hundred signatures at most, and a million characters", () => {
    const many = (count: number) => `t\n\n${`${LINE}\n`.repeat(count)}`
    assert.strictEqual(reasonOf(many(MAX_NOTE_SIGNATURES)), "parsed")
    assert.strictEqual(reasonOf(many(MAX_NOTE_SIGNATURES + 1)), "too_many_signatures 0")
    assert.strictEqual(reasonOf(`${"t".repeat(1_000_000)}\n\n${LINE}\n`), "too_long 0")
  })
})
