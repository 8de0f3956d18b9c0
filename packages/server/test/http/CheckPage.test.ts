/** The page at /verify, on which anybody checks an evidence file. */
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { send, testServer } from "./TestServer.ts"

const errorOf = (text: string) => (JSON.parse(text) as { error: string }).error

describe("The page to check an evidence file", () => {
  it.live("is the same for everybody, and the browser lets it send nothing", () =>
    Effect.gen(function* () {
      const page = yield* send({ path: "/verify" })
      assert.strictEqual(page.status, 200)
      assert.include(page.text, "/console/")
      assert.strictEqual(
        page.headers["content-security-policy"],
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'none'; frame-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
      )
      assert.strictEqual(page.headers["connection-allowlist"], "(response-origin);webrtc=block")
      assert.strictEqual(page.headers["referrer-policy"], "no-referrer")
      assert.isUndefined(page.headers["set-cookie"])
      assert.notInclude(String(page.headers.vary), "cookie")
      const known = yield* send({ path: "/verify", headers: { cookie: `cairn=${"a".repeat(43)}` } })
      assert.strictEqual(known.text, page.text)
      assert.strictEqual((yield* send({ path: "/verify?why=not" })).text, page.text)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is kept until it changes, and answers HEAD", () =>
    Effect.gen(function* () {
      const { headers } = yield* send({ path: "/verify" })
      assert.strictEqual(headers["cache-control"], "no-cache")
      const { etag = "" } = headers
      assert.match(etag, /^"verify-[0-9a-f]{16}/)
      const again = yield* send({ path: "/verify", headers: { "if-none-match": etag } })
      assert.deepStrictEqual([again.status, again.text], [304, ""])
      const head = yield* send({ path: "/verify", method: "HEAD" })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
      assert.strictEqual(head.headers["content-security-policy"], headers["content-security-policy"])
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is only read, and nothing is below it", () =>
    Effect.gen(function* () {
      const posted = yield* send({ path: "/verify", method: "POST", body: {} })
      assert.deepStrictEqual([posted.status, posted.headers.allow], [405, "GET, HEAD"])
      for (const path of ["/verify/", "/verify/x", "/verify2", "/Verify"]) {
        assert.strictEqual((yield* send({ path })).status, 404, path)
      }
      const meant = yield* send({ path: "/verify/", headers: { "sec-fetch-mode": "navigate" } })
      assert.deepStrictEqual([meant.status, meant.headers.location], [303, "/verify"])
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is explained where the console is not built", () =>
    Effect.gen(function* () {
      const page = yield* send({ path: "/verify" })
      assert.strictEqual(page.status, 404)
      assert.strictEqual(errorOf(page.text), "not_found")
      assert.include(page.text, "cairn-verify")
    }).pipe(Effect.provide(testServer({ consoleFolder: join(tmpdir(), "cairn-no-console") })))
  )

  it.live("is reached over https where the service is", () =>
    Effect.gen(function* () {
      const page = yield* send({ path: "/verify", headers: { host: "cairn.example.com:80" } })
      assert.deepStrictEqual([page.status, page.headers.location], [303, "https://cairn.example.com/verify"])
    }).pipe(Effect.provide(testServer({ config: { baseUrl: "https://cairn.example.com" } })))
  )
})
