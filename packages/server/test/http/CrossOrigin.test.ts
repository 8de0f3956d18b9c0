import { Access, Api } from "@cairn/api"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { EVENT, FRAME_ANCESTORS, makeTenant, send, testServer } from "./TestServer.ts"

const EVENTS = "/api/v1/events"
const ORIGIN = "https://app.acme.example"
const SERVICE_ORIGIN = String(FRAME_ANCESTORS[0])

const ENDPOINTS = Object.values(Api.groups)
  .flatMap((group) => Object.values(group.endpoints))
  .map(({ method, path, annotations }) => ({
    method,
    path: path.replace(":id", "x"),
    isViewers: Context.get(annotations, Access) === "key_or_viewer"
  }))

const allowed = (headers: Record<string, unknown>) => headers["access-control-allow-origin"]

/** A workspace that names an origin, and a token of it. */
const makeViewer = Effect.gen(function* () {
  const { key, workspace } = yield* makeTenant({
    viewer_frame_ancestors: [ORIGIN, "https://*.acme.example:8443"]
  })
  const issued = yield* send({ path: "/api/v1/viewer-token", key, body: {} })
  return { key, workspace, token: issued.json<{ token: string }>().token }
})

describe("A page of another origin", () => {
  it.live("is told by a preflight what a viewer token may do, and nothing at any other endpoint", () =>
    Effect.gen(function* () {
      for (const { method, path, isViewers } of ENDPOINTS) {
        const headers = {
          origin: "https://anywhere.example",
          "access-control-request-method": method,
          "access-control-request-headers": "authorization,content-type"
        }
        const response = yield* send({ path, method: "OPTIONS", headers })
        assert.strictEqual(response.status, isViewers ? 204 : 405, `${method} ${path}`)
        assert.strictEqual(
          allowed(response.headers),
          isViewers ? headers.origin : undefined,
          `${method} ${path}`
        )
        if (!isViewers) continue
        assert.strictEqual(response.headers["access-control-allow-methods"], method)
        assert.match(String(response.headers["access-control-allow-headers"]), /authorization, content-type/)
        assert.match(String(response.headers.vary), /origin/)
        assert.isUndefined(response.headers["content-length"])
      }
      assert.strictEqual((yield* send({ path: EVENTS, method: "OPTIONS" })).status, 405)
    }).pipe(Effect.provide(testServer()))
  )

  it.live(
    "may read answers to a viewer token, errors too, where the token's workspace names its origin",
    () =>
      Effect.gen(function* () {
        const { key, token } = yield* makeViewer
        const [head = "", claims = ""] = token.split(".")
        const forged = `${head}.${claims}.${Buffer.alloc(32).toString("base64url")}`
        const other = yield* makeTenant()
        const theirs = (yield* send({ path: "/api/v1/viewer-token", key: other.key, body: {} })).json<{
          token: string
        }>().token
        const cases: ReadonlyArray<readonly [origin: string, key: string, status: number, may: boolean]> = [
          [ORIGIN, token, 200, true],
          ["https://eu.acme.example:8443", token, 200, true],
          [ORIGIN, forged, 401, true],
          [ORIGIN, theirs, 200, false],
          [SERVICE_ORIGIN, theirs, 200, true],
          [SERVICE_ORIGIN, token, 200, false],
          [ORIGIN, key, 200, false],
          [ORIGIN, "cairn_x", 401, false],
          ["http://app.acme.example", token, 200, false],
          ["https://app.acme.example:444", token, 200, false],
          ["https://acme.example:8443", token, 200, false],
          ["https://app.acme.example.evil.example", token, 200, false],
          ["null", token, 200, false]
        ]
        for (const [origin, bearer, status, may] of cases) {
          const response = yield* send({ path: EVENTS, key: bearer, headers: { origin } })
          assert.strictEqual(response.status, status, origin)
          assert.strictEqual(allowed(response.headers), may ? origin : undefined, `${origin} ${bearer}`)
          assert.match(String(response.headers.vary), /\borigin\b/)
          assert.strictEqual("access-control-expose-headers" in response.headers, may)
        }
        const wrong = yield* send({ path: `${EVENTS}?limit=0`, key: token, headers: { origin: ORIGIN } })
        assert.strictEqual(wrong.status, 400)
        assert.strictEqual(allowed(wrong.headers), ORIGIN)
        assert.match(String(wrong.headers["access-control-expose-headers"]), /retry-after/)
        const refused = yield* send({ path: EVENTS, key: token, body: EVENT, headers: { origin: ORIGIN } })
        assert.strictEqual(refused.status, 403)
        assert.isUndefined(allowed(refused.headers))
      }).pipe(Effect.provide(testServer()))
  )
})
