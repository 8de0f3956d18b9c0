import { Access, Api, permissionFor } from "@cairn/api"
import { scopeOf } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { signedIn } from "./SignedIn.ts"
import { EVENT, makeKey, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const PREFIX = "/api/v1"

/** Every endpoint of the contract that needs a key. */
const ENDPOINTS = Object.values(Api.groups)
  .flatMap((group) => Object.values(group.endpoints))
  .filter(({ path }) => path.startsWith(`${PREFIX}/`))
  .map(({ identifier, method, path, payload, annotations }) => ({
    name: identifier,
    method,
    path: path.replace(":id", "x"),
    template: path,
    hasBody: payload.size > 0,
    permission: permissionFor(identifier),
    access: Context.get(annotations, Access)
  }))

/** What each endpoint that answers `201` is sent. */
const CREATIONS: Readonly<Record<string, object>> = {
  "alert-rules": { name: "n", rule_type: "new_country" },
  "log-streams": { name: "n", destination: { type: "https", url: "https://example.com/" } },
  webhooks: { url: "https://example.com/" },
  members: { email: "ada@example.com" },
  "api-keys": {}
}

describe("Every endpoint", () => {
  it.live("names in a 401 the scheme, and the error where a token was sent", () =>
    Effect.gen(function* () {
      const plain = 'Bearer realm="cairn"'
      const cases: ReadonlyArray<readonly [Record<string, string>, string]> = [
        [{}, plain],
        [{ authorization: "Basic eDp5" }, plain],
        [{ authorization: "Bearer cairn_x" }, `${plain}, error="invalid_token"`],
        [{ authorization: "Bearer a.b.c" }, `${plain}, error="invalid_token"`]
      ]
      for (const { method, path } of ENDPOINTS) {
        for (const [headers, challenge] of cases) {
          const response = yield* send({ path, method, headers })
          assert.strictEqual(response.status, 401, `${method} ${path}`)
          assert.strictEqual(response.headers["www-authenticate"], challenge, `${method} ${path}`)
        }
      }
      for (const path of ["/api/v1/exports/x/download", "/files/exports/x"]) {
        const response = yield* send({ path: `${path}?expires=1&signature=00` })
        assert.strictEqual(response.status, 401)
        assert.strictEqual(response.headers["www-authenticate"], plain)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("names in a 403 the scope that is lacking, to keys and to viewer tokens", () =>
    Effect.gen(function* () {
      const { workspace, key: admin } = yield* makeTenant()
      const { key } = yield* makeKey(workspace.id, [])
      const { token } = (yield* send({ path: "/api/v1/viewer-token", key: admin, body: {} })).json<{
        token: string
      }>()
      for (const { method, path, permission, access } of ENDPOINTS) {
        // What is about a person takes no key at all.
        if (permission === null) continue
        for (const holder of access === "key_or_viewer" ? [key] : [key, token]) {
          const response = yield* send({ path, method, key: holder })
          assert.strictEqual(response.status, 403, `${method} ${path}`)
          assert.strictEqual(
            response.headers["www-authenticate"],
            `Bearer realm="cairn", error="insufficient_scope", scope="${scopeOf(permission)}"`,
            `${method} ${path}`
          )
        }
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("names in a 415 the type or the coding that it takes", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const owner = yield* signedIn(workspace.id, "owner")
      for (const { method, path, permission } of ENDPOINTS) {
        if (method === "GET") continue
        const caller = permission === null ? owner.headers : { authorization: `Bearer ${key}` }
        // Node's client says nothing of a body that it sends with DELETE.
        const length = { "content-length": "2" }
        const compressed = yield* send({
          path,
          method,
          body: "{}",
          headers: { ...caller, ...length, "content-encoding": "gzip" }
        })
        assert.strictEqual(compressed.status, 415, `${method} ${path}`)
        assert.strictEqual(compressed.headers["accept-encoding"], "identity")
        const plain = yield* send({
          path,
          method,
          body: "{}",
          headers: { ...caller, ...length, "content-type": "text/plain" }
        })
        assert.strictEqual(plain.status, 415, `${method} ${path}`)
        assert.strictEqual(plain.headers.accept, "application/json")
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("that creates something says where it is, by the service's own address", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (const [name, body] of Object.entries(CREATIONS)) {
        const made = yield* send({ path: `${PREFIX}/${name}`, key, body })
        assert.strictEqual(made.status, 201, made.text)
        const { id } = made.json<{ data: { id: string } }>().data
        assert.strictEqual(made.headers.location, `https://audit.example.com/x${PREFIX}/${name}/${id}`)
        assert.strictEqual((yield* send({ path: `${PREFIX}/${name}/${id}`, key })).status, 200)
      }
    }).pipe(Effect.provide(testServer({ config: { baseUrl: "https://audit.example.com/x" } })))
  )
})

/** What looks like a moment, wherever it stands in a text. */
const MOMENT = /\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?/g

describe("A time", () => {
  it.live("has six fractional digits and Z in every answer, and none where it is an anchor's", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const ids: Record<string, string> = {}
      for (const [name, body] of Object.entries({ ...CREATIONS, events: EVENT, exports: {} })) {
        const made = (yield* send({ path: `${PREFIX}/${name}`, key, body })).json<{
          id?: string
          data?: { id: string }
        }>()
        ids[name] = made.data?.id ?? made.id ?? ""
      }
      yield* sequence
      let seen = 0
      for (const { method, template } of ENDPOINTS) {
        if (method !== "GET") continue
        const collection = template.split("/")[3] ?? ""
        const { text } = yield* send({ path: template.replace(":id", ids[collection] ?? "x"), key })
        const form =
          collection === "anchors"
            ? /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
            : /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
        for (const [moment] of text.matchAll(MOMENT)) {
          seen++
          assert.match(moment, form, template)
        }
      }
      assert.isAbove(seen, 20)
    }).pipe(Effect.provide(testServer()))
  )
})
