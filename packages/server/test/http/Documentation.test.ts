import { brotliDecompressSync } from "node:zlib"
import { Api, openApiDocument } from "@cairn/api"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { send, testServer } from "./TestServer.ts"

describe("GET /openapi.json", () => {
  it.live("serves the contract's document, with the address that clients are to use", () =>
    Effect.gen(function* () {
      const response = yield* send({ path: "/openapi.json" })
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers["content-type"], "application/json")
      assert.deepStrictEqual(
        response.json(),
        JSON.parse(JSON.stringify(openApiDocument("https://audit.example.com/x")))
      )
      assert.deepStrictEqual(response.json().servers, [{ url: "https://audit.example.com/x" }])
    }).pipe(Effect.provide(testServer({ config: { baseUrl: "https://audit.example.com/x" } })))
  )

  it.live("names wherever it came from when no address is set", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* send({ path: "/openapi.json" })).json().servers, [{ url: "/" }])
    }).pipe(Effect.provide(testServer()))
  )
})

describe("GET /docs", () => {
  it.live("is a page that needs nothing from elsewhere, and may not ask for it", () =>
    Effect.gen(function* () {
      const response = yield* send({ path: "/docs" })
      assert.strictEqual(response.status, 200)
      assert.match(String(response.headers["content-type"]), /^text\/html/)
      const policy = String(response.headers["content-security-policy"])
      assert.include(policy, "default-src 'none'")
      assert.notMatch(policy, /https?:|unsafe/)
      assert.strictEqual(response.headers["referrer-policy"], "no-referrer")
      // The one script that stands in the page is the document, which no browser runs.
      const page = response.text.replace(
        /<script id="swagger-spec" type="application\/json">[^<]*<\/script>/,
        ""
      )
      assert.notMatch(page, /<style|\sstyle=|\son\w+=|<script>/)
      const addresses = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => String(address))
      assert.lengthOf(addresses, 2)
      for (const address of addresses) {
        assert.match(address, /^docs\/[0-9a-f]{16}\.(js|css)$/)
        const asset = yield* send({ path: `/${address}` })
        assert.strictEqual(asset.status, 200)
        assert.match(String(asset.headers["content-type"]), /^text\/(javascript|css); charset=utf-8$/)
        assert.strictEqual(asset.headers["cache-control"], "public, max-age=31536000, immutable")
        const packed = yield* send({ path: `/${address}`, headers: { "accept-encoding": "gzip, br" } })
        assert.strictEqual(packed.headers["content-encoding"], "br")
        assert.isTrue(brotliDecompressSync(packed.bytes).equals(asset.bytes))
      }
      assert.strictEqual((yield* send({ path: "/docs/0000000000000000.js" })).status, 404)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("shows the contract", () =>
    Effect.gen(function* () {
      const { text } = yield* send({ path: "/docs" })
      for (const group of Object.values(Api.groups)) {
        for (const { identifier } of Object.values(group.endpoints)) assert.include(text, `.${identifier}"`)
      }
    }).pipe(Effect.provide(testServer()))
  )
})
