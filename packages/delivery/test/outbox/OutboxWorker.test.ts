import { createServer } from "node:net"
import { Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { SecretBox, Sha256 } from "@cairn/core/hashing"
import { ClockAhead, ClockGuard, MeterSet, Meters } from "@cairn/core/log"
import {
  Outbox,
  RETRY_DELAYS,
  rotatedSecrets,
  SECRET_OVERLAP,
  switched,
  testDelivery,
  verifyWebhookSignature,
  Webhooks
} from "@cairn/core/outbound"
import { meteredValue } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Result, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { Mailer } from "../../src/mail/Mailer.ts"
import { OutboxWorker } from "../../src/outbox/OutboxWorker.ts"
import { StreamWorker } from "../../src/stream/StreamWorker.ts"
import { WebhookSender } from "../../src/webhook/WebhookSender.ts"
import {
  addStream,
  addWebhook,
  logLines,
  makeWorkspace,
  putMailDelivery,
  putWebhookDelivery,
  readDelivery,
  readWebhook,
  storage,
  WORKSPACE
} from "../fixtures/Workspace.ts"
import { startMailServer } from "../peers/MailServer.ts"
import { type Answer, startWebServer, status } from "../peers/WebServer.ts"

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const old = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"

const streamWorker = StreamWorker.layer({ folder: null, timeout: 2_000, mail: false })

const worker = (mailer: Layer.Layer<Mailer> = Mailer.layerNone) =>
  OutboxWorker.layer({ mail: true }).pipe(
    Layer.provide([WebhookSender.layerWith(2_000), mailer, streamWorker]),
    Layer.provideMerge(storage)
  )

type Services = Layer.Success<ReturnType<typeof worker>>

/** A test in a workspace of its own, at a clock that stands. */
const test = <A, E>(
  says: string,
  effect: Effect.Effect<A, E, Services | Scope.Scope>,
  mailer?: Layer.Layer<Mailer>
): void =>
  it.effect(says, () =>
    Effect.andThen(makeWorkspace, effect).pipe(
      Effect.provide(worker(mailer)),
      Effect.provideService(Meters, new MeterSet())
    )
  )

/** What the metrics say of the attempts of a channel: delivered, retried and failed. */
const metered = (channel: string) =>
  Effect.forEach(["delivered", "retried", "failed"], (outcome) =>
    meteredValue("cairn_deliveries_total", { channel, outcome })
  )

/** One look at the outbox. */
const deliver = Effect.flatMap(OutboxWorker, (outbox) => outbox.deliver)

/**
 * Looks again at each moment at which something is due, until nothing waits or the day given has passed; the
 * moments.
 */
const deliverUntil = Effect.fnUntraced(function* (end: Micros.Micros) {
  const outbox = yield* Outbox
  const moments: Array<Micros.Micros> = []
  for (;;) {
    const due = yield* outbox.nextDue
    if (due === null || due > end) return moments
    yield* TestClock.setTime(Math.ceil(due / 1_000))
    moments.push(yield* Micros.now)
    yield* deliver
  }
})

/** A webhook at a server that answers so. */
const answering = Effect.fnUntraced(function* (answer: Answer, id = "whk_1") {
  const server = yield* startWebServer(answer)
  yield* addWebhook(id, `http://127.0.0.1:${server.port}/hook`, [[secret, null]])
  return server
})

const hang: Answer = () => {}

const HOUR = 60 * Micros.MINUTE

describe("OutboxWorker: webhooks", () => {
  test(
    "a message arrives once, as it was stored, and the attempt is kept",
    Effect.gen(function* () {
      const { received } = yield* answering(status(200, {}, "thanks"))
      yield* putWebhookDelivery("dlv_1", "whk_1", '{"día":"😀"}')
      assert.strictEqual(yield* deliver, 1)
      assert.strictEqual(yield* deliver, 0)
      assert.lengthOf(received, 1)
      assert.deepStrictEqual(yield* metered("webhook"), [1, 0, 0])
      assert.strictEqual(received[0]?.body.toString("utf8"), '{"día":"😀"}')
      assert.strictEqual(received[0]?.headers["webhook-id"], "dlv_1")
      const delivery = yield* readDelivery("dlv_1")
      assert.deepInclude(delivery, { status: "delivered", attempts: 1, dueAt: null })
      assert.deepStrictEqual(
        delivery.made.map(({ status: code, answer, error }) => ({ code, answer, error })),
        [{ code: 200, answer: "thanks", error: null }]
      )
    })
  )

  test(
    "while a secret is being replaced both sign, afterwards the new one alone",
    Effect.gen(function* () {
      const { received, port } = yield* startWebServer(status(204))
      yield* addWebhook("whk_1", `http://127.0.0.1:${port}/`, [[old, null]])
      const { seal } = yield* SecretBox
      yield* Effect.flatMap(Webhooks, ({ modify }) =>
        modify(WORKSPACE, "whk_1", (webhook) =>
          Result.succeed({ ...webhook, secrets: rotatedSecrets(webhook.secrets, seal(secret, "whk_1"), 0) })
        )
      )
      const sha256 = yield* Sha256
      const accepted = Effect.fnUntraced(function* (id: string) {
        yield* putWebhookDelivery(id, "whk_1", "{}")
        yield* deliver
        const { headers = {}, body = Buffer.from("") } = received.at(-1) ?? {}
        // The library checks the time against the real clock, and the test's stands elsewhere.
        const check = (each: string): boolean => {
          const time = Number(headers["webhook-timestamp"])
          const expected = new StandardWebhook(each).sign(id, new Date(time * 1_000), body.toString())
          return (headers["webhook-signature"] ?? "").split(" ").includes(expected)
        }
        return [secret, old].map((each) => [
          check(each),
          verifyWebhookSignature(sha256, each, body.toString(), headers["x-cairn-signature"] ?? "")
        ])
      })
      yield* TestClock.setTime(SECRET_OVERLAP / 1_000 - 1)
      assert.deepStrictEqual(yield* accepted("dlv_1"), [
        [true, true],
        [true, true]
      ])
      yield* TestClock.setTime(SECRET_OVERLAP / 1_000)
      assert.deepStrictEqual(yield* accepted("dlv_2"), [
        [true, true],
        [false, false]
      ])
    })
  )

  test(
    "a message that fails is tried by the schedule, eight times in all, and kept",
    Effect.gen(function* () {
      const { received } = yield* answering(status(500, {}, "no"))
      yield* putWebhookDelivery("dlv_1", "whk_1")
      const moments = yield* deliverUntil(5 * Micros.DAY)
      assert.lengthOf(received, 8)
      assert.deepStrictEqual(yield* metered("webhook"), [0, 7, 1])
      for (const [index, moment] of moments.entries()) {
        const wait = moment - (moments[index - 1] ?? 0)
        const delay = RETRY_DELAYS[index] ?? Number.NaN
        assert.isAtLeast(wait, delay, `attempt ${index}`)
        assert.isAtMost(wait, delay * 1.2 + 2_000, `attempt ${index}`)
      }
      const delivery = yield* readDelivery("dlv_1")
      assert.deepInclude(delivery, { status: "failed", attempts: 8, dueAt: null })
      assert.deepStrictEqual(
        delivery.made.map((attempt) => [attempt.status, attempt.answer]),
        Array.from({ length: 8 }, () => [500, "no"])
      )
      assert.strictEqual((yield* readWebhook("whk_1")).failing_since !== null, true)
      assert.isTrue((yield* readWebhook("whk_1")).enabled, "not yet for five days")
    })
  )

  test(
    "a receiver's Retry-After is waited for",
    Effect.gen(function* () {
      yield* answering(status(429, { "retry-after": "600" }))
      yield* putWebhookDelivery("dlv_1", "whk_1")
      yield* deliver
      assert.isAtLeast((yield* readDelivery("dlv_1")).dueAt ?? 0, 600 * Micros.SECOND)
    })
  )

  test(
    "nothing at all at the other end is a failed attempt like any other",
    Effect.gen(function* () {
      yield* addWebhook("whk_1", "http://127.0.0.1:1/", [[secret, null]])
      yield* putWebhookDelivery("dlv_1", "whk_1")
      yield* deliver
      const { status: stands, made } = yield* readDelivery("dlv_1")
      assert.strictEqual(stands, "pending")
      assert.isNull(made[0]?.status)
      assert.match(made[0]?.error ?? "", /ECONNREFUSED/)
    })
  )

  test(
    "410 switches the webhook off, tells the admins once, and the rest of its messages wait for a hand",
    Effect.gen(function* () {
      const { received } = yield* answering(status(410))
      for (const id of ["dlv_1", "dlv_2", "dlv_3"]) yield* putWebhookDelivery(id, "whk_1")
      yield* deliver
      yield* putWebhookDelivery("dlv_4", "whk_1")
      yield* deliver
      assert.lengthOf(received, 3)
      assert.deepInclude(yield* readWebhook("whk_1"), { enabled: false, disabled_reason: "gone" })
      const late = yield* readDelivery("dlv_4")
      assert.deepInclude(late, { status: "failed", attempts: 0, made: [] })
      const outbox = yield* Outbox
      const mails = yield* outbox.page(WORKSPACE, { filter: { channel: "mail" }, before: null, limit: 9 })
      assert.deepStrictEqual(
        mails.map(({ target, type }) => [target, type]),
        [["owner@example.com", "mail.webhook_disabled"]]
      )
    })
  )

  test(
    "a webhook that was switched on again while a message was under way stays on",
    Effect.gen(function* () {
      const { modify } = yield* Webhooks
      const on = modify(WORKSPACE, "whk_1", (webhook) => Result.succeed(switched(webhook, true, 5)))
      yield* answering((request, response, raw) => {
        void Effect.runPromise(on).then(() => status(410)(request, response, raw))
      })
      yield* putWebhookDelivery("dlv_1", "whk_1")
      yield* deliver
      assert.deepInclude(yield* readWebhook("whk_1"), { enabled: true, disabled_reason: null })
    })
  )

  test(
    "five days of failure switch the webhook off and tell the admins once; one success in between begins them anew",
    Effect.gen(function* () {
      let code = 500
      yield* answering((request, response, raw) => status(code)(request, response, raw))
      const failAt = Effect.fnUntraced(function* (at: Micros.Micros) {
        yield* TestClock.setTime(at / 1_000)
        yield* putWebhookDelivery(`dlv_${at}`, "whk_1")
        yield* deliver
        return (yield* readWebhook("whk_1")).enabled
      })
      assert.isTrue(yield* failAt(0))
      assert.isTrue(yield* failAt(5 * Micros.DAY - HOUR))
      code = 200
      assert.isTrue(yield* failAt(5 * Micros.DAY - Micros.MINUTE))
      assert.isNull((yield* readWebhook("whk_1")).failing_since)
      code = 500
      assert.isTrue(yield* failAt(5 * Micros.DAY))
      assert.isTrue(yield* failAt(10 * Micros.DAY - Micros.SECOND))
      assert.isFalse(yield* failAt(10 * Micros.DAY + Micros.SECOND))
      assert.deepInclude(yield* readWebhook("whk_1"), { disabled_reason: "failing" })
      assert.strictEqual(
        yield* Effect.flatMap(Outbox, ({ count }) => count(WORKSPACE, { channel: "mail" })),
        1
      )
      yield* Effect.flatMap(Webhooks, ({ modify }) =>
        modify(WORKSPACE, "whk_1", (webhook) => Result.succeed(switched(webhook, true, 10 * Micros.DAY)))
      )
      assert.isTrue(yield* failAt(10 * Micros.DAY + HOUR), "a clean slate")
    })
  )

  test(
    "a message to a webhook that is gone is given up; a test reaches one that is off",
    Effect.gen(function* () {
      const server = yield* answering(status(200))
      yield* Effect.flatMap(Webhooks, ({ modify }) =>
        modify(WORKSPACE, "whk_1", (webhook) => Result.succeed(switched(webhook, false, 1)))
      )
      yield* putWebhookDelivery("dlv_1", "whk_none")
      yield* putWebhookDelivery("dlv_2", "whk_1")
      const test = testDelivery(yield* readWebhook("whk_1"), "dlv_3", 0)
      yield* Effect.flatMap(Outbox, ({ put }) => put([test]))
      yield* deliver
      assert.strictEqual((yield* readDelivery("dlv_1")).status, "failed")
      assert.strictEqual((yield* readDelivery("dlv_2")).status, "failed")
      assert.strictEqual((yield* readDelivery("dlv_3")).status, "delivered")
      assert.lengthOf(server.received, 1)
      assert.deepStrictEqual(JSON.parse(server.received[0]?.body.toString("utf8") ?? ""), {
        type: "webhook.test",
        timestamp: Micros.format(0),
        data: { message: "This is a test." }
      })
    })
  )

  test(
    "a test of a stream is tried once, and keeps what its destination said; the stream learns nothing of it",
    Effect.gen(function* () {
      const echo: Answer = ({ headers }, response) => {
        const said = `no: ${headers.authorization} hunter2 ${"x".repeat(2_000)}`
        response.writeHead(418).end(said)
      }
      const basic = `Basic ${btoa("cairn:hunter2")}`
      const [refusing, taking] = [
        yield* startWebServer(echo),
        yield* startWebServer(status(200, {}, "thanks\0"))
      ]
      const to = ({ port }: { readonly port: number }) => ({
        type: "https",
        url: `http://127.0.0.1:${port}/logs`
      })
      yield* addStream("str_1", to(refusing), { enabled: false }, { authorization: basic })
      yield* addStream("str_2", to(taking))
      for (const target of ["str_1", "str_2", "str_none"])
        yield* Effect.flatMap(Outbox, ({ put }) =>
          put([
            {
              id: `dlv_${target}`,
              workspaceId: WORKSPACE,
              channel: "stream",
              target,
              type: "stream.test",
              payload: "",
              createdAt: 0
            }
          ])
        )
      yield* deliver
      assert.deepStrictEqual(yield* metered("stream"), [1, 0, 2])
      const told = yield* Effect.forEach(["1", "2", "none"], (name) => readDelivery(`dlv_str_${name}`))
      assert.deepStrictEqual(
        told.map(({ status, dueAt, made }) => [status, dueAt, made[0]?.status]),
        [
          ["failed", null, 418],
          ["delivered", null, 200],
          ["failed", null, undefined]
        ]
      )
      const [refused, taken] = told.map(({ made }) => made[0])
      assert.match(refused?.answer ?? "", /^no: \*\*\* \*\*\* x{900}/)
      assert.isAtMost(refused?.answer.length ?? 0, 1_024)
      assert.strictEqual(taken?.answer, "thanks\ufffd")
      assert.deepStrictEqual(JSON.parse(taking.received[0]?.body.toString("utf8") ?? ""), {
        type: "test",
        id: "dlv_str_2",
        sent_at: Micros.format(0),
        message: "This is a test."
      })
      assert.deepInclude(taking.received[0]?.headers, { "x-cairn-test": "dlv_str_2" })
      assert.deepStrictEqual(yield* Effect.flatMap(Consumers, ({ list }) => list(WORKSPACE)), [])
    }).pipe(Effect.scoped)
  )

  test(
    "the log has a line when a webhook begins to fail and one when it works again, whoever attempts it",
    Effect.gen(function* () {
      const { lines, layer } = logLines()
      const { modify } = yield* Webhooks
      yield* addWebhook("whk_1", "http://127.0.0.1:9/secret-path?token=secret", [[secret, null]])
      const send = (...ids: ReadonlyArray<string>) =>
        Effect.forEach(ids, (id) => putWebhookDelivery(id, "whk_1")).pipe(
          Effect.andThen(deliver),
          Effect.provide(layer)
        )
      // Two at a time, and the second time as after a restart.
      yield* send("dlv_1", "dlv_2")
      yield* send("dlv_3")
      const [begun, ...more] = lines
      assert.deepStrictEqual(more, [])
      assert.match(begun ?? "", /^WARN The webhook whk_1 began to fail: connect ECONNREFUSED .*"wsp_1"/)
      assert.notInclude(begun, "secret")
      const { port } = yield* startWebServer(status(200))
      yield* modify(WORKSPACE, "whk_1", (webhook) =>
        Result.succeed({ ...webhook, url: `http://127.0.0.1:${port}/` })
      )
      yield* TestClock.adjust("90 seconds")
      yield* send("dlv_4", "dlv_5")
      assert.deepStrictEqual(lines.slice(1), [
        'INFO The webhook whk_1 works again {"workspaceId":"wsp_1","seconds":90}'
      ])
    }).pipe(Effect.scoped)
  )

  test(
    "a secret that cannot be opened sends nothing unsigned: the message waits, and says why",
    Effect.gen(function* () {
      const server = yield* answering(status(200))
      yield* Effect.flatMap(Webhooks, ({ modify }) =>
        modify(WORKSPACE, "whk_1", (webhook) =>
          Result.succeed({
            ...webhook,
            secrets: [{ sealed: `v1.00000000.${"A".repeat(80)}`, expires_at: null }]
          })
        )
      )
      yield* putWebhookDelivery("dlv_1", "whk_1")
      yield* deliver
      const { status: stands, made } = yield* readDelivery("dlv_1")
      assert.strictEqual(stands, "pending")
      assert.match(made[0]?.error ?? "", /key 00000000/)
      assert.lengthOf(server.received, 0)
    })
  )

  test(
    "sent again by hand it arrives again under the same id",
    Effect.gen(function* () {
      const { received } = yield* answering(status(200))
      yield* putWebhookDelivery("dlv_1", "whk_1")
      yield* deliver
      yield* Effect.flatMap(Outbox, ({ redeliver }) => redeliver(WORKSPACE, "dlv_1", 0))
      yield* deliver
      assert.deepStrictEqual(
        received.map(({ headers }) => headers["webhook-id"]),
        ["dlv_1", "dlv_1"]
      )
      assert.lengthOf((yield* readDelivery("dlv_1")).made, 2)
    })
  )

  test(
    "many that look at once send each message once",
    Effect.gen(function* () {
      const { received } = yield* answering(status(200))
      for (let index = 0; index < 12; index++) yield* putWebhookDelivery(`dlv_${index}`, "whk_1")
      yield* Effect.all([deliver, deliver, deliver, deliver], { concurrency: "unbounded" })
      assert.strictEqual(new Set(received.map(({ headers }) => headers["webhook-id"])).size, received.length)
      assert.lengthOf(received, 12)
    })
  )

  it.live(
    "a receiver that never answers does not hold up the others, and what was under way is sent again",
    () =>
      Effect.gen(function* () {
        yield* makeWorkspace
        const [dead, well] = [yield* answering(hang, "whk_dead"), yield* answering(status(200), "whk_well")]
        for (let index = 0; index < 40; index++) yield* putWebhookDelivery(`dlv_d${index}`, "whk_dead")
        for (let index = 0; index < 40; index++) yield* putWebhookDelivery(`dlv_w${index}`, "whk_well")
        const running = yield* Effect.forkChild(Effect.flatMap(OutboxWorker, ({ run }) => run))
        yield* Effect.sleep(20).pipe(Effect.repeat({ until: () => well.received.length >= 40, times: 75 }))
        assert.lengthOf(well.received, 40)
        assert.isAtMost(dead.received.length, 2 * 4)
        yield* Fiber.interrupt(running)
        const interrupted = yield* readDelivery("dlv_d0")
        assert.strictEqual(interrupted.status, "pending")
        assert.isNotNull(interrupted.dueAt)
      }).pipe(Effect.scoped, Effect.provide(worker()))
  )

  it.live("while the clock runs ahead nothing is sent, and then what it has put off for a year", () => {
    let looks = 0
    const clock = Effect.suspend(() =>
      ++looks < 4 ? Effect.fail(new ClockAhead({ aheadSeconds: 31_536_000 })) : Micros.now
    )
    const ahead = OutboxWorker.layer({ mail: true }).pipe(
      Layer.provide([
        WebhookSender.layerWith(2_000),
        Mailer.layerNone,
        streamWorker,
        Layer.succeed(ClockGuard, { now: clock, reckoned: Micros.now })
      ]),
      Layer.provideMerge(storage)
    )
    return Effect.gen(function* () {
      yield* makeWorkspace
      const looksAtArrival: Array<number> = []
      const well = yield* answering((...exchange) => {
        looksAtArrival.push(looks)
        status(200)(...exchange)
      }, "whk_well")
      yield* putWebhookDelivery("dlv_now", "whk_well")
      const now = yield* Micros.now
      yield* Effect.flatMap(Outbox, ({ put }) =>
        put([
          {
            id: "dlv_year",
            workspaceId: WORKSPACE,
            channel: "webhook",
            target: "whk_well",
            type: "alert.triggered",
            payload: "{}",
            createdAt: now + 365 * Micros.DAY
          }
        ])
      )
      const running = yield* Effect.forkChild(Effect.flatMap(OutboxWorker, ({ run }) => run))
      yield* Effect.sleep(20).pipe(Effect.repeat({ until: () => well.received.length >= 2, times: 500 }))
      yield* Fiber.interrupt(running)
      assert.lengthOf(well.received, 2)
      assert.isTrue(looksAtArrival.every((count) => count >= 4))
    }).pipe(Effect.scoped, Effect.provide(ahead))
  })
})

/** A port of this machine at which nobody listens. */
const freePort = Effect.promise(
  () =>
    new Promise<number>((resolve) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const address = server.address()
        server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0))
      })
    })
)

