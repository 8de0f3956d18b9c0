/** What a person sees, and what a program gets, at an address with nothing at it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { send, testServer } from "./TestServer.ts"

const LINK = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", accept: "text/html,*/*;q=0.8" }
const OLD_BROWSER = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
const PROGRAMS = [{}, { accept: "application/json" }, { "sec-fetch-mode": "cors", accept: "*/*" }]

describe("an address with nothing at it", () => {
  it.live("is a page to a person, with a way on, and JSON to a program", () =>
    Effect.gen(function* () {
      for (const path of ["/foo", "/sign-in/nothing", `/w/${"x".repeat(1_100)}`, "//evil.example/"]) {
        for (const headers of [LINK, OLD_BROWSER]) {
          const { status, text, headers: got } = yield* send({ path, headers })
          assert.strictEqual(status, 404, path)
          assert.include(got["content-type"] ?? "", "text/html")
          assert.include(text, 'class="button first" href="/"')
          assert.include(got["content-security-policy"] ?? "", "default-src 'none'")
        }
        for (const headers of PROGRAMS) {
          const { status, headers: got } = yield* send({ path, headers })
          assert.strictEqual(status, 404, path)
          assert.include(got["content-type"] ?? "", "json")
        }
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("with a slash too many leads to the page that was meant", () =>
    Effect.gen(function* () {
      for (const [path, meant] of [
        ["/account/", "/account"],
        ["/sign-in/", "/sign-in"],
        ["/sign-in///", "/sign-in"]
      ] as const) {
        const { status, headers } = yield* send({ path, headers: LINK })
        assert.strictEqual(status, 303, path)
        assert.strictEqual(headers.location, meant)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("stays JSON where no person looks", () =>
    Effect.gen(function* () {
      for (const [method, path] of [
        ["GET", "/api/v1/nothing"],
        ["POST", "/foo"],
        ["DELETE", "/account/"]
      ] as const) {
        const { status, headers } = yield* send({ method, path, headers: LINK })
        assert.strictEqual(status, 404, path)
        assert.include(headers["content-type"] ?? "", "json")
      }
    }).pipe(Effect.provide(testServer()))
  )
})
