import { TEST_KEY_NAME, testBundle, testLog } from "@cairn/testing"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import fc from "fast-check"
import { type EvidenceLine, MAX_EVIDENCE_LINE } from "../../src/evidence/Evidence.ts"
import { EvidenceReader, type MalformedEvidence } from "../../src/evidence/EvidenceReader.ts"
import { evidenceText } from "../../src/evidence/EvidenceWriter.ts"
import { signerOf } from "../support/NodeEd25519.ts"

const generated = generatedTests(import.meta.url)

const log = testLog({ events: 40, legacy: 4, periods: [10, 30], erased: [5, 12] })
const whole = testBundle(log, { signer: signerOf(7) })
const range = testBundle(log, { signer: signerOf(7), from: 8, to: 25 })

const utf8 = new TextEncoder()

/** A line as far as it can be kept: its content is copied out of the reader's buffer. */
const kept = (line: EvidenceLine): EvidenceLine =>
  "content" in line && line.content !== null ? { ...line, content: line.content.slice() } : line

const read = (pieces: ReadonlyArray<Uint8Array>) => {
  const lines: Array<EvidenceLine> = []
  const reader = new EvidenceReader((line) => lines.push(kept(line)))
  for (const piece of pieces) {
    const fed = reader.feed(piece)
    if (Result.isFailure(fed)) return { lines, failure: fed.failure, ended: undefined }
  }
  return { lines, failure: undefined, ended: reader.finish() }
}

const readText = (text: string) => read([utf8.encode(text)])
const refusal = (text: string): MalformedEvidence["reason"] | undefined => readText(text).failure?.reason

describe("EvidenceReader", () => {
  it("reads every line of a bundle, as what it is", () => {
    const { lines, ended } = readText(whole.join(""))
    assert.isTrue(ended !== undefined && Result.isSuccess(ended))
    assert.deepStrictEqual(
      lines.map(({ type }) => type),
      whole.map((line) => JSON.parse(line).type)
    )
    const events = lines.filter((line) => line.type === "event")
    assert.deepStrictEqual(
      events.map(({ sequence, eventHash, createdAt, salt }) => ({ sequence, eventHash, createdAt, salt })),
      log.events.map(({ sequence, eventHash, createdAt, salt }) => ({
        sequence,
        eventHash: eventHash ?? "",
        createdAt,
        salt
      }))
    )
    assert.deepStrictEqual(
      events.map(({ content }) => (content === null ? null : new TextDecoder().decode(content))),
      log.events.map(({ content }) => content)
    )
  })

  it("reads the same lines however the bytes are cut", () => {
    const bytes = utf8.encode(range.join(""))
    const { lines } = read([bytes])
    generated.property(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 20 }), (cuts) => {
        const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.length]
        const pieces = places.slice(1).map((end, index) => bytes.slice(places[index], end))
        assert.deepStrictEqual(read(pieces).lines, lines)
      }),
      { numRuns: 50 }
    )
    assert.deepStrictEqual(read(Array.from(bytes, (byte) => Uint8Array.of(byte))).lines, lines)
  })

  it("says where a bundle was cut off", () => {
    const text = whole.join("")
    const cut = (length: number) => {
      const { ended } = readText(text.slice(0, length))
      return ended === undefined || Result.isSuccess(ended) ? undefined : ended.failure.reason
    }
    assert.strictEqual(cut(0), "no_end_line")
    assert.strictEqual(cut(text.length - 1), "within_line")
    assert.strictEqual(cut(text.lastIndexOf("\n", text.length - 2) + 1), "no_end_line")
    assert.strictEqual(cut(text.length), undefined)
  })

  it("refuses a line as soon as it is too long, wherever it ends", () => {
    const piece = new Uint8Array(MAX_EVIDENCE_LINE / 4).fill(0x61)
    const reader = new EvidenceReader(() => {})
    for (let count = 0; count < 4; count++) assert.isTrue(Result.isSuccess(reader.feed(piece)))
    const refused = reader.feed(Uint8Array.of(0x61))
    assert.strictEqual(Result.isFailure(refused) ? refused.failure.reason : "", "too_long")
  })

  it("refuses lines out of their place", () => {
    const [header = "", ...rest] = range
    assert.strictEqual(refusal(rest.join("")), "misplaced")
    assert.strictEqual(refusal(header + range.join("")), "misplaced")
    assert.strictEqual(refusal(range.toReversed().join("")), "misplaced")
    assert.strictEqual(refusal(range.join("") + (range[3] ?? "")), "misplaced")
    const removal = range.find((line) => line.includes('"type":"removal"')) ?? ""
    assert.strictEqual(refusal(header + removal), "misplaced")
  })

  it("refuses a second spelling of a line", () => {
    const [header = ""] = whole
    assert.strictEqual(refusal(header.replace(":", ": ")), "not_canonical")
    assert.strictEqual(refusal(header.replace("{", '{"a":1,')), "fields")
    assert.strictEqual(refusal(header.replace("\n", " \n")), "not_canonical")
    assert.strictEqual(refusal("\n"), "not_json")
    const event = whole.find((line) => line.includes('"type":"event"')) ?? ""
    for (const other of [
      event.replace("\n", " \n"),
      event.replace('"type":"event"', ' "type":"event"'),
      event.replace('"salt":"', '"salt":"0')
    ]) {
      assert.strictEqual(refusal(header + other), "fields")
    }
  })

  it("refuses a date or a number that cannot be, and a content without a salt", () => {
    const [header = ""] = whole
    const event = whole.find((line) => line.includes('"sequence":2,"type":"event"')) ?? ""
    const others = [
      event.replace(/"created_at":"....-..-../, '"created_at":"2024-02-30'),
      event.replace('"sequence":2,', '"sequence":9007199254740993,'),
      event.replace('"sequence":2,', '"sequence":02,'),
      event.replace(/"salt":"\w+"/, '"salt":null'),
      event.replace(/"content":.*,"content_hash"/, '"content":null,"content_hash"')
    ]
    for (const other of others) {
      assert.notStrictEqual(other, event)
      assert.strictEqual(refusal(header + other), "fields")
    }
  })

  it("says whether a content is spelt as it has to be, and leaves it to the verifier", () => {
    const event = whole.find((line) => line.includes('"sequence":2,"type":"event"')) ?? ""
    const { lines } = readText((whole[0] ?? "") + event + event.replace('{"action":', '{ "action":'))
    assert.deepStrictEqual(
      lines.flatMap((line) => (line.type === "event" ? [line.canonical] : [])),
      [true, false]
    )
  })
})

