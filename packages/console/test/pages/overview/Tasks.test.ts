import { assert, describe, it } from "@effect/vitest"
import { type TaskReadings, tasksOf } from "../../../src/page/pages/overview/Tasks.ts"

const moment = "2026-03-04T12:00:00.000000Z"

const webhook = {
  id: "whk_1",
  url: "https://hooks.example.com/cairn",
  description: null,
  types: [],
  enabled: true,
  disabled_reason: null,
  failing_since: null,
  created_at: moment,
  updated_at: moment
} as const

const alert = {
  id: "alt_1",
  rule_id: "rul_1",
  rule_name: "Nights",
  rule_type: "off_hours",
  event_id: "e",
  reason: "at night",
  triggered_at: moment,
  acknowledged_at: null,
  acknowledged_by: null
} as const

/** A workspace in which all is well. */
const WELL: TaskReadings = {
  verification: { data: undefined },
  alerts: { data: [{ ...alert, acknowledged_at: moment, acknowledged_by: "mem_1" }] },
  webhooks: { data: [webhook] },
  streams: { data: [] },
  rules: { data: 3 },
  noticed: { data: 1 },
  usage: {
    data: {
      period_start: moment,
      period_end: moment,
      events: { used: 80, limit: 100 },
      exports: { used: 0, limit: null }
    }
  }
}

describe("what needs a hand", () => {
  it("is nothing where all is well, and nothing of what one may not read", () => {
    assert.deepStrictEqual(tasksOf(WELL), [])
    const nothing = { data: undefined }
    assert.deepStrictEqual(
      tasksOf({
        verification: nothing,
        alerts: nothing,
        webhooks: nothing,
        streams: nothing,
        usage: nothing,
        rules: nothing,
        noticed: nothing
      }),
      []
    )
  })

  it("is that nobody gets the alerts of the rules by mail", () => {
    const unheard = [{ kind: "unheard", page: "members" }] as const
    assert.deepStrictEqual(tasksOf({ ...WELL, noticed: { data: 0 } }), unheard)
    assert.deepStrictEqual(tasksOf({ ...WELL, noticed: { data: 0 }, rules: { data: 0 } }), [])
    assert.deepStrictEqual(tasksOf({ ...WELL, noticed: { data: undefined } }), [], "no mail is sent at all")
  })

  it("is each alert that nobody has acknowledged, together", () => {
    assert.deepStrictEqual(tasksOf({ ...WELL, alerts: { data: [alert, alert] } }), [
      { kind: "alerts", count: 2, page: "alerts" }
    ])
  })

  it("is each webhook that fails or was turned off for that, and none that people turned off", () => {
    const failing = { ...webhook, failing_since: moment }
    const gone = {
      ...webhook,
      id: "whk_2",
      description: "Pager",
      enabled: false,
      disabled_reason: "gone"
    } as const
    const off = { ...webhook, enabled: false }
    assert.deepStrictEqual(tasksOf({ ...WELL, webhooks: { data: [failing, gone, off] } }), [
      { kind: "webhook", name: webhook.url, page: "webhooks/whk_1" },
      { kind: "webhook", name: "Pager", page: "webhooks/whk_2" }
    ])
  })

  it("is a quota of which more than four fifths are used", () => {
    const usage = { data: WELL.usage.data && { ...WELL.usage.data, events: { used: 81, limit: 100 } } }
    assert.deepStrictEqual(tasksOf({ ...WELL, usage }), [{ kind: "quota", page: "usage" }])
  })
})
