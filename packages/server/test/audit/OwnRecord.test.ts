import type { EventContent } from "@cairn/core/event"
import { assert, describe, it } from "@effect/vitest"
import { retentionByKey, whyForeign } from "../../src/audit/OwnRecord.ts"

const byKey = (action: string, metadata: EventContent["metadata"]): EventContent => ({
  action,
  action_category: "cairn",
  idempotency_key: null,
  ip_city: null,
  ip_country: null,
  occurred_at: "2026-05-01T00:00:00.000000Z",
  resource: { type: "workspace", id: "wsp_1", name: null },
  session_id: null,
  targets: [],
  tenant_id: null,
  version: null,
  actor: { id: "key_1", name: null, type: "api_key" },
  metadata
})

describe("an event of the service's own", () => {
  const keyed = (idempotency_key: string | null) => ({
    ...byKey("cairn.alert.acknowledged", {}),
    resource: { type: "alert", id: "alr_1", name: null },
    idempotency_key
  })

  it("has no idempotency key but that of what happens once, however many processes record it", () => {
    for (const key of [null, "cairn.alert.acknowledged alr_1"])
      assert.isUndefined(whyForeign(keyed(key), new Set(["key_1"])), String(key))
    for (const key of ["mine", "cairn.alert.acknowledged", "cairn.member.deleted alr_1"])
      assert.match(String(whyForeign(keyed(key), new Set(["key_1"]))), /idempotency key/)
  })
})

describe("an event of the service's own by others than keys", () => {
  const by = (type: string, id: string): EventContent => ({
    ...byKey("cairn.member.updated", {}),
    resource: { type: "member", id: "mem_1", name: null },
    actor: { id, name: null, type }
  })

  it("is by a member, the command or the identity provider, and by nobody else", () => {
    const member = "mem_00000000-0000-4000-8000-000000000000"
    for (const [type, id] of [
      ["member", member],
      ["system", "cairn-cli"],
      ["system", "cairn-oidc"],
      ["system", "cairn-setup"],
      ["system", "cairn-sign-in"]
    ] as const)
      assert.isUndefined(whyForeign(by(type, id), new Set()), id)
    for (const [type, id] of [
      ["member", "mem_1"],
      ["member", `${member}\n`],
      ["user", member],
      ["system", "cairn"],
      ["api_key", "key_1"]
    ] as const)
      assert.isString(whyForeign(by(type, id), new Set()), id)
  })
})

describe("an event of the service's own about reading", () => {
  const uuid = "00000000-0000-4000-8000-000000000000"
  const of = (action: string, type: string, id: string): EventContent => ({
    ...byKey(action, {}),
    resource: { type: "log", id: "wsp_1", name: null },
    actor: { id, name: null, type }
  })

  it("is by a viewer or the link of an export too, as no change is", () => {
    for (const [type, id] of [
      ["viewer", uuid],
      ["link", `exp_${uuid}`],
      ["member", `mem_${uuid}`]
    ] as const) {
      assert.isUndefined(whyForeign(of("cairn.access.events", type, id), new Set()), type)
      assert.isUndefined(whyForeign(of("cairn.access.events.count", type, id), new Set()), type)
    }
    for (const [action, type, id] of [
      ["cairn.access.events", "viewer", "ada"],
      ["cairn.access.events", "link", uuid],
      ["cairn.access.events", "user", uuid],
      ["cairn.export.created", "viewer", uuid]
    ] as const)
      assert.isString(whyForeign(of(action, type, id), new Set()), `${action} ${type} ${id}`)
  })
})

describe("what an API key changed of retention", () => {
  it("is listed where it is the operator's to change, or no record that the service writes of a key", () => {
    for (const content of [
      byKey("cairn.workspace.updated", { changed: { plan: { from: "free", to: "enterprise" } } }),
      byKey("cairn.workspace.updated", { changed: { overrides: {}, retention_days: {} } }),
      byKey("cairn.retention.applied", { below: 7 }),
      byKey("cairn.retention.scheduled", { from_days: 90, to_days: 0 }),
      byKey("cairn.retention.changed", {})
    ]) {
      assert.isString(retentionByKey(content), JSON.stringify(content))
    }
  })

  it("is not listed where a workspace set what it may set itself", () => {
    for (const content of [
      byKey("cairn.workspace.updated", { changed: { retention_days: { from: null, to: 30 } } }),
      byKey("cairn.workspace.updated", { changed: { name: { from: "a", to: "b" } } }),
      byKey("cairn.retention.scheduled", { from_days: null, to_days: 30, takes_effect_at: "2026-05-08" }),
      byKey("cairn.retention.called_off", { from_days: 90, to_days: 30, takes_effect_at: "2026-05-08" }),
      byKey("cairn.retention.changed", { from_days: 30, to_days: 90 })
    ]) {
      assert.isUndefined(retentionByKey(content), JSON.stringify(content))
    }
  })
})
