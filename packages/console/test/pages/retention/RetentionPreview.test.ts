import { assert, describe, it } from "@effect/vitest"
import {
  effectOf,
  figureToCallOff,
  type Workspace
} from "../../../src/page/pages/retention/RetentionPreview.ts"

const NOW = Date.parse("2026-05-08T12:00:00Z")

const workspace = (change: Partial<Workspace> & { readonly most?: number | null }): Workspace => {
  const { most = null, ...rest } = change
  return {
    id: "wsp_1",
    name: "Acme",
    log_origin: "cairn/wsp_1",
    plan: "pro",
    limits: {
      requests_per_minute: null,
      alert_rules: null,
      events_per_month: null,
      exports_per_month: null,
      retention_days: most
    },
    overrides: {},
    retention_days: null,
    effective_retention_days: most,
    pending_retention: null,
    ip_allowlist: [],
    viewer_frame_ancestors: null,
    anchor_schedule: null,
    unknown_fields: "reject",
    key_access_events: false,
    viewer: null,
    created_at: "2026-01-01T00:00:00.000000Z",
    ...rest
  }
}

describe("effectOf", () => {
  it("takes a shorter figure seven days later, and cuts at that time less the figure", () => {
    assert.deepStrictEqual(effectOf(workspace({ most: 365 }), "30", NOW), {
      kind: "shorter",
      days: 30,
      at: new Date("2026-05-15T12:00:00Z"),
      before: new Date("2026-04-15T12:00:00Z")
    })
    assert.strictEqual(effectOf(workspace({}), "30", NOW).kind, "shorter")
  })

  it("takes a longer one at once, up to the plan's", () => {
    const short = workspace({ most: 365, retention_days: 30, effective_retention_days: 30 })
    assert.deepStrictEqual(effectOf(short, "60", NOW), { kind: "longer", days: 60 })
    assert.deepStrictEqual(effectOf(short, "", NOW), { kind: "longer", days: 365 })
    assert.deepStrictEqual(effectOf(short, "366", NOW), { kind: "beyond", most: 365 })
    assert.deepStrictEqual(effectOf(short, "30", NOW), { kind: "none" })
  })

  it("does not take what is no number of days", () => {
    for (const text of ["0", "-1", "1.5", "1e3", "x", "36501", "100000"]) {
      assert.strictEqual(effectOf(workspace({}), text, NOW).kind, "invalid", text)
    }
  })
})

describe("figureToCallOff", () => {
  const pending = { retention_days: 30, takes_effect_at: "2026-05-15T12:00:00.000000Z" }

  it("is what counts now, for a shortening that the workspace has made", () => {
    const shown = { retention_days: 30, pending_retention: pending }
    assert.isNull(figureToCallOff(workspace({ ...shown, effective_retention_days: null })))
    assert.strictEqual(figureToCallOff(workspace({ ...shown, effective_retention_days: 90, most: 365 })), 90)
  })

  it("is not there for one that the plan makes, or where none is pending", () => {
    assert.isUndefined(
      figureToCallOff(workspace({ most: 30, effective_retention_days: 365, pending_retention: pending }))
    )
    // The workspace's own figure counts now, and the plan's will be less.
    const planned = { most: 30, retention_days: 60, effective_retention_days: 60 }
    assert.isUndefined(figureToCallOff(workspace({ ...planned, pending_retention: pending })))
    assert.isUndefined(figureToCallOff(workspace({ retention_days: 30, effective_retention_days: 30 })))
  })
})
