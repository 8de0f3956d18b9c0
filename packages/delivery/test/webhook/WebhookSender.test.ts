import { setTimeout as sleep } from "node:timers/promises"
import { Micros } from "@cairn/core/encoding"
import { Sha256 } from "@cairn/core/hashing"
import { verifyWebhookSignature, webhookBody } from "@cairn/core/outbound"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Webhook } from "standardwebhooks"
import { OutboundGuard } from "../../src/outbound/OutboundGuard.ts"
import { type WebhookAttempt, WebhookSender } from "../../src/webhook/WebhookSender.ts"
import { certificate } from "../peers/Certificates.ts"
import { internal } from "../peers/Guards.ts"
import { type Answer, startWebServer, status } from "../peers/WebServer.ts"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const old = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
const body = webhookBody({ type: "webhook.test", data: { message: "día 😀" } }, 1_714_564_800_000_000)
const message = { id: "msg_1", body }

const environment = Layer.merge(OutboundGuard.layer(internal), Sha256.layer)

/** One attempt at `url`, with `timeout` milliseconds. */
const attempt = (url: string, timeout = 5_000): Effect.Effect<WebhookAttempt> =>
  Effect.gen(function* () {
    const sender = yield* WebhookSender
    return yield* sender.send({ url, secrets: [secret, old] }, message)
  }).pipe(Effect.provide(WebhookSender.layerWith(timeout).pipe(Layer.provide(environment))))

/** What comes of an attempt at a server that answers so. */
const answered = (answer: Answer, timeout?: number) =>
  Effect.gen(function* () {
    const server = yield* startWebServer(answer)
    const result = yield* attempt(`http://127.0.0.1:${server.port}/hook`, timeout)
    return { ...result, ...server }
  })

