import { eventGenerator } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import fc from "fast-check"
import { canonicalize } from "../../src/encoding/CanonicalJson.ts"
import { isCanonicalContent } from "../../src/event/CanonicalContent.ts"
import { contentParts, contentText } from "../../src/event/ContentWriter.ts"
import { EventContent, parseContent } from "../../src/event/EventContent.ts"
import { decodeEvent } from "../../src/event/EventDecoding.ts"
import { nowhere } from "../../src/event/GeoIp.ts"

const generated = generatedTests(import.meta.url)

const utf8 = new TextEncoder()
const isCanonical = (text: string): boolean => isCanonicalContent(utf8.encode(text))

const decode = Schema.decodeUnknownResult(EventContent, { onExcessProperty: "error" })

/** The slow way to tell: parse, see that there is nothing more and nothing less, and write it again. */
const isCanonicalByWriting = (text: string): boolean => {
  const content = parseContent(text)
  if (content === undefined || Result.isFailure(decode(content))) return false
  const written = canonicalize(content)
  return Result.isSuccess(written) && written.success === text
}

const next = eventGenerator({ seed: 3 })
const texts = Array.from({ length: 200 }, () =>
  contentText(contentParts(Result.getOrThrow(decodeEvent(next())), 1_714_564_800_000_000), nowhere)
)

/** A content with some metadata; the rest of it is plain. */
const withMetadata = (metadata: string): string =>
  `{"action":"a.b","action_category":null,"actor":{"id":"ada","name":null,"type":null},"idempotency_key":null,` +
  `"ip_city":null,"ip_country":null,"metadata":${metadata},"occurred_at":"2026-01-15T09:30:00.000000Z",` +
  `"resource":{"id":null,"name":null,"type":null},"session_id":null,"targets":[],"tenant_id":null,"version":null}`

describe("isCanonicalContent", () => {
  it("finds every content that ingestion writes canonical", () => {
    for (const text of texts) assert.isTrue(isCanonical(text), text)
  })

  it("agrees with parsing and writing again, whatever the metadata", () => {
    generated.property(
      fc.property(
        fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary" })),
        (metadata) => {
          const written = canonicalize(metadata)
          if (Result.isFailure(written)) return
          assert.isTrue(isCanonical(withMetadata(written.success)), written.success)
        }
      ),
      { numRuns: 200 }
    )
  })

  it("agrees with parsing and writing again, whatever one changes in a text", () => {
    const change = fc.tuple(
      fc.nat(texts.length - 1),
      fc.nat(2_000),
      fc.constantFrom(...'"\\{}[],:0129-+.eEnulltrue \tAé\u2028')
    )
    generated.property(
      fc.property(change, fc.boolean(), ([which, place, character], replace) => {
        const text = texts[which] ?? ""
        const at = place % text.length
        const changed = text.slice(0, at) + character + text.slice(replace ? at + 1 : at)
        assert.strictEqual(isCanonical(changed), isCanonicalByWriting(changed), changed)
      }),
      { numRuns: 5_000 }
    )
  })

  it("agrees with parsing and writing again on every spelling of a number", () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789.-+eE"), minLength: 1, maxLength: 24 })
    const spelt = fc.oneof(
      digits,
      fc.double().map(String),
      fc.integer().map(String),
      fc.maxSafeInteger().map(String)
    )
    generated.property(
      fc.property(spelt, (number) => {
        const text = withMetadata(`{"n":${number}}`)
        assert.strictEqual(isCanonical(text), isCanonicalByWriting(text), number)
      }),
      { numRuns: 5_000 }
    )
  })

  it.each([
    ["a member twice", '{"a":1,"a":1}'],
    ["members out of order", '{"b":1,"a":1}'],
    ["members in the order of their code points", '{"\ue000":1,"\u{1f600}":1}'],
    ["white space", '{ "a":1}'],
    ["an escape that need not be", '{"a":"\\u0041"}'],
    ["a solidus escaped", '{"a":"\\/"}'],
    ["a long escape for a short one", '{"a":"\\u000a"}'],
    ["an escape in upper case", '{"a":"\\u001F"}'],
    ["a lone surrogate", '{"a":"\\ud800"}'],
    ["a control character as it is", '{"a":"\u0001"}'],
    ["minus zero", '{"a":-0}'],
    ["a number that rounds", '{"a":9007199254740993}'],
    ["a fraction that ends in nought", '{"a":1.50}'],
    ["an exponent that need not be", '{"a":1e3}'],
    ["a number too large for one", '{"a":1e400}'],
    ["an array", "[]"],
    ["a string", '"x"'],
    ["nothing", ""]
  ])("refuses %s", (_, metadata) => assert.isFalse(isCanonical(withMetadata(metadata))))

  it.each([
    ["members in the order of UTF-16", '{"\u{1f600}":1,"\ue000":1}'],
    ["a key of integers in the order of text", '{"10":1,"9":1}'],
    ["a key that names a prototype", '{"__proto__":{"a":1}}'],
    ["short escapes", '{"a":"\\b\\f\\n\\r\\t\\"\\\\"}'],
    ["a long escape", '{"a":"\\u001f"}'],
    ["characters as they are", '{"a":"é\u007f\u2028\u{1f600}"}'],
    ["numbers", '{"a":[0,-1,1.5,1e+21,1e-7,0.000001,123456789012345680000]}'],
    ["null", "null"]
  ])("takes %s", (_, metadata) => assert.isTrue(isCanonical(withMetadata(metadata))))

  it("refuses what is nested deeper than it follows, and does not run out of stack", () => {
    const nested = (depth: number) => withMetadata(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`)
    assert.isTrue(isCanonical(nested(50)))
    assert.isFalse(isCanonical(nested(100)))
    assert.isFalse(isCanonical(nested(1_000_000)))
  })

  it("refuses bytes that are no UTF-8", () => {
    const bytes = utf8.encode(withMetadata('{"a":"xx"}'))
    const at = bytes.lastIndexOf(0x78)
    for (const [first, second] of [
      [0xc0, 0x80],
      [0xff, 0x78],
      [0xed, 0xa0]
    ] as const) {
      const changed = bytes.with(at - 1, first).with(at, second)
      assert.isFalse(isCanonicalContent(changed))
    }
  })

  it("looks at the bytes between its bounds only", () => {
    const bytes = utf8.encode(`xx${texts[0]}yy`)
    assert.isTrue(isCanonicalContent(bytes, 2, bytes.length - 2))
    assert.isFalse(isCanonicalContent(bytes, 2, bytes.length - 1))
    assert.isFalse(isCanonicalContent(bytes, 1, bytes.length - 2))
    assert.isFalse(isCanonicalContent(bytes, 2, bytes.length - 3))
  })
})
