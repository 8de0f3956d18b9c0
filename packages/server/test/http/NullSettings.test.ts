import { openApiDocument } from "@cairn/api"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeTenant, send, testServer } from "./TestServer.ts"

type Json = Readonly<Record<string, unknown>>

const document = JSON.parse(JSON.stringify(openApiDocument("https://cairn.example"))) as {
  readonly paths: Readonly<Record<string, { readonly patch?: Json }>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}

const contentOf = (place: unknown): unknown =>
  (place as { readonly content: { readonly "application/json": Json } }).content["application/json"].schema

/** The members of a schema, however it is put together, with the schemas of each. */
const membersOf = (schema: unknown): ReadonlyMap<string, ReadonlyArray<unknown>> => {
  const { $ref, properties = {}, anyOf = [], oneOf = [], allOf = [] } = schema as Json
  const found = new Map(Object.entries(properties as Json).map(([name, one]) => [name, [one]]))
  const referred = typeof $ref === "string" ? [document.components.schemas[$ref.split("/").at(-1) ?? ""]] : []
  for (const part of [anyOf, oneOf, allOf, referred].flat()) {
    for (const [name, schemas] of membersOf(part)) found.set(name, [...(found.get(name) ?? []), ...schemas])
  }
  return found
}

const isNullable = (schema: unknown): boolean => {
  const { $ref, type, anyOf = [], oneOf = [] } = schema as Json
  if (typeof $ref === "string") return isNullable(document.components.schemas[$ref.split("/").at(-1) ?? ""])
  return [type].flat().includes("null") || [anyOf, oneOf].flat().some(isNullable)
}

/** Every operation that changes settings, and whether each of its settings may be missing. */
const OPERATIONS = Object.entries(document.paths).flatMap(([path, { patch }]) => {
  if (patch === undefined) return []
  const shown = membersOf(contentOf((patch.responses as Json)["200"])).get("data") ?? []
  const views = shown.map(membersOf)
  const given = membersOf(contentOf(patch.requestBody))
  return [
    {
      path,
      settings: [...given.keys()].map((name) => ({
        name,
        optional: views.some((view) => (view.get(name) ?? []).some(isNullable)),
        /** Whether the document says that null may be sent. */
        documented: (given.get(name) ?? []).some(isNullable)
      }))
    }
  ]
})

/** What is made to be changed, with all that may be missing. */
const MADE: Readonly<Record<string, Json>> = {
  "/api/v1/members/{id}": {
    email: "ada@example.com",
    name: "Ada",
    role: "auditor",
    expires_at: "2200-01-01"
  },
  "/api/v1/alert-rules/{id}": {
    name: "n",
    rule_type: "repeated_action",
    enabled: false,
    cooldown_seconds: 7,
    tenant_id: "acme",
    action: "user.*",
    parameters: { threshold: 7 }
  },
  "/api/v1/webhooks/{id}": {
    url: "https://example.com/",
    description: "d",
    types: ["alert.triggered"],
    enabled: false
  },
  "/api/v1/log-streams/{id}": {
    name: "n",
    enabled: false,
    format: "cef",
    tenant_id: "acme",
    action: "user.*",
    batch_events: 7,
    batch_seconds: 7,
    checkpoints: true,
    destination: { type: "https", url: "https://example.com/" }
  }
}

const WORKSPACE: Json = {
  name: "w",
  retention_days: 300,
  ip_allowlist: ["0.0.0.0/0"],
  viewer_frame_ancestors: ["https://app.example.com"],
  anchor_schedule: { every_seconds: 3600, offset_seconds: 0 },
  unknown_fields: "warn",
  key_access_events: true,
  viewer: { sentences: { "document.*": { en: "{actor}" } } }
}

/** Settings that may be missing, but that a change does not lift. */
const KEPT = new Set(["tenant_id", "action", "expires_at"])

const make = Effect.fnUntraced(function* (key: string, path: string) {
  const body = MADE[path]
  if (body === undefined) {
    assert.strictEqual((yield* send({ method: "PATCH", path, key, body: WORKSPACE })).status, 200)
    return path
  }
  const made = yield* send({ path: path.replace("/{id}", ""), key, body })
  assert.strictEqual(made.status, 201, made.text)
  return path.replace("{id}", made.json<{ data: { id: string } }>().data.id)
})

describe("null in a change", () => {
  it.live("removes a setting that may be missing, and is refused for every other one", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      assert.isAtLeast(OPERATIONS.length, 5)
      for (const { path: template, settings } of OPERATIONS) {
        const path = yield* make(key, template)
        for (const { name, optional, documented } of settings) {
          const before = (yield* send({ path, key })).json<{ data: Json }>().data
          const changed = yield* send({ method: "PATCH", path, key, body: { [name]: null } })
          const after = (yield* send({ path, key })).json<{ data: Json }>().data
          const shown = `${template} ${name}: ${changed.status} ${changed.text}`
          assert.strictEqual(changed.status, optional && !KEPT.has(name) ? 200 : 422, shown)
          assert.strictEqual(documented, optional, shown)
          if (changed.status === 200) assert.strictEqual(after[name], null, shown)
          else {
            assert.deepStrictEqual(after, before, shown)
            assert.match(
              changed.json<{ message: string }>().message,
              new RegExp(`^${name}: (must|cannot) `),
              shown
            )
          }
        }
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("names what of a member cannot be changed", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const path = yield* make(key, "/api/v1/members/{id}")
      const change = (body: Json) => send({ method: "PATCH", path, key, body })
      const moved = yield* change({ email: "bob@example.com", role: "all" })
      assert.strictEqual(moved.status, 422)
      const { errors, unknown_fields } = moved.json<{
        errors: ReadonlyArray<Json>
        unknown_fields?: unknown
      }>()
      assert.sameMembers(
        errors.map(({ field }) => field),
        ["email", "role"]
      )
      assert.isUndefined(unknown_fields)
      for (const name of ["id", "created_at"]) {
        assert.strictEqual((yield* change({ [name]: "x" })).status, 422)
      }
    }).pipe(Effect.provide(testServer()))
  )
})
