import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { EVENT, makeTenant, send, sequence, testServer } from "./TestServer.ts"

/** What two requests at once may not both make, and the action that records it. */
const RIVALS: ReadonlyArray<readonly [path: string, body: (index: number) => unknown, kind: string]> = [
  ["/members", () => ({ email: "ada@example.com" }), "member"],
  ["/webhooks", (index) => ({ url: `https://receiver.example.com/${index}` }), "webhook"],
  ["/log-streams", (index) => ({ name: `s${index}`, destination: DESTINATION }), "log_stream"],
  ["/alert-rules", (index) => ({ name: `r${index}`, rule_type: "new_country" }), "alert_rule"]
]
const DESTINATION = { type: "https", url: "https://receiver.example.com/" }

const range = (count: number) => Array.from({ length: count }, (_, index) => index)

const recorded = Effect.fnUntraced(function* (key: string, action: string) {
  yield* sequence
  const listed = yield* send({ path: `/api/v1/events?limit=100&action=${action}`, key })
  return listed
    .json<{ data: ReadonlyArray<{ resource: { id: string } }> }>()
    .data.map((event) => event.resource.id)
})

describe("what the log records of settings", () => {
  it.live("happened, and happened once, however many ask at once", () =>
    Effect.gen(function* () {
      // 11 rules, as a plan without limit would take any number.
      const { key } = yield* makeTenant({ overrides: { alert_rules: 11 } })
      for (const [path, body, kind] of RIVALS) {
        const request = { path: `/api/v1${path}`, key }
        const answers = yield* Effect.forEach(range(60), (index) => send({ ...request, body: body(index) }), {
          concurrency: "unbounded"
        })
        const made = answers.filter(({ status }) => status === 201)
        assert.isNotEmpty(made, kind)
        assert.isBelow(made.length, answers.length, kind)
        const ids = made.map((answer) => answer.json<{ data: { id: string } }>().data.id)
        assert.sameMembers(yield* recorded(key, `cairn.${kind}.created`), ids, kind)
        const removals = yield* Effect.forEach(
          range(3),
          () => send({ method: "DELETE", path: `/api/v1${path}/${ids[0]}`, key }),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(removals.map(({ status }) => status).toSorted(), [200, 404, 404], kind)
        assert.deepStrictEqual(yield* recorded(key, `cairn.${kind}.deleted`), ids.slice(0, 1), kind)
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is there whatever idempotency keys a client has used before", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const webhook = { path: "/api/v1/webhooks", key, body: { url: "https://receiver.example.com/" } }
      const { id } = (yield* send(webhook)).json<{ data: { id: string } }>().data
      const event = { ...EVENT, idempotency_key: `cairn.webhook.deleted ${id}` }
      const alone = yield* send({ path: "/api/v1/events", key, body: event })
      assert.strictEqual(alone.status, 422)
      assert.deepInclude(alone.json<{ errors: ReadonlyArray<object> }>().errors[0], {
        field: "idempotency_key"
      })
      const batch = yield* send({ path: "/api/v1/events/batch", key, body: { events: [EVENT, event] } })
      assert.deepInclude(batch.json<object>(), { accepted: 1, rejected: 1 })
      yield* send({ method: "DELETE", path: `/api/v1/webhooks/${id}`, key })
      assert.deepStrictEqual(yield* recorded(key, "cairn.webhook.deleted"), [id])
    }).pipe(Effect.provide(testServer()))
  )
})
