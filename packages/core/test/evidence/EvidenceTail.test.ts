import { testBundle, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { headerText } from "../../src/event/EventHash.ts"
import { readEventTail } from "../../src/evidence/EvidenceTail.ts"
import { signerOf } from "../support/NodeEd25519.ts"

const log = testLog({ events: 12, erased: [5] })
const lines = testBundle(log, { signer: signerOf(7) }).filter((line) => line.includes('"type":"event"'))

const HASH = '"([0-9a-f]{64})"'
const SALT = '"([0-9a-f]{32})"'
const MOMENT = '"(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z)"'
const UUID = '"([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"'

/** The slow way to check. */
const TAIL = new RegExp(
  `,"content_hash":${HASH},"created_at":${MOMENT},"event_hash":${HASH},"id":${UUID},` +
    `"previous_event_hash":(?:${HASH}|null),"salt":(?:${SALT}|null),"sequence":([1-9]\\d{0,15}),"type":"event"}$`
)

const CONTENT = '{"content":'.length

const fieldsOf = (text: string) => {
  const bytes = Uint8Array.from(Buffer.from(text, "latin1"))
  const tail = readEventTail(bytes, CONTENT, bytes.length)
  if (tail === undefined) return undefined
  const { start, contentHash, createdAt, eventHash, id, previousEventHash, salt, sequence } = tail
  return [start, contentHash, createdAt, eventHash, id, previousEventHash, salt, sequence]
}

const fieldsByPattern = (text: string) => {
  const match = TAIL.exec(text)
  return match === null || match.index < CONTENT
    ? undefined
    : [match.index, ...match.slice(1).map((field) => field ?? null)]
}

const wholeLines = lines.map((line) => line.trimEnd())

describe("the tail of an event's line", () => {
  it("has the fields of each event, whole or removed, the first or a later one", () => {
    assert.isAbove(wholeLines.length, 10)
    for (const line of wholeLines) {
      const fields = fieldsOf(line)
      assert.isDefined(fields)
      assert.deepStrictEqual(fields, fieldsByPattern(line))
    }
  })

  it("is read as its pattern says, whichever character is another", () => {
    for (const line of [wholeLines[0] ?? "", wholeLines[4] ?? "", wholeLines[9] ?? ""]) {
      for (let at = line.indexOf(',"content_hash":'); at < line.length; at++) {
        for (const other of [
          "0",
          "1",
          "a",
          "f",
          "g",
          "F",
          '"',
          "-",
          ":",
          "n",
          ",",
          "}",
          "T",
          "Z",
          "/",
          "\u0000",
          "\u00e9",
          ""
        ]) {
          const text = line.slice(0, at) + other + line.slice(at + 1)
          assert.deepStrictEqual(fieldsOf(text), fieldsByPattern(text), text.slice(-450))
        }
      }
    }
  })

  it("is not read from a line that is too short for it", () => {
    const line = wholeLines[2] ?? ""
    const tail = line.slice(line.indexOf(',"content_hash":'))
    for (let length = 0; length <= tail.length; length++) {
      const text = `${'{"content":'}${tail.slice(tail.length - length)}`
      assert.deepStrictEqual(fieldsOf(text), fieldsByPattern(text))
    }
  })

  it("does not reach into the line before", () => {
    const bytes = Uint8Array.from(Buffer.from(wholeLines.slice(0, 2).join("")))
    const end = bytes.length
    const begin = end - (wholeLines[1] ?? "").length
    const contentEnd = readEventTail(bytes, begin + CONTENT, end)?.start ?? 0
    assert.isAbove(contentEnd, begin)
    assert.isDefined(readEventTail(bytes, contentEnd, end))
    assert.isUndefined(readEventTail(bytes, contentEnd + 1, end))
  })

  it("refuses sequences that no pattern of sixteen digits has", () => {
    const line = wholeLines[3] ?? ""
    for (const digits of ["", "0", "01", "9".repeat(16), "9".repeat(17), "1".repeat(400)]) {
      const text = line.replace(/"sequence":\d+/, `"sequence":${digits}`)
      assert.deepStrictEqual(fieldsOf(text), fieldsByPattern(text), digits)
    }
  })

  it("holds the header's members as they were hashed", () => {
    for (const [index, line] of wholeLines.entries()) {
      const event = log.events[index]
      assert.isDefined(event)
      const bytes = new TextEncoder().encode(line)
      const members = readEventTail(bytes, CONTENT, bytes.length)?.header ?? []
      const text = members.map((part) => new TextDecoder().decode(part)).join("")
      const { workspaceId } = log
      const header = headerText({ ...event, contentHash: event.contentHash ?? "", workspaceId })
      assert.strictEqual(`{${text}"v":1,"workspace_id":"${workspaceId}"}`, header)
    }
  })
})
