import { csvTable, EVENT_COLUMNS, type Event, ndjsonTable, recoverCell } from "@cairn/core"
import { assert, describe, it } from "@effect/vitest"
import { readCsv } from "./StrictCsv.ts"

const event: Event = {
  id: "0b6f2f5e-6d0c-4a63-9f5b-0f1d2c3b4a59",
  actor: { id: "-1", name: "=cmd|' /C calc'!A0", type: null },
  action: "document.created",
  action_category: "",
  resource: { type: "document", id: "+1", name: 'a "b", c' },
  targets: [{ type: "folder", id: "f" }],
  metadata: { "=key": "\r\n\u0000", nested: { list: [1, null] } },
  tenant_id: "'quoted",
  session_id: null,
  ip_country: "NO",
  ip_city: "Oslo",
  idempotency_key: null,
  version: -3,
  integrity: { event_hash: "ab", previous_event_hash: null },
  occurred_at: "2024-05-01T12:00:00.000000Z",
  created_at: "2024-05-01T12:00:00.000001Z"
}

describe("events as CSV", () => {
  const rows = readCsv(csvTable.header + csvTable.line(event))
  const cells = Object.fromEntries(
    (rows[0] ?? []).map((name, at) => [name, recoverCell(rows[1]?.[at] ?? "")])
  )

  it("have a header of the documented columns", () => {
    assert.deepStrictEqual(rows[0], EVENT_COLUMNS)
    assert.lengthOf(rows, 2)
  })

  it("have one column for each field, with nothing for null", () => {
    assert.deepStrictEqual(cells, {
      id: event.id,
      actor_id: "-1",
      actor_name: "=cmd|' /C calc'!A0",
      actor_type: "",
      action: "document.created",
      action_category: "",
      resource_type: "document",
      resource_id: "+1",
      resource_name: 'a "b", c',
      targets: '[{"type":"folder","id":"f"}]',
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
    const line = ndjsonTable.line(event)
    assert.strictEqual(line.indexOf("\n"), line.length - 1)
    assert.deepStrictEqual(JSON.parse(line), event)
    assert.strictEqual(ndjsonTable.header, "")
  })
})
