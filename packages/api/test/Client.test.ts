import { makeClient } from "@cairn/api"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

/** A server that answers every request with one response, and keeps what it was asked. */
const answering = (status: number, body: unknown) => {
  const asked: Array<{
    readonly method: string
    readonly url: string
    readonly authorization: string | undefined
  }> = []
  const layer = Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request, url) => {
      asked.push({ method: request.method, url: url.href, authorization: request.headers.authorization })
      return Effect.succeed(HttpClientResponse.fromWeb(request, Response.json(body, { status })))
    })
  )
  return { asked, layer }
}

const options = { baseUrl: "https://audit.example.com/cairn", apiKey: "cairn_key" }

describe("makeClient", () => {
  const { asked, layer } = answering(200, {
    data: {
      valid: true,
      events_checked: 0,
      breaks: [],
      complete: true,
      total: 0,
      next: null,
      later: "unknown"
    }
  })

  it.effect("sends the key and the parameters to the base address", () =>
    Effect.gen(function* () {
      const client = yield* makeClient(options)
      const result = yield* client.events.verify({ query: { limit: 5, from: "2026-01-01T00:00:00+01:00" } })
      assert.deepStrictEqual(result.data, {
        valid: true,
        events_checked: 0,
        breaks: [],
        complete: true,
        total: 0,
        next: null
      })
      const [request] = asked
      assert.strictEqual(request?.method, "GET")
      assert.strictEqual(request?.authorization, "Bearer cairn_key")
      const url = new URL(request?.url ?? "")
      assert.strictEqual(url.origin + url.pathname, "https://audit.example.com/cairn/api/v1/verify")
      assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
        limit: "5",
        from: "2026-01-01T00:00:00+01:00"
      })
    }).pipe(Effect.provide(layer))
  )

  const limited = answering(429, { error: "rate_limited", message: "later" })

  it.effect("fails with the error that the server gave", () =>
    Effect.gen(function* () {
      const client = yield* makeClient(options)
      const error = yield* Effect.flip(client.events.getEvent({ params: { id: "a/b" } }))
      assert.deepStrictEqual(error, { error: "rate_limited", message: "later" })
      assert.strictEqual(limited.asked[0]?.url, "https://audit.example.com/cairn/api/v1/events/a%2Fb")
    }).pipe(Effect.provide(limited.layer))
  )

  const alien = answering(200, { nothing: "of the kind" })

  it.effect("does not take an answer that is not the contract's", () =>
    Effect.gen(function* () {
      const client = yield* makeClient(options)
      const error = yield* Effect.flip(client.events.listEvents({ query: {} }))
      assert.notProperty(error, "error")
    }).pipe(Effect.provide(alien.layer))
  )
})
