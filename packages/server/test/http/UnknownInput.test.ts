import { Api, type EndpointName, permissionFor } from "@cairn/api"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { signedIn } from "./SignedIn.ts"
import { EVENT, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const PREFIX = "/api/v1"

interface Known {
  readonly name: EndpointName
  readonly method: string
  readonly path: string
  readonly hasBody: boolean
  readonly parameters: ReadonlyArray<string>
}

/** Every endpoint of the contract under the prefix. */
const ENDPOINTS: ReadonlyArray<Known> = Object.values(Api.groups)
  .flatMap((group) => Object.values(group.endpoints))
  .filter(({ path }) => path.startsWith(`${PREFIX}/`))
  .map((endpoint) => ({
    name: endpoint.identifier,
    method: endpoint.method,
    path: endpoint.path,
    hasBody: endpoint.payload.size > 0,
    parameters:
      endpoint.query?.ast._tag === "Objects"
        ? endpoint.query.ast.propertySignatures.map((each: { readonly name: PropertyKey }) =>
            String(each.name)
          )
        : []
  }))

/** What a path's `:id` names, so that nothing else is wrong with the request. */
const makeIds = Effect.fnUntraced(function* (key: string) {
  const made = (path: string, body: object) =>
    Effect.map(send({ path: `${PREFIX}/${path}`, key, body }), (response) => {
      const answer = response.json<{ id?: string; data?: { id: string } }>()
      return answer.data?.id ?? answer.id ?? assert.fail(response.text)
    })
  const events = yield* made("events", EVENT)
  yield* sequence
  return {
    events,
    "alert-rules": yield* made("alert-rules", { name: "n", rule_type: "new_country" }),
    "log-streams": yield* made("log-streams", {
      name: "n",
      destination: { type: "https", url: "https://example.com/" }
    }),
    webhooks: yield* made("webhooks", { url: "https://example.com/" }),
    members: yield* made("members", { email: "ada@example.com" }),
    "api-keys": yield* made("api-keys", {}),
    exports: yield* made("exports", {})
  } as Record<string, string>
})

/** What who may call an endpoint sends: a key or, where it is about a person, a session. */
const callers = (key: string, workspaceId: string) =>
  Effect.map(signedIn(workspaceId, "owner"), ({ headers }) => (name: EndpointName) => ({
    ...(permissionFor(name) === null ? headers : { authorization: `Bearer ${key}` })
  }))

const pathOf = (path: string, ids: Record<string, string>): string =>
  path.replace(":id", ids[path.split("/")[3] ?? ""] ?? "x")

interface Refusal {
  readonly error: string
  readonly message: string
  readonly unknown_fields?: ReadonlyArray<string>
  readonly errors?: ReadonlyArray<{ readonly field: string; readonly message: string }>
}

describe("What an endpoint does not know", () => {
  it("walks the whole contract", () => {
    assert.isAbove(ENDPOINTS.length, 40)
  })

  it.live("is refused in the query of every endpoint, by its name and the nearest known one", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const ids = yield* makeIds(key)
      const callerOf = yield* callers(key, workspace.id)
      for (const { name, method, path, parameters } of ENDPOINTS) {
        const target = pathOf(path, ids)
        const headers = callerOf(name)
        for (const query of ["actr=ada", "from=&actr=ada", "actr", "%FF=1", "=1"]) {
          const response = yield* send({ path: `${target}?${query}`, method, headers })
          assert.strictEqual(response.status, 400, `${name} ${query}: ${response.text}`)
          const { error, message, errors } = response.json<Refusal>()
          assert.strictEqual(error, "invalid_parameter", name)
          if (query === "actr=ada") {
            assert.deepStrictEqual(errors, [{ field: "actr", message: message.slice("actr: ".length) }])
            assert.isTrue(message.startsWith("actr: is not known"), message)
            if (parameters.includes("actor_id")) assert.include(message, "did you mean `actor_id`?", name)
          }
        }
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is refused in the body of every endpoint, one that takes none included", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const ids = yield* makeIds(key)
      const callerOf = yield* callers(key, workspace.id)
      for (const { name, method, path, hasBody } of ENDPOINTS) {
        if (method === "GET") continue
        const target = pathOf(path, ids)
        for (const value of ["x", null, {}]) {
          const body = { unknwn: value }
          const text = JSON.stringify(
            name === "createAlertRule" ? { ...body, rule_type: "new_country" } : body
          )
          // Of a `DELETE` Node would not say that it has a body.
          const headers = { ...callerOf(name), "content-length": String(text.length) }
          const response = yield* send({ path: target, method, body: text, headers })
          assert.strictEqual(response.status, 422, `${name}: ${response.text}`)
          const { error, message, unknown_fields } = response.json<Refusal>()
          assert.strictEqual(error, "validation_failed", name)
          assert.isTrue(message.startsWith("unknwn: is not known"), `${name}: ${message}`)
          assert.deepStrictEqual(unknown_fields, ["unknwn"], name)
          if (hasBody) assert.include(message, "did you mean `", name)
        }
        // Nothing, or an object without members, is no mistake.
        if (!hasBody && method === "POST") {
          // A test is waited for.
          const path = name.startsWith("test") ? `${target}?wait=1` : target
          assert.notInclude([400, 415, 422], (yield* send({ path, method, key, body: {} })).status, name)
        }
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is refused at whatever depth it stands, by its path", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const ids = yield* makeIds(key)
      const cases: ReadonlyArray<readonly [string, string, object, string, string]> = [
        ["POST", "viewer-token", { tenantId: "acme" }, "tenantId", "tenant_id"],
        ["POST", "viewer-tokens", { Tenant_Id: "acme", ttl: 60 }, "Tenant_Id", "tenant_id"],
        ["POST", "viewer-token", { actor: "ada" }, "actor", "actor_id"],
        ["POST", "exports", { actor: "ada" }, "actor", "actor_id"],
        ["POST", "exports", { from: null, actorid: null }, "actorid", "actor_id"],
        ["POST", "events/proofs", { ids: [ids.events], tenant_id: "acme" }, "tenant_id", "ids"],
        [
          "PATCH",
          "workspace",
          { anchor_schedule: { every_seconds: 60, offset_seconds: 0, offset: 5 } },
          "anchor_schedule.offset",
          "offset_seconds"
        ],
        [
          "POST",
          "alert-rules",
          { name: "n", rule_type: "repeated_action", parameters: { treshold: 3 } },
          "parameters.treshold",
          "threshold"
        ],
        [
          "POST",
          "alert-rules",
          { name: "n", rule_type: "repeated_action", parameters: { treshold: null } },
          "parameters.treshold",
          "threshold"
        ],
        [
          "POST",
          "alert-rules",
          { name: "n", rule_type: "new_country", tenant: "acme" },
          "tenant",
          "tenant_id"
        ],
        ["PATCH", `alert-rules/${ids["alert-rules"]}`, { tenantId: null }, "tenantId", "tenant_id"],
        [
          "POST",
          "log-streams",
          { name: "n", destination: { type: "https", url: "https://example.com/", fromat: "x" } },
          "destination.fromat",
          "format"
        ],
        [
          "POST",
          "log-streams",
          { name: "n", tenant: "acme", destination: { type: "https", url: "https://example.com/" } },
          "tenant",
          "tenant_id"
        ],
        ["PATCH", `log-streams/${ids["log-streams"]}`, { tenantid: "acme" }, "tenantid", "tenant_id"],
        ["POST", "api-keys", { scope: ["read"] }, "scope", "scopes"],
        ["POST", "api-keys", { expires: "2200-01-01" }, "expires", "expires_at"],
        ["POST", "workspace/viewer-key/rotate", { revok: true }, "revok", "revoke"]
      ]
      for (const [method, path, body, at, nearest] of cases) {
        const response = yield* send({ path: `${PREFIX}/${path}`, method, key, body })
        const shown = `${path} ${JSON.stringify(body)}: ${response.text}`
        assert.strictEqual(response.status, 422, shown)
        const { message, unknown_fields } = response.json<Refusal>()
        assert.isTrue(message.startsWith(`${at}: is not known`), shown)
        if (!at.startsWith("destination.")) assert.include(message, `did you mean \`${nearest}\`?`, shown)
        assert.deepStrictEqual(unknown_fields, [at], shown)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("does not widen a list: what is misspelt is refused, and what restricts stands in the answer", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      assert.strictEqual((yield* send({ path: `${PREFIX}/events?actor=ada`, key })).status, 400)
      assert.strictEqual((yield* send({ path: `${PREFIX}/events?actor_id=ada`, key })).status, 200)
      const token = yield* send({ path: `${PREFIX}/viewer-token`, key, body: { tenant_id: "acme" } })
      assert.deepInclude(token.json<object>(), { tenant_id: "acme", actor_id: null })
      const alias = yield* send({ path: `${PREFIX}/viewer-tokens`, key, body: { actor_id: "ada" } })
      assert.deepInclude(alias.json<object>(), { tenant_id: null, actor_id: "ada" })
      const made = yield* send({ path: `${PREFIX}/exports`, key, body: { actor_id: "ada" } })
      assert.deepInclude(made.json<{ data: object }>().data, {
        status: "pending",
        filters: { actor_id: "ada" }
      })
      // A viewer token's bearer learns no more by a parameter that is none.
      const { token: bearer } = token.json<{ token: string }>()
      assert.strictEqual((yield* send({ path: `${PREFIX}/events?tenant=other`, key: bearer })).status, 400)
      assert.strictEqual((yield* send({ path: `${PREFIX}/events?tenant_id=acme`, key: bearer })).status, 200)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is told to nobody without a key, and pages take what they do not know", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* send({ path: `${PREFIX}/events?actor=ada` })).status, 401)
      for (const path of ["/openapi.json?x=1", "/docs?x=1", "/healthz?x=1", "/readyz?x=1", "/viewer?x=1"]) {
        assert.notInclude([400, 422], (yield* send({ path })).status, path)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("lists at most a hundred, and no name at its full length", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const body = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`${at} ${"x".repeat(90)}`, 1]))
      const response = yield* send({ path: `${PREFIX}/exports`, key, body })
      assert.strictEqual(response.status, 422)
      assert.lengthOf(response.json<Refusal>().unknown_fields ?? [], 100)
      const long = yield* send({ path: `${PREFIX}/exports`, key, body: { ["x".repeat(50_000)]: 1 } })
      assert.isBelow(long.text.length, 1_000)
    }).pipe(Effect.provide(testServer()))
  )
})
