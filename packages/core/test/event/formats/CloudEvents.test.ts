import { assert, describe, it } from "@effect/vitest"
import { CloudEvent, HTTP } from "cloudevents"
import { cloudEvents } from "../../../src/event/formats/CloudEvents.ts"
import { bare, full, origin, real, samples } from "./Samples.ts"

describe("CloudEvents 1.0", () => {
  it.each(samples)("%s is one by the reference SDK, and its data is the event", (_, event) => {
    const body = cloudEvents.encode(event, origin)
    const parsed = HTTP.toEvent({ headers: { "content-type": cloudEvents.mediaType }, body })
    if (!(parsed instanceof CloudEvent)) return assert.fail("one event was sent")
    assert.isTrue(parsed.validate())
    assert.strictEqual(parsed.id, event.id)
    assert.strictEqual(parsed.source, "urn:cairn:wsp_1")
    assert.deepStrictEqual(parsed.data, JSON.parse(JSON.stringify(event)))
  })

  it.each(samples)("%s has attributes without control characters, none empty", (_, event) => {
    const { data, ...attributes } = JSON.parse(cloudEvents.encode(event, origin))
    assert.isDefined(data)
    for (const [name, value] of Object.entries(attributes)) {
      assert.match(name, /^[a-z0-9]{1,20}$/)
      assert.isString(value)
      assert.match(String(value), /^[^\p{Cc}\p{Cs}\ufffe\uffff]+$/u, name)
    }
  })

  it.skipIf(real().length === 0)("every real event is one (needs CAIRN_FOREIGN)", () => {
    for (const event of real()) {
      const body = cloudEvents.encode(event, origin)
      assert.isTrue(new CloudEvent(JSON.parse(body)).validate())
    }
  })

  it("can be routed by action, actor and tenant", () => {
    assert.include(JSON.parse(cloudEvents.encode(full, origin)), {
      type: "cairn.audit_event",
      subject: "doc-1",
      action: "document.deleted",
      actorid: "user-1",
      tenantid: "acme",
      logsequence: "7",
      time: full.occurred_at
    })
    assert.doesNotHaveAnyKeys(JSON.parse(cloudEvents.encode(bare, origin)), ["subject", "tenantid"])
  })
})