describe("evidenceText", () => {
  it.effect("writes a bundle, each anchor before the first event after its period", () =>
    Effect.gen(function* () {
      const parsed = readText(whole.join("")).lines
      const header = parsed.find((line) => line.type === "header")
      const checkpoint = parsed.find((line) => line.type === "checkpoint")
      if (header === undefined || checkpoint === undefined) return assert.fail("no header or checkpoint")
      assert.include(header.keys[0] ?? "", TEST_KEY_NAME)
      const text = yield* evidenceText({
        header,
        prefix: null,
        legacy: Stream.make(log.legacy.slice(0, 3), log.legacy.slice(3)),
        events: Stream.make(log.events.slice(0, 7), log.events.slice(7, 10), log.events.slice(10)),
        anchors: log.anchors.map((line) => ({
          lastSequence: line.last_sequence,
          line: Effect.succeed(line)
        })),
        checkpoint: Effect.succeed(checkpoint),
        removals: Stream.empty
      }).pipe(Stream.mkString)
      assert.strictEqual(text, whole.join(""))
    })
  )

  it.effect("writes a range with what stands before it, and removals after it", () =>
    Effect.gen(function* () {
      const parsed = readText(range.join("")).lines
      const header = parsed.find((line) => line.type === "header")
      const prefix = parsed.find((line) => line.type === "prefix")
      const checkpoint = parsed.find((line) => line.type === "checkpoint")
      if (header === undefined || prefix === undefined || checkpoint === undefined)
        return assert.fail("a line is missing")
      const text = yield* evidenceText({
        header,
        prefix,
        legacy: Stream.empty,
        events: Stream.make(log.events.slice(7, 25)),
        anchors: parsed.flatMap((line) =>
          line.type === "anchor" ? [{ lastSequence: line.last_sequence, line: Effect.succeed(line) }] : []
        ),
        checkpoint: Effect.succeed(checkpoint),
        removals: Stream.fromIterable(parsed.flatMap((line) => (line.type === "removal" ? [line] : [])))
      }).pipe(Stream.mkString)
      assert.strictEqual(text, range.join(""))
    })
  )
})
