import { Micros } from "@cairn/core/encoding"
import { manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { breakableStorage, STORAGE_SECRET, setBroken } from "./BreakableStorage.ts"
import { standing } from "./StandingClock.ts"
import { storage } from "./Storage.ts"
import { EVENT, makeTenant, send, sequence, testServer, testServerOver } from "./TestServer.ts"

const ready = send({ path: "/readyz" })

describe("GET /healthz", () => {
  it.live("says that the process is alive, even without its store", () =>
    Effect.gen(function* () {
      yield* setBroken(true)
      const response = yield* send({ path: "/healthz" })
      assert.strictEqual(response.status, 200)
      assert.deepStrictEqual(response.json(), { status: "ok" })
    }).pipe(Effect.provide(testServerOver(breakableStorage.pipe(Layer.provideMerge(storage())))))
  )
})

describe("GET /readyz", () => {
  it.live("says that the server takes requests", () =>
    Effect.gen(function* () {
      const response = yield* ready
      assert.strictEqual(response.status, 200)
      assert.deepStrictEqual(response.json(), { status: "ready" })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is 503 with the reason while the store does not answer", () =>
    Effect.gen(function* () {
      yield* setBroken(true)
      const response = yield* ready
      assert.strictEqual(response.status, 503)
      assert.deepStrictEqual(response.json(), {
        error: "unavailable",
        message: "The store is not available; nothing was changed"
      })
      assert.notInclude(response.text, STORAGE_SECRET)
      assert.isDefined(response.headers["retry-after"])
      yield* setBroken(false)
      assert.strictEqual((yield* ready).status, 200)
    }).pipe(Effect.provide(testServerOver(breakableStorage.pipe(Layer.provideMerge(storage())))))
  )

  it.live("is 503 with the reason while the inbox is full", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (let count = 0; count < 2; count++) yield* send({ path: "/api/v1/events", key, body: EVENT })
      const response = yield* ready
      assert.strictEqual(response.status, 503)
      assert.strictEqual(response.json().message, "2 events wait to be sequenced; the inbox is full")
      assert.isDefined(response.headers["retry-after"])
      yield* sequence
      assert.strictEqual((yield* ready).status, 200)
    }).pipe(Effect.provide(testServer({ config: { inboxCapacity: 2 } })))
  )

  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)

  it.live("is 503 with the reason while the clock cannot be trusted", () =>
    Effect.gen(function* () {
      time.leap(Micros.DAY)
      const response = yield* ready
      assert.strictEqual(response.status, 503)
      assert.match(String(response.json().message), /clock/)
      time.leap(-Micros.DAY)
      assert.strictEqual((yield* ready).status, 200)
    }).pipe(Effect.provide(testServer()), Effect.provideService(Clock.Clock, standing(time.clock)))
  )
})
