import { assert, describe, it } from "@effect/vitest"
import type { Delivery } from "../../../src/page/pages/webhooks/deliveries/Delivery.ts"
import {
  aboutOf,
  bodyOf,
  draftOf,
  getsAll,
  hostOf,
  lastDeliveries,
  MESSAGE_TYPES,
  stateOf,
  type Webhook
} from "../../../src/page/pages/webhooks/Webhook.ts"

const webhook: Webhook = {
  id: "whk_1",
  url: "https://hooks.example.com:8443/services/T0?key=1",
  description: null,
  types: ["webhook.test", "alert.triggered"],
  enabled: true,
  disabled_reason: null,
  failing_since: null,
  created_at: "2026-01-31T09:15:02.123456Z",
  updated_at: "2026-01-31T09:15:02.123456Z"
}

const delivery = (id: string, target: string): Delivery => ({
  id,
  channel: "webhook",
  target,
  type: "alert.triggered",
  status: "delivered",
  attempts: 1,
  next_attempt_at: null,
  created_at: "2026-01-31T09:15:02.123456Z"
})

describe("a webhook", () => {
  const since = "2026-01-31T09:15:02.123456Z"
  const cases = [
    ["on", { enabled: true, disabled_reason: null, failing_since: null }],
    ["failing", { enabled: true, disabled_reason: null, failing_since: since }],
    ["off", { enabled: false, disabled_reason: null, failing_since: since }],
    ["gone", { enabled: false, disabled_reason: "gone", failing_since: null }],
    ["failed", { enabled: false, disabled_reason: "failing", failing_since: since }]
  ] as const
  for (const [state, members] of cases) {
    it(`is ${state}`, () => assert.strictEqual(stateOf(members), state))
  }

  it("is called by its host, also where the rest is hidden, and told apart by what it is for", () => {
    assert.strictEqual(hostOf(webhook.url), "hooks.example.com:8443")
    assert.strictEqual(hostOf("https://hooks.example.com/***"), "hooks.example.com")
    assert.strictEqual(hostOf("***"), "***")
    assert.strictEqual(aboutOf(webhook), "/services/T0")
    assert.strictEqual(aboutOf({ ...webhook, description: "On-call" }), "On-call")
  })

  it("gets everything if it gets each kind, tests aside", () => {
    assert.isFalse(getsAll(webhook))
    assert.isTrue(getsAll({ types: MESSAGE_TYPES }))
  })

  it("is changed with what its form shows, and a description that was emptied is none", () => {
    const draft = draftOf({ ...webhook, description: "On-call" })
    assert.deepStrictEqual(draft.types, ["alert.triggered"])
    assert.deepStrictEqual(bodyOf({ ...draft, url: ` ${webhook.url} `, description: "  " }), {
      url: webhook.url,
      description: null,
      types: ["alert.triggered"]
    })
  })

  it("has the newest of its deliveries as its last", () => {
    const last = lastDeliveries([delivery("3", "a"), delivery("2", "b"), delivery("1", "a")])
    assert.strictEqual(last.get("a")?.id, "3")
    assert.strictEqual(last.get("b")?.id, "2")
    assert.isUndefined(last.get("c"))
  })
})
