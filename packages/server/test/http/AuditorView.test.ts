/** What an auditor sees of what leaves the service, and which mails nobody sends again. */
import { Micros } from "@cairn/core/encoding"
import { Outbox } from "@cairn/core/outbound"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { shownFault } from "../../src/http/endpoints/DeliveryViews.ts"
import { signedIn } from "./SignedIn.ts"
import { makeTenant, send, testServer } from "./TestServer.ts"

const DELIVERIES = "/api/v1/deliveries"
const SECRET = "s3cr3t-path"

interface Listed {
  readonly data: ReadonlyArray<{ readonly id: string; readonly type: string }>
}

describe("An auditor", () => {
  it.live("sees where messages go and how they end, and none of what may be secret there", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const auditor = yield* signedIn(workspace.id, "auditor")
      const developer = yield* signedIn(workspace.id, "developer")
      const made = yield* send({
        path: "/api/v1/webhooks",
        headers: developer.headers,
        body: { url: `http://127.0.0.1:9/${SECRET}`, types: ["alert.triggered"] }
      })
      const { id } = made.json<{ data: { id: string } }>().data
      // Nothing delivers here, so the answer comes only after ten seconds: what it would send is enough.
      yield* Effect.forkScoped(
        send({ method: "POST", path: `/api/v1/webhooks/${id}/test`, headers: developer.headers })
      )
      yield* send({
        path: "/api/v1/log-streams",
        headers: developer.headers,
        body: { name: "SIEM", destination: { type: "https", url: `http://127.0.0.1:9/${SECRET}` } }
      })
      const outbox = yield* Outbox
      const shares = [{ workspaceId: workspace.id, target: id, limit: 10 }]
      const claim = Effect.flatMap(Micros.now, (now) =>
        outbox.claim({ channel: "webhook", shares, now, until: now + 1, claim: "test" })
      )
      const [mine] = yield* Effect.repeat(claim, {
        until: (claimed) => claimed.length > 0,
        schedule: Schedule.spaced(20)
      })
      const at = yield* Micros.now
      assert.isDefined(mine)
      if (mine === undefined) return
      yield* outbox.settle(mine, {
        attempt: { started_at: at, duration: 12, status: 500, answer: SECRET, error: SECRET },
        status: "failed",
        dueAt: null
      })
      const paths = [
        "/api/v1/webhooks",
        `/api/v1/webhooks/${id}`,
        `/api/v1/webhooks/${id}/deliveries`,
        DELIVERIES,
        `${DELIVERIES}/${mine.id}`,
        "/api/v1/log-streams"
      ]
      let hidden = 0
      for (const path of paths) {
        const shown = yield* send({ path, headers: auditor.headers })
        assert.strictEqual(shown.status, 200, path)
        assert.notInclude(shown.text, SECRET, path)
        if ((yield* send({ path, headers: developer.headers })).text.includes(SECRET)) hidden++
      }
      assert.strictEqual(hidden, 4)
      const detail = yield* send({ path: `${DELIVERIES}/${mine.id}`, headers: auditor.headers })
      const [attempt] = detail.json<{ data: { log: ReadonlyArray<object> } }>().data.log
      assert.deepInclude(attempt, { status: 500, answer: "" })
      // That a stream is down is no secret; why is.
      assert.isNull(shownFault(null, false))
      assert.notInclude(shownFault(SECRET, false), SECRET)
      assert.strictEqual(shownFault(SECRET, true), SECRET)
    }).pipe(Effect.scoped, Effect.provide(testServer()))
  )
})

describe("An invitation", () => {
  it.live("is not sent again as it was: only a new one, with a link of its own", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* send({ path: "/api/v1/members", key, body: { email: "ada@example.com" } })
      const [delivery] = (yield* send({ path: DELIVERIES, key })).json<Listed>().data
      assert.strictEqual(delivery?.type, "mail.invitation")
      const again = yield* send({ method: "POST", path: `${DELIVERIES}/${delivery?.id}/redeliver`, key })
      assert.strictEqual(again.status, 409)
      assert.match(String(again.json().message), /members\/\{id\}\/invite/)
    }).pipe(Effect.provide(testServer({ mail: true })))
  )

  it.live("of one workspace keeps no other from inviting, and each sends fifty an hour", () =>
    Effect.gen(function* () {
      const one = yield* makeTenant()
      const other = yield* makeTenant()
      const add = (key: string, email: string) => send({ path: "/api/v1/members", key, body: { email } })
      const invited = (key: string) =>
        Effect.map(
          send({ path: `${DELIVERIES}?limit=100`, key }),
          (answer) => answer.json<Listed>().data.filter(({ type }) => type === "mail.invitation").length
        )
      for (let count = 0; count < 7; count++) {
        const made = yield* add(one.key, "ada@example.com")
        const { id } = made.json<{ data: { id: string } }>().data
        yield* send({ method: "DELETE", path: `/api/v1/members/${id}`, key: one.key })
      }
      assert.strictEqual(yield* invited(one.key), 5)
      yield* add(other.key, "ada@example.com")
      assert.strictEqual(yield* invited(other.key), 1)
      for (let count = 5; count < 52; count++)
        assert.strictEqual((yield* add(one.key, `${count}@example.com`)).status, 201)
      assert.strictEqual(yield* invited(one.key), 50)
    }).pipe(Effect.provide(testServer({ mail: true })))
  )
})
