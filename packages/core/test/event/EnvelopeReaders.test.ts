import { Micros } from "@cairn/core/encoding"
import { contentParts, contentText, decodeEvent } from "@cairn/core/event"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { canonicalFields, contentFields } from "../../src/event/ContentFields.ts"
import { ENVELOPE } from "../../src/event/Envelope.ts"
import { parseContent, toEvent } from "../../src/event/EventContent.ts"

const NOON = Micros.parse("2024-05-01T12:00:00Z") ?? 0

/** An event with a value in every field. */
const event = {
  actor_id: "an actor",
  actor_name: "its name",
  actor_type: "its type",
  action: "invoice.paid",
  action_category: "a category",
  resource: "a type",
  resource_id: "an id",
  resource_name: "a name",
  targets: [{ type: "a target", id: "its id" }],
  metadata: { some: "thing" },
  tenant_id: "a tenant",
  session_id: "a session",
  idempotency_key: "a key",
  version: 3,
  occurred_at: "2024-05-01T11:00:00Z"
}

const text = contentText(contentParts(Result.getOrThrow(decodeEvent(event)), NOON), {
  country: "DE",
  city: "Köln"
})

const inCamelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The values of a content by the columns of the table: lists and objects as JSON, numbers as digits. */
const columns = (content: Readonly<Record<string, unknown>>): ReadonlyArray<readonly [string, unknown]> =>
  ENVELOPE.flatMap((member) => {
    const value = content[member.name]
    if (member.kind !== "group") return [[inCamelCase(member.name), value] as const]
    return member.members.map(
      ({ name }) =>
        [inCamelCase(`${member.name}_${name}`), (value as Readonly<Record<string, unknown>>)[name]] as const
    )
  }).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const)

/** They are spelled out, since a loop over the table makes slower objects. */
describe("what reads contents", () => {
  it("has a field for each member of the table, in its order", () => {
    const expected = columns(JSON.parse(text))
    assert.isFalse(expected.some(([, value]) => value === undefined || value === "null"))
    assert.deepStrictEqual(Object.entries(canonicalFields(text) ?? {}), expected)
    // In another spelling, which is parsed.
    const spaced = JSON.stringify(JSON.parse(text), null, 1)
    assert.isUndefined(canonicalFields(spaced))
    assert.deepStrictEqual(Object.entries(contentFields(spaced) ?? {}), expected)
  })

  it("shows each member of the table in an event", () => {
    const content = parseContent(text)
    assert.isDefined(content)
    const frame = { id: "an id", createdAt: NOON, eventHash: null, previousEventHash: null }
    const { id: _id, integrity: _integrity, created_at: _createdAt, ...shown } = toEvent(content, frame)
    assert.deepStrictEqual<object>(shown, content)
  })
})
