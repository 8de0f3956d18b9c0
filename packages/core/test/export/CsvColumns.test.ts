import { readFileSync } from "node:fs"
import { canonicalize, Micros, recoverCell } from "@cairn/core/encoding"
import { toEvent } from "@cairn/core/event"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { csvLines } from "../../src/export/CsvColumns.ts"
import { ndjsonLines } from "../../src/export/LineFormat.ts"
import { readCsv } from "../support/ForgivingCsv.ts"

const content = {
  action: "document.created",
  action_category: "",
  actor: { id: "-1", name: "=cmd|' /C calc'!A0", type: null },
  idempotency_key: null,
  ip_city: "Oslo",
  ip_country: "NO",
  metadata: { "=key": "\r\n\u0000", nested: { list: [1, null] } },
  occurred_at: "2024-05-01T12:00:00.000000Z",
  resource: { id: "+1", name: 'a "b", c', type: "document" },
  session_id: null,
  targets: [{ id: "f", type: "folder" }],
  tenant_id: "'quoted",
  version: -3
}
const stored = Result.getOrThrow(canonicalize(content))
const frame = {
  id: "0b6f2f5e-6d0c-4a63-9f5b-0f1d2c3b4a59",
  createdAt: Micros.parse("2024-05-01T12:00:00.000001Z") ?? 0,
  eventHash: "ab",
  previousEventHash: null
}
/** The columns that the page lists. */
const documented = (): ReadonlyArray<string> => {
  const page = readFileSync(new URL("../../../../docs/Exports.md", import.meta.url), "utf8")
  const list = /The columns: ([^.]*)\./.exec(page)?.[1] ?? ""
  return [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? "")
}

const formats = [csvLines, ndjsonLines]

describe("events as CSV", () => {
  const rows = readCsv(csvLines.header + csvLines.line(stored, frame))
  const cells = Object.fromEntries(
    (rows[0] ?? []).map((name, at) => [name, recoverCell(rows[1]?.[at] ?? "")])
  )

  it("have a header of the documented columns", () => {
    assert.deepStrictEqual(rows[0], documented())
    assert.lengthOf(rows, 2)
  })

  it("have one column for each field, with nothing for null", () => {
    assert.deepStrictEqual(cells, {
      id: frame.id,
      actor_id: "-1",
      actor_name: "=cmd|' /C calc'!A0",
      actor_type: "",
      action: "document.created",
      action_category: "",
      resource_type: "document",
      resource_id: "+1",
      resource_name: 'a "b", c',
      targets: '[{"id":"f","type":"folder"}]',
      metadata: '{"=key":"\\r\\n\\u0000","nested":{"list":[1,null]}}',
      tenant_id: "'quoted",
      session_id: "",
      ip_country: "NO",
      ip_city: "Oslo",
      idempotency_key: "",
      version: "-3",
      event_hash: "ab",
      previous_event_hash: "",
      occurred_at: "2024-05-01T12:00:00.000000Z",
      created_at: "2024-05-01T12:00:00.000001Z"
    })
  })
})

describe("events as NDJSON", () => {
  it("are one line each, and parse to what was written", () => {
    const line = ndjsonLines.line(stored, frame) ?? ""
    assert.strictEqual(line.indexOf("\n"), line.length - 1)
    assert.deepStrictEqual(JSON.parse(line), toEvent(content, frame))
    assert.strictEqual(ndjsonLines.header, "")
  })
})

describe("content that someone changed", () => {
  it("is written as long as it is one, and left out otherwise", () => {
    const spaced = JSON.stringify(content, null, 1)
    for (const { line } of formats) {
      assert.strictEqual(line(spaced, frame), line(stored, frame))
      for (const other of [
        "",
        "{}",
        stored.slice(0, -1),
        stored.replace('"action":', '"act":'),
        stored.replace("document.created", "document\\q"),
        stored.replace("document.created", "\\u12"),
        stored.replace(/"targets":.*,"tenant_id"/, '"targets":{},"tenant_id"'),
        stored.replace(/"metadata":.*,"occurred_at"/, '"metadata":[],"occurred_at"'),
        `${stored} `.repeat(2)
      ])
        assert.isUndefined(line(other, frame), other)
    }
  })
})