describe("WebhookSender", () => {
  it.live("posts the body as it is, signed in both ways by both secrets", () =>
    Effect.gen(function* () {
      const { outcome, received, status: code, error } = yield* answered(status(200, {}, "thanks"))
      assert.deepStrictEqual(outcome, { _tag: "Delivered" })
      assert.strictEqual(code, 200)
      assert.isNull(error)
      const [request] = received
      if (request === undefined) return assert.fail("nothing arrived")
      assert.strictEqual(request.method, "POST")
      assert.strictEqual(request.path, "/hook")
      assert.strictEqual(request.headers["content-type"], "application/json")
      assert.strictEqual(request.headers["webhook-id"], "msg_1")
      const raw = request.body.toString("utf8")
      assert.strictEqual(raw, body)
      const sha256 = yield* Sha256
      for (const key of [secret, old]) {
        assert.deepStrictEqual(new Webhook(key).verify(raw, request.headers), JSON.parse(body))
        assert.isTrue(
          verifyWebhookSignature(sha256, key, request.body, request.headers["x-cairn-signature"] ?? "")
        )
      }
    }).pipe(Effect.provide(Sha256.layer))
  )

  it.live.each([200, 201, 202, 204, 299])("takes %i for success", (code) =>
    Effect.gen(function* () {
      const { outcome } = yield* answered(status(code))
      assert.deepStrictEqual(outcome, { _tag: "Delivered" })
    })
  )

  it.live.each([400, 401, 404, 500, 502, 503])("takes %i for a failure that may pass", (code) =>
    Effect.gen(function* () {
      const result = yield* answered(status(code, {}, "no"))
      assert.deepStrictEqual(result.outcome, { _tag: "Failed", retryAfter: null })
      assert.strictEqual(result.status, code)
      assert.strictEqual(result.answer, "no")
    })
  )

  it.live.each([3_600_000, -3_600_000])(
    "measures an attempt by a clock that nobody sets, by %i ms",
    (leap) => {
      const now = Date.now
      return Effect.gen(function* () {
        const { answer, duration } = yield* answered((_, response) => {
          Date.now = () => now() + leap
          response.writeHead(500)
          response.write("not ")
          setTimeout(() => response.end("now"), 100)
        })
        assert.strictEqual(answer, "not now")
        assert.isAtLeast(duration, 100)
        assert.isBelow(duration, 60_000)
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            Date.now = now
          })
        )
      )
    }
  )

  it.live("honours Retry-After", () =>
    Effect.gen(function* () {
      const { outcome } = yield* answered(status(429, { "retry-after": "120" }))
      assert.deepStrictEqual(outcome, { _tag: "Failed", retryAfter: 120 * Micros.SECOND })
    })
  )

  it.live("takes 410 for the wish to be left alone", () =>
    Effect.gen(function* () {
      const { outcome } = yield* answered(status(410))
      assert.deepStrictEqual(outcome, { _tag: "Gone" })
    })
  )

  it.live.each([301, 302, 307, 308])("does not follow a redirect by %i", (code) =>
    Effect.gen(function* () {
      const elsewhere = yield* startWebServer(status(200))
      const location = `http://127.0.0.1:${elsewhere.port}/`
      const { outcome, received } = yield* answered(status(code, { location }))
      assert.deepStrictEqual(outcome, { _tag: "Failed", retryAfter: null })
      assert.lengthOf(received, 1)
      assert.lengthOf(elsewhere.received, 0)
    })
  )

  it.live("gives up on a server that does not answer", () =>
    Effect.gen(function* () {
      const result = yield* answered(() => {}, 200)
      assert.deepStrictEqual(result.outcome, { _tag: "Failed", retryAfter: null })
      assert.isNull(result.status)
      assert.strictEqual(result.error, "no response within 200 ms")
      assert.isAtLeast(result.duration, 199)
      assert.isBelow(result.duration, 30_000)
    })
  )

  it.live("notes a connection that is reset", () =>
    Effect.gen(function* () {
      const result = yield* answered((_, __, raw) => {
        raw.socket.resetAndDestroy()
      })
      assert.deepStrictEqual(result.outcome, { _tag: "Failed", retryAfter: null })
      assert.isNull(result.status)
      assert.isNotNull(result.error)
    })
  )

  it.live("notes that nobody listens", () =>
    Effect.gen(function* () {
      const { port } = yield* Effect.scoped(startWebServer(status(200)))
      const { outcome, error } = yield* attempt(`http://127.0.0.1:${port}/`)
      assert.strictEqual(outcome._tag, "Failed")
      assert.include(error ?? "", "ECONNREFUSED")
    })
  )

  it.live("reads a kilobyte of a 10 MB answer and hangs up", () =>
    Effect.gen(function* () {
      let sent = 0
      const { outcome, answer } = yield* answered((_, response) => {
        response.writeHead(200)
        const chunk = Buffer.alloc(64 * 1024, "x")
        const write = async (): Promise<void> => {
          while (sent < 10_000_000 && !response.destroyed) {
            sent += chunk.length
            if (!response.write(chunk)) await new Promise((resolve) => response.once("drain", resolve))
            await sleep(0)
          }
          response.end()
        }
        write().catch(() => {})
      })
      assert.strictEqual(outcome._tag, "Delivered")
      assert.strictEqual(answer, "x".repeat(1024))
      yield* Effect.sleep(100)
      assert.isBelow(sent, 9_000_000)
    })
  )

  it.live("takes a status for an answer although its body never ends", () =>
    Effect.gen(function* () {
      const result = yield* answered((_, response) => {
        response.writeHead(200)
        response.write("drip")
      }, 3_000)
      assert.strictEqual(result.outcome._tag, "Delivered")
      assert.strictEqual(result.answer, "drip")
    })
  )

  it.live("keeps an answer that is no text as text that a store can hold", () =>
    Effect.gen(function* () {
      const { answer } = yield* answered((_, response) => {
        response.end(Buffer.from([0x61, 0x00, 0xff, 0xc3]))
      })
      assert.strictEqual(answer, "a\ufffd\ufffd\ufffd")
    })
  )

  it.live("trusts a certificate of an authority that it knows", () =>
    Effect.gen(function* () {
      const { port } = yield* startWebServer(status(200), certificate(["hooks.example"]))
      const { outcome } = yield* attempt(`https://hooks.example:${port}/`)
      assert.deepStrictEqual(outcome, { _tag: "Delivered" })
    })
  )

  it.live.each([
    ["another host", certificate(["other.example"])],
    ["the past", certificate(["hooks.example"], { from: new Date("2020-01-01"), to: new Date("2021-01-01") })]
  ] as const)("does not trust a certificate for %s", ([, wrong]) =>
    Effect.gen(function* () {
      const { port, received } = yield* startWebServer(status(200), wrong)
      const { outcome, status: code } = yield* attempt(`https://hooks.example:${port}/`)
      assert.strictEqual(outcome._tag, "Failed")
      assert.isNull(code)
      assert.lengthOf(received, 0)
    })
  )

  it.live("does not send to an address that may not be called", () =>
    Effect.gen(function* () {
      const { port, received } = yield* startWebServer(status(200))
      const strict = Layer.merge(OutboundGuard.layer({ allow: [], http: true }), Sha256.layer)
      const { outcome, error } = yield* Effect.gen(function* () {
        const sender = yield* WebhookSender
        return yield* sender.send({ url: `http://127.0.0.1:${port}/`, secrets: [secret] }, message)
      }).pipe(Effect.provide(WebhookSender.layer.pipe(Layer.provide(strict))))
      assert.strictEqual(outcome._tag, "Failed")
      assert.match(error ?? "", /^127\.0\.0\.1: is not a public address; .*CAIRN_OUTBOUND_ALLOW$/)
      assert.lengthOf(received, 0)
    })
  )
})
