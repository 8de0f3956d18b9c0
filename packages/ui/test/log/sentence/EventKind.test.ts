import { assert, describe, it } from "@effect/vitest"
import { kindOf } from "../../../src/log/sentence/EventKind.ts"

describe("the kind of an event", () => {
  it.each([
    ["document.deleted", "authentication", "access"],
    ["document.deleted", "Billing", "money"],
    ["document.deleted", "nobody knows", "document"],
    ["document.deleted", null, "document"],
    ["apiKey.created", null, "machine"],
    ["widget.deleted", null, "remove"],
    ["widget.deleted", "", "remove"],
    ["widget.frobnicated", null, "other"],
    ["cairn.webhook.created", null, "machine"],
    ["user.login_failed", "authentication", "failure"],
    ["payment.failed", "billing", "failure"],
    ["constructor", "__proto__", "other"],
    ["", null, "other"]
  ])("%s of category %s is %s", (action, action_category, kind) => {
    assert.strictEqual(kindOf({ action, action_category }), kind)
  })
})
