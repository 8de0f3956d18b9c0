import { openApiDocument } from "@cairn/api"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeTenant, send, testServer } from "./TestServer.ts"

type Json = Readonly<Record<string, unknown>>

const document = JSON.parse(JSON.stringify(openApiDocument("https://cairn.example"))) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}

/** The members of a body, however its schema is put together. */
const membersOf = (schema: unknown): ReadonlyArray<string> => {
  if (typeof schema !== "object" || schema === null) return []
  const { $ref, properties, anyOf = [], oneOf = [], allOf = [] } = schema as Json
  const parts = [anyOf, oneOf, allOf].flat().flatMap(membersOf)
  const referred =
    typeof $ref === "string" ? membersOf(document.components.schemas[$ref.split("/").at(-1) ?? ""]) : []
  return [...new Set([...Object.keys(properties ?? {}), ...parts, ...referred])]
}

/** Every body of the contract: the operation and the members. */
const BODIES = Object.values(document.paths)
  .flatMap((item) => Object.values(item))
  .flatMap(({ operationId, requestBody }) => {
    const content = (requestBody as { readonly content?: Json } | undefined)?.content?.["application/json"]
    return content === undefined
      ? []
      : [{ id: String(operationId).split(".").at(-1) ?? "", members: membersOf((content as Json).schema) }]
  })

/**
 * What each operation is sent to, a body that is taken, and which of its members narrow what is given away.
 */
const OPERATIONS: Readonly<
  Record<string, { readonly path: string; readonly body: Json; readonly restricts: ReadonlyArray<string> }>
> = {
  createExport: {
    path: "exports",
    body: {},
    restricts: [
      ...["from", "to", "actor_id", "action", "category", "resource", "resource_id", "resource_name"],
      ...["target_type", "target_id", "tenant_id", "session_id", "country", "search"]
    ]
  },
  createViewerToken: { path: "viewer-token", body: {}, restricts: ["tenant_id", "actor_id", "ttl"] },
  createViewerTokenAlias: { path: "viewer-tokens", body: {}, restricts: ["tenant_id", "actor_id", "ttl"] },
  createApiKey: { path: "api-keys", body: {}, restricts: ["scopes", "expires_at"] },
  createMember: { path: "members", body: { email: "ada@example.com" }, restricts: ["expires_at"] },
  createWebhook: { path: "webhooks", body: { url: "https://example.com/" }, restricts: ["types"] },
  createLogStream: {
    path: "log-streams",
    body: { name: "n", destination: { type: "https", url: "https://example.com/" } },
    restricts: ["action", "tenant_id"]
  },
  createAlertRule: {
    path: "alert-rules",
    body: { name: "n", rule_type: "new_country" },
    restricts: ["action", "tenant_id"]
  },
  tryAlertRule: {
    path: "alert-rules/backtest",
    body: { name: "n", rule_type: "new_country" },
    restricts: ["action", "tenant_id"]
  },
  eventProofs: { path: "events/proofs", body: { ids: [] }, restricts: ["ids"] }
}

/** Members that narrow nothing that is given away, in any body. */
const OTHERS = new Set([
  ...["name", "description", "enabled", "url", "destination", "format", "batch_events", "batch_seconds"],
  ...["start", "checkpoints", "cooldown_seconds", "rule_type", "parameters", "email", "role", "revoke"],
  ...["retention_days", "anchor_schedule", "viewer_frame_ancestors", "unknown_fields", "viewer"],
  // Either shows the same events, unless a period narrows them, which is a member of its own.
  "time",
  // A token without it does less.
  "export",
  // Everybody sees that it was switched off: that is recorded.
  "key_access_events"
])

/** What is changed: how the restricted one is made, and what changes of it would lift. */
const CHANGES: Readonly<
  Record<
    string,
    {
      readonly path: string
      readonly make: Json
      readonly lifting: ReadonlyArray<readonly [string, unknown]>
      readonly replacing: Json
    }
  >
> = {
  updateAlertRule: {
    path: "alert-rules",
    make: { name: "n", rule_type: "new_country", tenant_id: "acme", action: "document.*" },
    lifting: [
      ["tenant_id", null],
      ["tenant_id", ""],
      ["action", null],
      ["action", ""]
    ],
    replacing: { tenant_id: "globex", action: "*" }
  },
  updateLogStream: {
    path: "log-streams",
    make: {
      name: "n",
      tenant_id: "acme",
      action: "document.*",
      destination: { type: "https", url: "https://example.com/" }
    },
    lifting: [
      ["tenant_id", null],
      ["tenant_id", ""],
      ["action", null],
      ["action", ""]
    ],
    replacing: { tenant_id: "globex", action: "*" }
  },
  updateMember: {
    path: "members",
    make: { email: "ada@example.com", role: "auditor", expires_at: "2200-01-01T00:00:00.000000Z" },
    lifting: [
      ["expires_at", null],
      ["expires_at", ""]
    ],
    replacing: { expires_at: "2201-01-01T00:00:00.000000Z" }
  },
  updateWebhook: {
    path: "webhooks",
    make: { url: "https://example.com/", types: ["alert.triggered"] },
    lifting: [
      ["types", null],
      ["types", []]
    ],
    replacing: { types: ["chain.broken", "checkpoint.signed"] }
  }
}

const NOTHING = [null, "", []]

