import { AlertConsumer } from "@cairn/core/alert"
import { Micros } from "@cairn/core/encoding"
import { SecretBox } from "@cairn/core/hashing"
import { activeSecrets, Outbox, Webhooks } from "@cairn/core/outbound"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Result } from "effect"
import { makeKey, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const WEBHOOKS = "/api/v1/webhooks"
const DELIVERIES = "/api/v1/deliveries"
const URL = "https://hooks.example.com/services/T0/secret-path"

interface Webhook {
  readonly id: string
  readonly url: string
  readonly enabled: boolean
  readonly disabled_reason: string | null
  readonly failing_since: string | null
  readonly secret?: string
  readonly updated_at: string
}
interface Delivery {
  readonly id: string
  readonly target: string
  readonly type: string
  readonly status: string
  readonly attempts: number
}
interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly pagination: {
    readonly has_more: boolean
    readonly next_cursor: string | null
    readonly total: number
  }
}

const toldText = (key: string) =>
  Effect.gen(function* () {
    yield* sequence
    return (yield* send({ path: "/api/v1/events?action=cairn.*&limit=100", key })).text
  })

const told = (key: string) =>
  Effect.map(toldText(key), (text) =>
    (
      JSON.parse(text) as { data: Array<{ action: string; metadata: Record<string, unknown> }> }
    ).data.toReversed()
  )

const create = (key: string, body: unknown = { url: URL }) => send({ path: WEBHOOKS, key, body })
const webhook = (key: string, body?: unknown) =>
  Effect.map(create(key, body), (answer) => answer.json<{ data: Webhook }>().data)
const patch = (key: string, id: string, body: unknown) =>
  send({ path: `${WEBHOOKS}/${id}`, method: "PATCH", key, body })
const post = (key: string, path: string) => send({ path, method: "POST", key })

