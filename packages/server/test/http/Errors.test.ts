import { connect } from "node:net"
import { Micros } from "@cairn/core/encoding"
import { Inbox } from "@cairn/core/log"
import { manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Ref } from "effect"
import { Draining } from "../../src/http/plumbing/Draining.ts"
import { breakableStorage, STORAGE_SECRET, setBroken } from "./BreakableStorage.ts"
import { standing } from "./StandingClock.ts"
import { storage } from "./Storage.ts"
import { EVENT, makeTenant, send, TestServer, testServer, testServerOver } from "./TestServer.ts"

const EVENTS = "/api/v1/events"

/** What one connection is answered in all: each text is sent once something came back for the one before. */
const raw = (...texts: ReadonlyArray<string>) =>
  Effect.flatMap(TestServer, ({ port }) =>
    Effect.promise(
      () =>
        new Promise<string>((resolve, reject) => {
          const waiting = [...texts]
          const next = () => {
            const text = waiting.shift()
            if (text !== undefined) socket.write(text)
          }
          const socket = connect(port, "127.0.0.1", next)
          let received = ""
          socket.on("data", (chunk) => {
            received += chunk.toString("utf8")
            next()
          })
          socket.on("close", () => resolve(received))
          socket.on("error", reject)
        })
    )
  )

describe("An unknown path", () => {
  it.live("is 404 not_found, with or without a key, whatever the method", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const paths = [
        "/api",
        "/api/v1",
        "/api/v1/",
        "/api/v2/events",
        "/api/v1/Events",
        "/api/v1/events/",
        "/api/v1/events/a/b",
        "//api/v1/events",
        "/api/v1/events%2fbatch/x",
        "/%zz",
        `/${"x".repeat(5000)}`
      ]
      for (const path of paths) {
        for (const method of ["GET", "POST", "DELETE", "PROPFIND"]) {
          const response = yield* send({ path, method, key })
          assert.strictEqual(response.status, 404, `${method} ${path}`)
          assert.deepStrictEqual(response.json(), {
            error: "not_found",
            message: "There is nothing at this path"
          })
        }
      }
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A method that a path does not answer", () => {
  it.live("is 405 with Allow", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const id = "5f0a1c9e-5c0f-4f6e-9a52-0d7f0c2f3a11"
      const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>, string]> = [
        [EVENTS, ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"], "POST, GET, HEAD"],
        [`${EVENTS}/batch`, ["GET", "HEAD", "PUT", "PATCH", "DELETE"], "POST"],
        [`${EVENTS}/${id}`, ["PUT", "PATCH", "DELETE", "POST"], "GET, HEAD"],
        ["/api/v1/verify", ["POST", "DELETE"], "GET, HEAD"],
        ["/api/v1/workspace", ["POST", "PUT", "DELETE"], "GET, HEAD, PATCH"],
        ["/api/v1/api-keys", ["PUT", "DELETE"], "GET, HEAD, POST"],
        ["/api/v1/api-keys/key_1", ["POST", "PATCH"], "GET, HEAD, DELETE"],
        ["/healthz", ["POST"], "GET, HEAD"],
        ["/docs", ["POST"], "GET, HEAD"],
        ["/openapi.json", ["PUT"], "GET, HEAD"]
      ]
      for (const [path, methods, allow] of cases) {
        for (const method of methods) {
          const response = yield* send({ path, method, key })
          assert.strictEqual(response.status, 405, `${method} ${path}`)
          assert.strictEqual(response.headers.allow, allow, `${method} ${path}`)
          if (method !== "HEAD") assert.strictEqual(response.json().error, "method_not_allowed")
        }
      }
    }).pipe(Effect.provide(testServer()))
  )
})