const from = "Cairn <cairn@example.com>"

describe("OutboxWorker: mail", () => {
  it.effect("a mail server that is down for an hour loses nothing", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const mailer = Mailer.layer({ url: `smtp://127.0.0.1:${port}`, from, timeout: 2_000 })
      yield* Effect.gen(function* () {
        yield* makeWorkspace
        yield* putMailDelivery("dlv_1", "owner@example.com")
        yield* deliverUntil(HOUR)
        const waiting = yield* readDelivery("dlv_1")
        assert.strictEqual(waiting.status, "pending")
        assert.isAtLeast(waiting.made.length, 4)
        assert.match(waiting.made[0]?.error ?? "", /ECONNREFUSED/)
        const { delivered } = yield* startMailServer({ disabledCommands: ["STARTTLS"] }, port)
        yield* deliverUntil(Micros.DAY)
        assert.strictEqual((yield* readDelivery("dlv_1")).status, "delivered")
        assert.deepStrictEqual(yield* metered("mail"), [1, waiting.made.length, 0])
        assert.lengthOf(delivered, 1)
        assert.deepStrictEqual(delivered[0]?.recipients, ["owner@example.com"])
        assert.notInclude(
          (delivered[0]?.mail.headers ?? []).map(({ key }) => key.toLowerCase()),
          "bcc"
        )
        assert.include(delivered[0]?.mail.text ?? "", "ada performed user.login on Saturday")
      }).pipe(Effect.provide(worker(mailer)), Effect.provideService(Meters, new MeterSet()))
    })
  )

  it.effect(
    "one that takes its time is nobody else's meanwhile, and one of a process that died is within 15 seconds",
    () => {
      const sent: Array<string> = []
      const slow = Layer.succeed(Mailer, {
        send: ({ to }) => Effect.map(Effect.sleep("1 minute"), () => void sent.push(to))
      })
      return Effect.gen(function* () {
        yield* makeWorkspace
        yield* putMailDelivery("dlv_1", "owner@example.com")
        const outbox = yield* Outbox
        const claimedNow = Effect.gen(function* () {
          const now = yield* Micros.now
          const shares = (yield* outbox.receivers("mail", now)).map((one) => ({ ...one, limit: 9 }))
          return yield* outbox.claim({ channel: "mail", shares, now, until: now + 1, claim: "another" })
        })
        const first = yield* Effect.forkChild(deliver)
        for (let seconds = 0; seconds < 59; seconds++) {
          yield* TestClock.adjust("1 second")
          assert.deepStrictEqual(yield* claimedNow, [])
          assert.strictEqual(yield* meteredValue("cairn_deliveries_in_progress", { channel: "mail" }), 1)
        }
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(first)
        assert.deepStrictEqual(sent, ["owner@example.com"])
        assert.strictEqual((yield* readDelivery("dlv_1")).status, "delivered")

        yield* putMailDelivery("dlv_2", "owner@example.com")
        const dying = yield* Effect.forkChild(deliver)
        yield* TestClock.adjust("7 seconds")
        yield* Fiber.interrupt(dying)
        yield* TestClock.adjust("12 seconds")
        assert.deepStrictEqual(yield* claimedNow, [])
        yield* TestClock.adjust("1 second")
        assert.lengthOf(yield* claimedNow, 1)
      }).pipe(Effect.provide(worker(slow)), Effect.provideService(Meters, new MeterSet()))
    }
  )

  it.effect("an address that the server refuses for good is not tried again", () =>
    Effect.gen(function* () {
      const { port } = yield* startMailServer({
        disabledCommands: ["STARTTLS"],
        onRcptTo: (_, __, done) => done(Object.assign(new Error("no such user"), { responseCode: 550 }))
      })
      const mailer = Mailer.layer({ url: `smtp://127.0.0.1:${port}`, from, timeout: 2_000 })
      yield* Effect.gen(function* () {
        yield* makeWorkspace
        yield* putMailDelivery("dlv_1", "nobody@example.com")
        yield* deliver
        const { status: stands, made } = yield* readDelivery("dlv_1")
        assert.strictEqual(stands, "failed")
        assert.match(made[0]?.error ?? "", /no such user/)
        assert.deepStrictEqual(yield* metered("mail"), [0, 0, 1])
      }).pipe(Effect.provide(worker(mailer)), Effect.provideService(Meters, new MeterSet()))
    })
  )

  test(
    "without a mail server, mail waits for one",
    Effect.gen(function* () {
      yield* putMailDelivery("dlv_1", "owner@example.com")
      yield* deliver
      const { status: stands, made } = yield* readDelivery("dlv_1")
      assert.strictEqual(stands, "pending")
      assert.strictEqual(made[0]?.error, "no mail server is configured")
    })
  )
})