describe("/api/v1/webhooks", () => {
  it.live("shows the secret of a new webhook this once, and keeps it sealed", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const answer = yield* create(key)
      assert.strictEqual(answer.status, 201)
      const { secret, ...rest } = answer.json<{ data: Webhook }>().data
      assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.match(rest.id, /^whk_/)
      assert.deepStrictEqual((yield* send({ path: `${WEBHOOKS}/${rest.id}`, key })).json(), { data: rest })
      assert.notInclude((yield* send({ path: WEBHOOKS, key })).text, "whsec_")
      const stored = Option.getOrThrow(
        yield* Effect.flatMap(Webhooks, (webhooks) => webhooks.get(workspace.id, rest.id))
      )
      assert.notInclude(JSON.stringify(stored), String(secret).slice(6))
      const { open } = yield* SecretBox
      assert.deepStrictEqual(
        stored.secrets.map(({ sealed }) => open(sealed, rest.id)),
        [Result.succeed(String(secret))]
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is told everything unless it says what, and tells the log neither secret nor path", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const { data } = (yield* create(key)).json<{ data: Record<string, unknown> }>()
      assert.deepStrictEqual(data.types, [
        "alert.triggered",
        "anchor.confirmed",
        "checkpoint.signed",
        "export.completed",
        "export.failed",
        "chain.broken"
      ])
      yield* create(key, { url: URL, types: ["chain.broken", "chain.broken"], description: "Pager" })
      const events = yield* told(key)
      assert.deepStrictEqual(events[1]?.metadata, {
        url: "https://hooks.example.com",
        description: "Pager",
        types: ["chain.broken"],
        enabled: true
      })
      const text = yield* toldText(key)
      assert.notInclude(text, "whsec_")
      assert.notInclude(text, "secret-path")
    }).pipe(Effect.provide(testServer()))
  )

  it.live("refuses what is wrong with 422 and its path", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const cases: ReadonlyArray<readonly [unknown, string, string?]> = [
        [{}, "url"],
        [{ url: "ftp://example.com" }, "url", "CAIRN_OUTBOUND_HTTP=true"],
        [{ url: "not a url" }, "url"],
        [{ url: "http://[::ffff:10.0.0.1]/" }, "url"],
        [{ url: "https://169.254.169.254/latest" }, "url", "CAIRN_OUTBOUND_ALLOW"],
        [{ url: "https://user:password@example.com/" }, "url"],
        [{ url: `https://example.com/${"x".repeat(2048)}` }, "url"],
        [{ url: URL, types: [] }, "types"],
        [{ url: URL, types: ["alert.triggered", "webhook.test"] }, "types\\[1\\]"],
        [{ url: URL, description: "x".repeat(1025) }, "description"],
        [{ url: URL, enabled: 1 }, "enabled"]
      ]
      for (const [body, path, variable = ""] of cases) {
        const answer = yield* create(key, body)
        assert.strictEqual(answer.status, 422, JSON.stringify(body))
        assert.match(
          String(answer.json().message),
          new RegExp(`^${path}:? .*${variable}`),
          JSON.stringify(body)
        )
      }
      assert.strictEqual((yield* send({ path: WEBHOOKS, key })).json<Page<Webhook>>().pagination.total, 0)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("are fifty at most, on or off, and one more once one is deleted", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const first = yield* webhook(key)
      yield* Effect.forEach(Array.from({ length: 49 }), () => webhook(key, { url: URL, enabled: false }))
      const refused = yield* create(key)
      assert.strictEqual(refused.status, 409)
      assert.deepStrictEqual(refused.json(), {
        error: "conflict",
        message: "a workspace has at most 50 webhooks; delete one to make room"
      })
      const made = (yield* told(key)).filter(({ action }) => action === "cairn.webhook.created")
      assert.lengthOf(made, 50)
      assert.strictEqual((yield* create((yield* makeTenant()).key)).status, 201)
      yield* send({ path: `${WEBHOOKS}/${first.id}`, method: "DELETE", key })
      assert.strictEqual((yield* create(key)).status, 201)
      assert.strictEqual((yield* create(key)).status, 409)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("that was disabled has a clean slate once it is switched on again", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const { id } = yield* webhook(key)
      yield* Effect.flatMap(Webhooks, (webhooks) =>
        webhooks.modify(workspace.id, id, (current) =>
          Result.succeed({
            ...current,
            enabled: false,
            disabled_reason: "failing" as const,
            failing_since: 5
          })
        )
      )
      const off = (yield* send({ path: `${WEBHOOKS}/${id}`, key })).json<{ data: Webhook }>().data
      assert.deepInclude(off, { enabled: false, disabled_reason: "failing" })
      assert.isString(off.failing_since)
      const on = (yield* patch(key, id, { enabled: true })).json<{ data: Webhook }>().data
      assert.deepInclude(on, { enabled: true, disabled_reason: null, failing_since: null })
      assert.notStrictEqual(on.updated_at, off.updated_at)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("changes what is named, and tells the log that a path changed without telling it", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const { id } = yield* webhook(key)
      const answer = yield* patch(key, id, { url: "https://hooks.example.com/other" })
      assert.deepInclude(answer.json<{ data: Webhook }>().data, { url: "https://hooks.example.com/other" })
      yield* patch(key, id, {})
      const changes = (yield* told(key)).filter(({ action }) => action === "cairn.webhook.updated")
      assert.deepStrictEqual(
        changes.map(({ metadata }) => metadata),
        [{ changed: { url: { from: "https://hooks.example.com", to: "https://hooks.example.com" } } }]
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("has two secrets that sign for a day after one was replaced", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const { id, secret: first } = yield* webhook(key)
      const answer = yield* post(key, `${WEBHOOKS}/${id}/rotate-secret`)
      assert.strictEqual(answer.status, 200)
      const { secret: second } = answer.json<{ data: Webhook }>().data
      assert.notStrictEqual(second, first)
      const stored = Option.getOrThrow(
        yield* Effect.flatMap(Webhooks, (webhooks) => webhooks.get(workspace.id, id))
      )
      const { open } = yield* SecretBox
      const opened = (at: Micros.Micros) =>
        activeSecrets(stored.secrets, at).map(({ sealed }) => Result.getOrThrow(open(sealed, id)))
      const now = yield* Micros.now
      assert.deepStrictEqual(opened(now), [second, first])
      assert.deepStrictEqual(opened(now + Micros.DAY), [second])
      assert.include(
        (yield* told(key)).map(({ action }) => action),
        "cairn.webhook.secret_rotated"
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("that is deleted is gone, and so is another workspace's", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const other = yield* makeTenant()
      const { id } = yield* webhook(key)
      for (const path of ["", "/deliveries"])
        assert.strictEqual((yield* send({ path: `${WEBHOOKS}/${id}${path}`, key: other.key })).status, 404)
      for (const path of ["/test", "/rotate-secret"])
        assert.strictEqual((yield* post(other.key, `${WEBHOOKS}/${id}${path}`)).status, 404)
      const gone = yield* send({ path: `${WEBHOOKS}/${id}`, method: "DELETE", key })
      assert.strictEqual(gone.status, 200)
      assert.strictEqual((yield* send({ path: `${WEBHOOKS}/${id}`, key })).status, 404)
      assert.strictEqual((yield* send({ path: `${WEBHOOKS}/${id}`, method: "DELETE", key })).status, 404)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("deliveries", () => {
  it.live("tell of a test and of an alert, newest first, with what they say and what came of it", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const { id } = yield* webhook(key)
      yield* send({
        path: "/api/v1/alert-rules",
        key,
        body: { name: "Twice", rule_type: "repeated_action", parameters: { threshold: 2 } }
      })
      const test = yield* post(key, `${WEBHOOKS}/${id}/test?wait=1`)
      assert.strictEqual(test.status, 202)
      const sent = test.json<{ data: Delivery }>().data
      assert.deepInclude(sent, { target: id, type: "webhook.test", status: "pending", attempts: 0 })
      for (const _ of [1, 2])
        yield* send({ path: "/api/v1/events", key, body: { actor_id: "ada", action: "a.b" } })
      yield* sequence
      yield* Effect.flatMap(AlertConsumer, ({ drain }) => Effect.orDie(drain))

      const first = (yield* send({ path: `${WEBHOOKS}/${id}/deliveries?limit=1`, key })).json<
        Page<Delivery>
      >()
      assert.strictEqual(first.pagination.total, 2)
      assert.strictEqual(first.data[0]?.type, "alert.triggered")
      const cursor = first.pagination.next_cursor ?? ""
      const rest = (yield* send({ path: `${DELIVERIES}?limit=1&cursor=${cursor}`, key })).json<
        Page<Delivery>
      >()
      assert.deepStrictEqual(rest.data, [sent])
      assert.isFalse(rest.pagination.has_more)
      const failed = (yield* send({ path: `${DELIVERIES}?status=failed`, key })).json<Page<Delivery>>()
      assert.deepStrictEqual(failed.data, [])
      assert.strictEqual((yield* send({ path: `${DELIVERIES}?status=lost`, key })).status, 400)

      // The worker's part, by hand.
      const outbox = yield* Outbox
      const at = yield* Micros.now
      const claimed = yield* outbox.claim({
        channel: "webhook",
        shares: (yield* outbox.receivers("webhook", at)).map((receiver) => ({ ...receiver, limit: 10 })),
        now: at,
        until: at + Micros.MINUTE,
        claim: "test"
      })
      const mine = claimed.find((delivery) => delivery.id === sent.id)
      assert.isDefined(mine)
      if (mine === undefined) return
      yield* outbox.settle(mine, {
        attempt: { started_at: at, duration: 12, status: 500, answer: "sorry", error: null },
        status: "failed",
        dueAt: null
      })
      const detail = (yield* send({ path: `${DELIVERIES}/${sent.id}`, key })).json<{
        data: Delivery & { payload: string; log: unknown }
      }>().data
      assert.deepInclude(detail, { status: "failed", attempts: 1 })
      assert.deepInclude(JSON.parse(detail.payload), { type: "webhook.test" })
      assert.deepStrictEqual(detail.log, [
        { started_at: Micros.format(at), duration_ms: 12, status: 500, answer: "sorry", error: null }
      ])

      const again = yield* post(key, `${DELIVERIES}/${sent.id}/redeliver`)
      assert.strictEqual(again.status, 202)
      assert.deepInclude(again.json<{ data: Delivery }>().data, { status: "pending", attempts: 0 })
      const alert = first.data[0]?.id ?? ""
      yield* patch(key, id, { enabled: false })
      assert.strictEqual((yield* post(key, `${DELIVERIES}/${alert}/redeliver`)).status, 409)
      yield* send({ path: `${WEBHOOKS}/${id}`, method: "DELETE", key })
      assert.strictEqual((yield* post(key, `${DELIVERIES}/${sent.id}/redeliver`)).status, 409)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("of a test say at once what the receiver answered", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const { id } = yield* webhook(key)
      for (const wait of ["0", "21", "x"])
        assert.strictEqual((yield* post(key, `${WEBHOOKS}/${id}/test?wait=${wait}`)).status, 400)
      const asked = yield* Effect.forkChild(post(key, `${WEBHOOKS}/${id}/test?wait=20`))
      const outbox = yield* Outbox
      // The worker's part, by hand.
      const claim = Effect.gen(function* () {
        while (true) {
          const now = yield* Micros.now
          const shares = (yield* outbox.receivers("webhook", now)).map((one) => ({ ...one, limit: 10 }))
          const until = now + Micros.MINUTE
          const claimed = yield* outbox.claim({ channel: "webhook", shares, now, until, claim: "test" })
          const mine = claimed.find(({ target }) => target === id)
          if (mine !== undefined) return mine
          yield* Effect.sleep("20 millis")
        }
      })
      const at = yield* Micros.now
      yield* outbox.settle(yield* claim, {
        attempt: { started_at: at, duration: 12, status: 418, answer: "a teapot", error: null },
        status: "failed",
        dueAt: null
      })
      const answer = yield* Fiber.join(asked)
      assert.strictEqual(answer.status, 202)
      assert.deepInclude(answer.json<{ data: Delivery & { attempt: unknown } }>().data, {
        status: "failed",
        attempt: {
          started_at: Micros.format(at),
          duration_ms: 12,
          status: 418,
          answer: "a teapot",
          error: null
        }
      })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("are for keys with the scope admin, and each workspace sees its own", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      const other = yield* makeTenant()
      const { id } = yield* webhook(key)
      const delivery = (yield* post(key, `${WEBHOOKS}/${id}/test?wait=1`)).json<{ data: Delivery }>().data
      const reader = yield* makeKey(workspace.id, ["read"])
      assert.strictEqual((yield* send({ path: DELIVERIES, key: reader.key })).status, 403)
      assert.strictEqual((yield* send({ path: WEBHOOKS, key: reader.key })).status, 403)
      assert.strictEqual((yield* send({ path: `${DELIVERIES}/${delivery.id}`, key: other.key })).status, 404)
      assert.strictEqual((yield* post(other.key, `${DELIVERIES}/${delivery.id}/redeliver`)).status, 404)
      const listed = (yield* send({ path: DELIVERIES, key: other.key })).json<Page<Delivery>>()
      assert.deepStrictEqual(listed.data, [])
    }).pipe(Effect.provide(testServer()))
  )
})