describe("Every response", () => {
  it.live("carries the request's id when it is a sane one, and a new one otherwise", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const idOf = (given: string | undefined, path = EVENTS) =>
        Effect.map(
          send({ path, key, headers: given === undefined ? {} : { "x-request-id": given } }),
          ({ headers }) => headers["x-request-id"]
        )
      assert.strictEqual(yield* idOf("req-1.A_b"), "req-1.A_b")
      assert.strictEqual(yield* idOf("x".repeat(128)), "x".repeat(128))
      for (const insane of ["", "a b", "x".repeat(129), "é", "<script>"]) {
        assert.match(String(yield* idOf(insane)), /^[0-9a-f]{24}$/, insane)
      }
      assert.match(String(yield* idOf(undefined)), /^[0-9a-f]{24}$/)
      assert.notStrictEqual(yield* idOf(undefined), yield* idOf(undefined))
      for (const path of [
        "/nowhere",
        "/healthz",
        "/readyz",
        "/openapi.json",
        "/docs",
        "/api/v1/verify?limit=0"
      ]) {
        assert.strictEqual(yield* idOf("mine", path), "mine", path)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is not sniffed, not stored, and offers nothing to other origins", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (const path of [EVENTS, "/nowhere", "/healthz"]) {
        const { headers } = yield* send({ path, key, headers: { origin: "https://elsewhere.example" } })
        assert.strictEqual(headers["x-content-type-options"], "nosniff")
        assert.strictEqual(headers["cache-control"], "no-store")
        assert.isUndefined(headers["access-control-allow-origin"])
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("to HEAD is that to GET without its body", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (const path of [EVENTS, "/api/v1/verify", "/api/v1/workspace", "/healthz", "/nowhere"]) {
        const get = yield* send({ path, key })
        const head = yield* send({ path, key, method: "HEAD" })
        assert.strictEqual(head.status, get.status, path)
        assert.strictEqual(head.headers["content-length"], get.headers["content-length"], path)
        assert.strictEqual(head.text, "")
      }
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A target in absolute form", () => {
  it.live("is taken by its path", () =>
    Effect.gen(function* () {
      const response = yield* raw(
        "GET http://example.com/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      )
      assert.match(response, /^HTTP\/1\.1 200 /)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A client that offers another protocol", () => {
  it.live("is answered in the one it speaks, and its body is read", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const body = JSON.stringify(EVENT)
      // As Java's client begins every connection.
      const response = yield* raw(
        `POST ${EVENTS} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n` +
          `HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nAuthorization: Bearer ${key}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      )
      assert.deepStrictEqual(response.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 202", "HTTP/1.1 200"])
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A client that asks for problem details", () => {
  it.live("gets every error in the form of RFC 9457, with the code beside it", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const response = yield* send({
        path: EVENTS,
        key,
        body: { action: "a", unknwn: 1 },
        headers: { accept: "application/problem+json, application/json;q=0.9" }
      })
      assert.strictEqual(response.status, 422)
      assert.strictEqual(response.headers["content-type"], "application/problem+json")
      assert.deepStrictEqual(response.json(), {
        type: "about:blank",
        title: "Unprocessable Entity",
        status: 422,
        detail: "unknwn: is not known; did you mean `action`?; actor_id: is required",
        error: "validation_failed",
        message: "unknwn: is not known; did you mean `action`?; actor_id: is required",
        errors: [{ field: "actor_id", message: "is required" }],
        unknown_fields: ["unknwn"]
      })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("gets the items of a refused batch as an extension member", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const headers = { accept: "application/problem+json" }
      const response = yield* send({ path: `${EVENTS}/batch`, key, body: { events: [{}] }, headers })
      assert.strictEqual(response.json<{ events: Array<{ status: string }> }>().events[0]?.status, "rejected")
    }).pipe(Effect.provide(testServer()))
  )

  it.live("gets Cairn's own form when it likes plain JSON better, or problem details not at all", () =>
    Effect.gen(function* () {
      const accepts = [
        "application/json",
        "*/*",
        "application/json, application/problem+json;q=0.5",
        "application/problem+json;q=0",
        "text/html, application/problem+xml"
      ]
      for (const accept of accepts) {
        const response = yield* send({ path: "/nowhere", headers: { accept } })
        assert.strictEqual(response.headers["content-type"], "application/json", accept)
        assert.deepStrictEqual(Object.keys(response.json()), ["error", "message"], accept)
      }
    }).pipe(Effect.provide(testServer()))
  )
})

describe("A failure that nobody expected", () => {
  const secret = "the content of an event"
  const broken = testServerOver(
    Layer.effect(
      Inbox,
      Effect.map(Inbox, (inbox) =>
        Inbox.of({ ...inbox, accept: () => Effect.die(new Error(`a bug, near ${secret}`)) })
      )
    ).pipe(Layer.provideMerge(storage()))
  )

  it.live("is 500 internal with the request's id and nothing of its cause", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const response = yield* send({ path: EVENTS, key, body: EVENT, headers: { "x-request-id": "find-me" } })
      assert.strictEqual(response.status, 500)
      assert.deepStrictEqual(response.json(), {
        error: "internal",
        message: "Something went wrong; this is request find-me"
      })
      assert.strictEqual(response.headers["x-request-id"], "find-me")
    }).pipe(Effect.provide(broken))
  )

  it.live("does not stop the server", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* send({ path: EVENTS, key, body: EVENT })
      assert.strictEqual((yield* send({ path: EVENTS, key })).status, 200)
    }).pipe(Effect.provide(broken))
  )
})

describe("A store that does not answer", () => {
  it.live("is 503 with Retry-After wherever it is needed, tells nothing of its cause, and is forgiven", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const requests = [
        send({ path: EVENTS, key, body: EVENT }),
        send({ path: `${EVENTS}/batch`, key, body: { events: [EVENT] } }),
        send({ path: EVENTS, key }),
        send({ path: `${EVENTS}/5f0a1c9e-5c0f-4f6e-9a52-0d7f0c2f3a11`, key }),
        send({ path: "/api/v1/verify", key }),
        send({ path: "/api/v1/api-keys", key }),
        send({ path: "/api/v1/api-keys", key, body: {} }),
        send({ path: "/api/v1/workspace", key, method: "PATCH", body: { name: "Other" } })
      ]
      yield* send({ path: EVENTS, key })
      yield* setBroken(true)
      for (const response of yield* Effect.all(requests)) {
        assert.strictEqual(response.status, 503)
        assert.deepStrictEqual(response.json(), {
          error: "unavailable",
          message: "The store is not available; nothing was changed"
        })
        assert.match(String(response.headers["retry-after"]), /^[1-9]\d*$/)
        assert.notInclude(response.text, STORAGE_SECRET)
      }
      yield* setBroken(false)
      assert.strictEqual((yield* send({ path: EVENTS, key, body: EVENT })).status, 202)
    }).pipe(Effect.provide(testServerOver(breakableStorage.pipe(Layer.provideMerge(storage())))))
  )

  it.live("is 503 for a key that is not known yet, never 401", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* setBroken(true)
      assert.strictEqual((yield* send({ path: EVENTS, key })).status, 503)
      yield* setBroken(false)
      assert.strictEqual((yield* send({ path: EVENTS, key })).status, 200)
    }).pipe(Effect.provide(testServerOver(breakableStorage.pipe(Layer.provideMerge(storage())))))
  )
})

describe("A wall clock that leaps ahead", () => {
  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)

  it.live("stops acceptance with 503 and nothing else, until it comes back", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const post = send({ path: EVENTS, key, body: EVENT })
      assert.strictEqual((yield* post).status, 202)
      time.leap(365 * Micros.DAY)
      const refused = yield* post
      assert.strictEqual(refused.status, 503)
      assert.strictEqual(refused.json().error, "unavailable")
      assert.isDefined(refused.headers["retry-after"])
      assert.strictEqual((yield* send({ path: EVENTS, key })).status, 200)
      time.leap(-365 * Micros.DAY)
      assert.strictEqual((yield* post).status, 202)
    }).pipe(Effect.provide(testServer()), Effect.provideService(Clock.Clock, standing(time.clock)))
  )
})

describe("A server that is shutting down", () => {
  it.live("answers 503 with Retry-After and closes the connection, but lives", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      // The key and its workspace are in memory from now on.
      assert.strictEqual((yield* send({ path: EVENTS, key, body: EVENT })).status, 202)
      yield* Ref.set(yield* Draining, "closed")
      const response = yield* send({ path: EVENTS, key, body: EVENT, headers: { connection: "keep-alive" } })
      assert.strictEqual(response.status, 503)
      assert.strictEqual(response.json().error, "unavailable")
      assert.isDefined(response.headers["retry-after"])
      assert.strictEqual(response.headers.connection, "close")
      assert.strictEqual((yield* send({ path: "/healthz" })).status, 200)
      const ready = yield* send({ path: "/readyz" })
      assert.strictEqual(ready.status, 503)
      assert.strictEqual(ready.json().message, "The server is shutting down")
    }).pipe(Effect.provide(testServer()))
  )
})