const refused = Effect.fnUntraced(function* (
  request: { readonly method?: string; readonly path: string; readonly key: string },
  body: Json,
  name: string
) {
  const response = yield* send({ ...request, path: `/api/v1/${request.path}`, body })
  const shown = `${request.path} ${JSON.stringify(body)}: ${response.status} ${response.text}`
  assert.strictEqual(response.status, 422, shown)
  const { message } = response.json<{ message: string }>()
  assert.isTrue(message.startsWith(`${name}: must `), shown)
})

describe("A restriction that holds nothing", () => {
  it("is looked for in every body of the contract: each member is known to restrict or not", () => {
    assert.isAbove(BODIES.length, 12)
    const ingesting = ["ingest", "ingestBatch"]
    for (const { id, members } of BODIES) {
      if (ingesting.includes(id)) continue
      const restricts = [
        ...(OPERATIONS[id]?.restricts ?? []),
        ...(CHANGES[id]?.lifting.map(([name]) => name) ?? []),
        ...(id === "updateWorkspace" ? ["ip_allowlist"] : [])
      ]
      assert.deepStrictEqual(
        members.filter((name) => !restricts.includes(name) && !OTHERS.has(name)),
        [],
        id
      )
    }
    for (const id of [...Object.keys(OPERATIONS), ...Object.keys(CHANGES)])
      assert.include(
        BODIES.map((body) => body.id),
        id
      )
  })

  it.live("is refused by every endpoint that makes something, with what is expected", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (const { path, body, restricts } of Object.values(OPERATIONS)) {
        for (const name of restricts) {
          for (const value of NOTHING) yield* refused({ path, key }, { ...body, [name]: value }, name)
        }
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live(
    "lifts nothing that is there; it is replaced, and what was not restricted may be said to be so",
    () =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant()
        for (const { path, make, lifting, replacing } of Object.values(CHANGES)) {
          const made = yield* send({ path: `/api/v1/${path}`, key, body: make })
          const { id } = made.json<{ data: { id: string } }>().data
          const request = { method: "PATCH", path: `${path}/${id}`, key }
          for (const [name, value] of lifting) yield* refused(request, { [name]: value }, name)
          const kept = (yield* send({ path: `/api/v1/${path}/${id}`, key })).json<{ data: Json }>().data
          for (const [name] of lifting) assert.deepStrictEqual(kept[name], make[name])
          const replaced = yield* send({ ...request, path: `/api/v1/${request.path}`, body: replacing })
          assert.deepInclude(replaced.json<{ data: object }>().data, replacing)
        }
        const free = yield* send({
          path: "/api/v1/alert-rules",
          key,
          body: { name: "free", rule_type: "new_country" }
        })
        const { id } = free.json<{ data: { id: string } }>().data
        const same = { method: "PATCH", path: `/api/v1/alert-rules/${id}`, key }
        assert.strictEqual((yield* send({ ...same, body: { tenant_id: null, action: null } })).status, 200)
      }).pipe(Effect.provide(testServer()))
  )

  it.live("does not empty an allowlist; every address is let in by saying so", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const path = "/api/v1/workspace"
      const set = (list: ReadonlyArray<string>) =>
        send({ method: "PATCH", path, key, body: { ip_allowlist: list } })
      assert.strictEqual((yield* set([])).status, 200)
      assert.strictEqual((yield* set(["127.0.0.1"])).status, 200)
      yield* refused({ method: "PATCH", path: "workspace", key }, { ip_allowlist: [] }, "ip_allowlist")
      assert.strictEqual((yield* set(["0.0.0.0/0", "::/0"])).status, 200)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A value out of bounds", () => {
  it.live("is refused with what is expected, never with a word that could stand for anything", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (const [method, path, body, message] of [
        ["POST", "viewer-token", { tenant_id: "" }, "tenant_id: must be text of at least 1 character"],
        ["POST", "viewer-token", { tenant_id: "a\0" }, "tenant_id: must not contain U+0000"],
        ["POST", "viewer-token", { ttl: 0 }, "ttl: must be 60 to 86400 seconds"],
        ["POST", "members", { email: "a@b.c", name: "\0" }, "name: must not contain U+0000"],
        ["POST", "api-keys", { name: "\0" }, "name: must not contain U+0000"],
        ["POST", "api-keys", { name: "x".repeat(1025) }, "name: must have 0 to 1024 characters"],
        [
          "POST",
          "webhooks",
          { url: "https://a.example", types: [] },
          "types: must be a list of 1 to 6 types"
        ],
        ["PATCH", "workspace", { name: "\0" }, "name: must not contain U+0000"],
        // What is the operator's to change is named beside all else that is wrong.
        [
          "PATCH",
          "workspace",
          { plan: 3, retention_days: 0 },
          "plan: is the operator's to change, by cairn workspace update; a workspace sets its own retention_days; " +
            "retention_days: must be 1 to 36500 days"
        ],
        ["POST", "viewer-token", { ttl: 1.5 }, "ttl: must be an integer"],
        ["PATCH", "workspace", { retention_days: 0 }, "retention_days: must be 1 to 36500 days"],
        [
          "PATCH",
          "workspace",
          { anchor_schedule: { every_seconds: 0, offset_seconds: 0 } },
          "anchor_schedule.every_seconds: must be 60 to 31622400 seconds"
        ]
      ] as const) {
        const response = yield* send({ method, path: `/api/v1/${path}`, key, body })
        assert.strictEqual(response.status, 422, response.text)
        assert.strictEqual(response.json<{ message: string }>().message, message)
      }
    }).pipe(Effect.provide(testServer()))
  )
})
