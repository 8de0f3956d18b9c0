import { Micros } from "@cairn/core/encoding"
import { contentParts, contentText, decodeEvent, parseContent } from "@cairn/core/event"
import { hostileGenerator, ordinaryEvents } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { contentFields, contentHead } from "../../src/event/ContentFields.ts"

const NOON = Micros.parse("2024-05-01T12:00:00Z") ?? 0

const contents = [
  ...ordinaryEvents(300, { seed: 4, keyed: 0.5 }),
  ...Array.from({ length: 600 }, hostileGenerator(9))
].flatMap((body) => {
  const decoded = decodeEvent(body)
  return Result.isSuccess(decoded)
    ? [contentText(contentParts(decoded.success, NOON), { country: "DE", city: 'K"öl\\n\u2028' })]
    : []
})

describe("the fields of a content", () => {
  it("are those that parsing it finds, with the JSON of metadata and targets as it was hashed", () => {
    assert.isAbove(contents.length, 400)
    for (const content of contents) {
      const fields = contentFields(content)
      const parsed = parseContent(content)
      assert.isDefined(fields)
      assert.isDefined(parsed)
      const { metadata, targets, ...texts } = fields
      assert.deepStrictEqual(texts, {
        action: parsed.action,
        actionCategory: parsed.action_category,
        actorId: parsed.actor.id,
        actorName: parsed.actor.name,
        actorType: parsed.actor.type,
        idempotencyKey: parsed.idempotency_key,
        ipCity: parsed.ip_city,
        ipCountry: parsed.ip_country,
        occurredAt: parsed.occurred_at,
        resourceId: parsed.resource.id,
        resourceName: parsed.resource.name,
        resourceType: parsed.resource.type,
        sessionId: parsed.session_id,
        tenantId: parsed.tenant_id,
        version: parsed.version === null ? null : String(parsed.version)
      })
      assert.deepStrictEqual(metadata === null ? null : JSON.parse(metadata), parsed.metadata)
      assert.deepStrictEqual(JSON.parse(targets), parsed.targets)
      if (metadata !== null) assert.include(content, `"metadata":${metadata},"occurred_at"`)
    }
  })

  it("have the head of what parsing it finds", () => {
    for (const content of contents) {
      const parsed = parseContent(content)
      assert.isDefined(parsed)
      const { action, actor, ip_country, occurred_at, tenant_id } = parsed
      const head = { action, actor, ip_country, occurred_at, tenant_id }
      assert.deepStrictEqual(contentHead(content), head)
      assert.deepStrictEqual(contentHead(JSON.stringify(JSON.parse(content), null, 1)), head)
    }
  })

  it("are found in any other spelling of the same content", () => {
    for (const content of contents) {
      const other = contentFields(JSON.stringify(JSON.parse(content), null, 1))
      const fields = contentFields(content)
      assert.deepStrictEqual(
        { ...other, metadata: "", targets: "" },
        { ...fields, metadata: "", targets: "" }
      )
    }
  })

  it("are none of a text that ends early, or is something else", () => {
    for (const content of contents.slice(0, 50)) {
      for (let end = 0; end < content.length; end += 1 + (end % 7)) {
        assert.isUndefined(contentFields(content.slice(0, end)), content.slice(0, end))
      }
      assert.isUndefined(contentFields(`${content}}`))
    }
  })
})
