import { readFileSync } from "node:fs"
import { join } from "node:path"
import { canonicalize, Micros } from "@cairn/core/encoding"
import {
  contentParts,
  contentText,
  decodeEvent,
  EventContent,
  nowhere,
  parseContent
} from "@cairn/core/event"
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"

const foreign = process.env.CAIRN_FOREIGN
const NOON = Micros.parse("2024-05-01T12:00:00Z") ?? 0

const content = (body: object, place = nowhere): string =>
  contentText(contentParts(Result.getOrThrow(decodeEvent(body)), NOON), place)

const full = {
  actor_id: "ada",
  actor_name: 'Ada "Countess" Lovelace\n',
  actor_type: "user",
  action: "document.created",
  action_category: "documents",
  resource_id: "42",
  resource_name: "Ärger \u0000 \u{1F600}",
  resource: "document",
  metadata: { z: [1, { y: null }], a: "\u0000" },
  targets: [{ type: "folder", id: "f", metadata: { b: 1, a: 2 } }, { type: "x" }],
  occurred_at: "2024-05-01T14:00:00.1234567+02:00",
  session_id: "s",
  tenant_id: "t",
  idempotency_key: "k",
  version: 3
}

describe("the content of an event", () => {
  it("is canonical JSON", () => {
    for (const body of [full, { actor_id: "a", action: "b" }]) {
      const text = content(body, { country: "GB", city: "Łódź" })
      assert.strictEqual(text, Result.getOrThrow(canonicalize(JSON.parse(text))))
    }
  })

  it("holds every field as it was sent, and null for those that were not", () => {
    const value = parseContent(content(full, { country: "GB", city: "London" }))
    assert.deepStrictEqual(value, {
      action: full.action,
      action_category: full.action_category,
      actor: { id: "ada", name: full.actor_name, type: "user" },
      idempotency_key: "k",
      ip_city: "London",
      ip_country: "GB",
      metadata: full.metadata,
      occurred_at: "2024-05-01T12:00:00.123456Z",
      resource: { id: "42", name: full.resource_name, type: "document" },
      session_id: "s",
      targets: full.targets,
      tenant_id: "t",
      version: 3
    })
    assert.strictEqual(
      parseContent(content({ actor_id: "a", action: "b" }))?.occurred_at,
      "2024-05-01T12:00:00.000000Z"
    )
  })

  it("has no line break, so that the inbox can keep it on a line", () => {
    assert.notInclude(content(full), "\n")
  })

  it("is recognised exactly when its schema says so", () => {
    const good = JSON.parse(content(full))
    const isContent = Schema.is(EventContent)
    const odd: ReadonlyArray<unknown> = [null, 1, "x", [], {}, true, undefined]
    const paths = [
      ...Object.keys(good),
      "actor.id",
      "actor.name",
      "resource.type",
      "targets.0",
      "targets.0.type",
      "targets.0.id",
      "targets.0.metadata"
    ]
    for (const path of paths) {
      for (const value of odd) {
        const changed = structuredClone(good)
        const steps = path.split(".")
        const last = steps.pop() ?? ""
        const holder = steps.reduce((node, step) => node[step], changed)
        if (value === undefined) delete holder[last]
        else holder[last] = value
        assert.strictEqual(
          parseContent(JSON.stringify(changed)) !== undefined,
          isContent(changed),
          `${path} ${JSON.stringify(value)}`
        )
      }
    }
  })

  it("is none once somebody made it something else", () => {
    assert.isUndefined(parseContent('{"action":"x"}'))
    assert.isUndefined(parseContent("not JSON"))
  })
})

describe.skipIf(foreign === undefined)("naughty strings (needs CAIRN_FOREIGN)", () => {
  it("come back byte for byte, wherever they stand", () => {
    const strings: ReadonlyArray<string> = JSON.parse(
      readFileSync(join(foreign ?? "", "vectors/naughty-strings/blns.json"), "utf8")
    )
    assert.strictEqual(strings.length, 515)
    for (const text of strings) {
      const value = parseContent(
        content({ actor_id: "a", action: "b", actor_name: text, metadata: { [text]: [text] } })
      )
      assert.strictEqual(value?.actor.name, text)
      assert.deepStrictEqual(value?.metadata, { [text]: [text] })
    }
  })
})
