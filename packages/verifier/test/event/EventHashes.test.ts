/** Events are hashed together; what is wrong with one of them is told of that one. */
import { type EvidenceEvent, EvidenceReader } from "@cairn/core/evidence"
import { leafHash } from "@cairn/core/merkle"
import { testBundle, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { EventHashes } from "../../src/event/EventHashes.ts"
import { EvidenceVerifier, portableEd25519, type Report } from "../../src/index.ts"
import { serviceKey, sha256, signer } from "../Bundles.ts"

const EVENTS = 150
const log = testLog({ events: EVENTS, periods: [70] })
const lines = testBundle(log, { signer })
const utf8 = new TextEncoder()

const verifyPieces = (text: string, pieceBytes: number, implementation = sha256): Report => {
  const bytes = utf8.encode(text)
  const tools = { sha256: implementation, ed25519: portableEd25519 }
  const verifier = new EvidenceVerifier(tools, { trustedKeys: [serviceKey] })
  for (let at = 0; at < bytes.length; at += pieceBytes) verifier.feed(bytes.slice(at, at + pieceBytes))
  return verifier.finish()
}

const failuresOf = ({ failed }: Report) =>
  failed.map(({ code, subject }) => `${code} ${subject.kind === "event" ? subject.sequence : ""}`)

/** The bundle with something replaced in the line of one event. */
const changed = (sequence: number, replace: (line: string) => string): string =>
  lines
    .map((line) => (line.includes(`"sequence":${sequence},"type":"event"`) ? replace(line) : line))
    .join("")

/** Events at the edges of what is hashed together, of the anchor's period, and of the bundle. */
const SEQUENCES = [1, 2, 5, 63, 64, 65, 70, 71, 128, 129, 149, EVENTS]
/** All at once, pieces of several lines, and pieces of less than one. */
const PIECES = [1_000_000, 3_000, 333]

const otherDigit = (digit: string): string => (digit === "0" ? "1" : "0")

describe("events that are hashed together", () => {
  it("are intact when none was changed, however the bundle is cut", () => {
    for (const pieceBytes of [...PIECES, 1]) {
      const report = verifyPieces(lines.join(""), pieceBytes)
      assert.strictEqual(report.verdict, "intact", `pieces of ${pieceBytes}`)
      assert.strictEqual(report.counts.events, EVENTS)
    }
  })

  it("tell a changed content of the event that it was changed in", () => {
    for (const sequence of SEQUENCES) {
      const text = changed(sequence, (line) =>
        line.replace(/("occurred_at":"\d{3})(\d)/, (_, head, digit) => head + otherDigit(digit))
      )
      for (const pieceBytes of PIECES) {
        assert.deepStrictEqual(failuresOf(verifyPieces(text, pieceBytes)), [`content_changed ${sequence}`])
      }
    }
  })

  it("tell a changed salt, and a changed field of the header", () => {
    for (const sequence of SEQUENCES) {
      const salt = changed(sequence, (line) =>
        line.replace(/("salt":")(.)/, (_, head, digit) => head + otherDigit(digit))
      )
      const id = changed(sequence, (line) =>
        line.replace(
          /(,"id":")(.)(?=[0-9a-f]{7}-[0-9a-f-]{27}","previous)/,
          (_, head, digit) => head + otherDigit(digit)
        )
      )
      for (const pieceBytes of PIECES) {
        assert.deepStrictEqual(failuresOf(verifyPieces(salt, pieceBytes)), [`content_changed ${sequence}`])
        assert.deepStrictEqual(failuresOf(verifyPieces(id, pieceBytes)), [`header_changed ${sequence}`])
      }
    }
  })

  it("tell a content that is spelt otherwise", () => {
    const spaced = changed(9, (line) => line.replace('{"content":{', '{"content":{ '))
    assert.deepStrictEqual(failuresOf(verifyPieces(spaced, 3_000)), ["content_changed 9"])
  })

  it("are told in the order in which they stand, with what else is wrong", () => {
    const text = lines
      .filter((line) => !line.includes('"sequence":67,"type":"event"'))
      .join("")
      .replaceAll('"ip_city":null', '"ip_city":"X"')
    const sequences = verifyPieces(text, 3_000).failed.flatMap(({ subject }) =>
      subject.kind === "event" ? [subject.sequence] : []
    )
    assert.isAbove(sequences.length, 0)
    assert.deepStrictEqual(
      sequences,
      sequences.toSorted((one, other) => one - other)
    )
  })

  it("are found whatever was removed between them", () => {
    const removed = testBundle(testLog({ events: 12, erased: [3, 4, 9] }), { signer })
    const events: Array<EvidenceEvent> = []
    let workspaceId = ""
    const reader = new EvidenceReader((line) => {
      if (line.type === "header") workspaceId = line.workspace_id
      if (line.type === "event") events.push(line)
    })
    reader.feed(utf8.encode(removed.join("")))
    const { hashes } = new EventHashes(sha256, workspaceId).of(events)
    assert.strictEqual(events.filter(({ content }) => content === null).length, 3)
    assert.deepStrictEqual(
      hashes,
      events.map(() => ({ otherContent: null, otherHeader: null }))
    )
  })

  it("make leaves of the hashes that the lines state, be they right or wrong", () => {
    const events: Array<EvidenceEvent> = []
    let workspaceId = ""
    const reader = new EvidenceReader((line) => {
      if (line.type === "header") workspaceId = line.workspace_id
      if (line.type === "event") events.push(line)
    })
    const wrong = changed(7, (line) =>
      line.replace(/("event_hash":")(.)/, (_, head, digit) => head + otherDigit(digit))
    )
    reader.feed(utf8.encode(wrong))
    for (const [id, right] of [
      [workspaceId, EVENTS - 1],
      ["wsp_another", 0]
    ] as const) {
      const { hashes, leaves } = new EventHashes(sha256, id).of(events)
      assert.lengthOf(
        hashes.filter(({ otherHeader }) => otherHeader === null),
        right
      )
      const expected = events.map(({ eventHash }) =>
        leafHash(sha256, Uint8Array.from(Buffer.from(eventHash, "hex")))
      )
      assert.deepStrictEqual(Buffer.from(leaves), Buffer.concat(expected))
    }
  })

  it("are counted when the rest cannot be read", () => {
    const events = lines.filter((line) => line.includes('"type":"event"'))
    const [header = ""] = lines
    const report = verifyPieces(`${header}${events.slice(0, 10).join("")}nonsense\n`, 1_000_000)
    assert.strictEqual(report.verdict, "unreadable")
    assert.strictEqual(report.counts.events, 10)
  })

  it("are told the same where the platform hashes one by one", () => {
    const plain = { hex: sha256.hex, bytes: sha256.bytes }
    for (const text of [
      lines.join(""),
      changed(64, (line) => line.replace('"salt":"', '"salt":"0').replace(/("salt":"[0-9a-f]{32})./, "$1"))
    ]) {
      assert.deepStrictEqual(verifyPieces(text, 3_000, plain), verifyPieces(text, 3_000))
    }
  })
})
