import { AlertConsumer } from "@cairn/core/alert"
import { meteredValue } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeKey, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const ALERTS = "/api/v1/alerts"
const RULES = "/api/v1/alert-rules"

interface Alert {
  readonly id: string
  readonly rule_id: string
  readonly event_id: string
  readonly triggered_at: string
}
interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly pagination: {
    readonly has_more: boolean
    readonly next_cursor: string | null
    readonly total: number
  }
}
interface Rule {
  readonly id: string
  readonly name: string
  readonly enabled: boolean
  readonly cooldown_seconds: number
  readonly tenant_id: string | null
  readonly action: string | null
  readonly parameters: Record<string, unknown>
  readonly updated_at: string
}
interface Backtest {
  readonly alerts: ReadonlyArray<Alert>
  readonly events: number
  readonly complete: boolean
}
interface Told {
  readonly action: string
  readonly actor: { readonly id: string }
  readonly resource: { readonly type: string; readonly id: string; readonly name: string | null }
  readonly metadata: Record<string, unknown>
}

/** The events of the service's own doing, oldest first. */
const told = (key: string) =>
  Effect.gen(function* () {
    yield* sequence
    const listed = yield* send({ path: "/api/v1/events?action=cairn.*&limit=100", key })
    return listed.json<{ data: Array<Told> }>().data.toReversed()
  })

/** Making rules is an action too, which these look away from. */
const REPEATED = {
  name: "Too fast",
  rule_type: "repeated_action",
  action: "document.*",
  parameters: { threshold: 2 }
}
const create = (key: string, body: unknown) => send({ path: RULES, key, body })
const rule = (key: string, body: unknown) =>
  Effect.map(create(key, body), (answer) => answer.json<{ data: Rule }>().data)
const tryOut = (key: string, body: unknown) => send({ path: `${RULES}/backtest`, key, body })
const patch = (key: string, id: string, body: unknown) =>
  send({ path: `${RULES}/${id}`, method: "PATCH", key, body })

/** Has the rules look at what was sent. */
const evaluate = Effect.andThen(
  sequence,
  Effect.flatMap(AlertConsumer, ({ drain }) => Effect.orDie(drain))
)

const act = (key: string, actor: string, action = "document.deleted") =>
  Effect.map(
    send({ path: "/api/v1/events", key, body: { actor_id: actor, action } }),
    (answer) => answer.json<{ id: string }>().id
  )

const list = (key: string, query = "") =>
  Effect.map(send({ path: `${ALERTS}${query}`, key }), (answer) => answer.json<Page<Alert>>())

describe("POST /api/v1/alerts/{id}/acknowledge", () => {
  it.live("stores who took note of an alert and when, once, and tells the log", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      yield* rule(key, REPEATED)
      yield* act(key, "ada")
      yield* act(key, "ada")
      yield* evaluate
      const [alert] = (yield* list(key)).data
      const path = `${ALERTS}/${alert?.id}/acknowledge`
      const first = yield* send({ method: "POST", path, key })
      assert.strictEqual(first.status, 200, first.text)
      const acknowledged = first.json<{ data: Record<string, unknown> }>().data
      assert.match(String(acknowledged.acknowledged_by), /^key_/)
      assert.isString(acknowledged.acknowledged_at)
      assert.deepStrictEqual((yield* send({ method: "POST", path, key })).json(), first.json())
      assert.deepStrictEqual((yield* list(key)).data as ReadonlyArray<unknown>, [acknowledged])
      yield* sequence
      const told = yield* send({ path: "/api/v1/events?action=cairn.alert.acknowledged", key })
      assert.lengthOf(told.json<{ data: ReadonlyArray<unknown> }>().data, 1)
      const other = yield* makeTenant()
      assert.strictEqual((yield* send({ method: "POST", path, key: other.key })).status, 404)
      const reader = yield* makeKey(workspace.id, ["read"])
      assert.strictEqual((yield* send({ method: "POST", path, key: reader.key })).status, 403)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("GET /api/v1/alerts", () => {
  it.live("lists what the rules found, newest first, as the interface shows an alert", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const { id: ruleId } = yield* rule(key, REPEATED)
      yield* act(key, "ada")
      const second = yield* act(key, "ada")
      yield* evaluate
      const { data, pagination } = yield* list(key)
      assert.deepStrictEqual(pagination, { has_more: false, next_cursor: null, total: 1 })
      const [alert, ...others] = data
      assert.deepStrictEqual(others, [])
      assert.match(String(alert?.id), /^alt_[0-9a-f-]{36}$/)
      assert.match(String(alert?.triggered_at), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
      assert.deepStrictEqual(
        { ...alert, id: "", triggered_at: "" },
        {
          id: "",
          rule_id: ruleId,
          rule_name: "Too fast",
          rule_type: "repeated_action",
          event_id: second,
          reason: "ada performed document.deleted 2 times within 60 seconds",
          triggered_at: "",
          acknowledged_at: null,
          acknowledged_by: null
        }
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("pages one by one through two rules that fire on one event, without loss or repetition", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* rule(key, REPEATED)
      yield* rule(key, { ...REPEATED, name: "Too fast again" })
      // The events of a batch are a microsecond apart.
      const events = ["ada", "bob", "cy"].flatMap((actor_id) => {
        const event = { actor_id, action: "document.deleted" }
        return [event, event]
      })
      yield* send({ path: "/api/v1/events/batch", key, body: { events } })
      yield* evaluate
      const whole = yield* list(key)
      assert.strictEqual(whole.data.length, 6)
      assert.strictEqual(new Set(whole.data.map(({ event_id }) => event_id)).size, 3)
      const found: Array<Alert> = []
      for (let query: string | null = "?limit=1"; query !== null; ) {
        const { data, pagination }: Page<Alert> = yield* list(key, query)
        assert.strictEqual(data.length, 1)
        assert.strictEqual(pagination.total, 6)
        assert.strictEqual(pagination.has_more, pagination.next_cursor !== null)
        found.push(...data)
        query = pagination.next_cursor === null ? null : `?limit=1&cursor=${pagination.next_cursor}`
      }
      assert.deepStrictEqual(found, whole.data)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("narrows by type and by time, both ends included", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* rule(key, REPEATED)
      yield* rule(key, {
        name: "Any hour",
        rule_type: "off_hours",
        action: "document.*",
        parameters: { days: [] }
      })
      yield* act(key, "ada")
      yield* act(key, "ada")
      yield* evaluate
      const all = (yield* list(key)).data
      assert.strictEqual((yield* list(key, "?rule_type=repeated_action")).pagination.total, 1)
      assert.strictEqual((yield* list(key, "?rule_type=new_country")).pagination.total, 0)
      const [newest, oldest] = [all[0]?.triggered_at ?? "", all.at(-1)?.triggered_at ?? ""]
      assert.notStrictEqual(newest, oldest)
      assert.deepStrictEqual((yield* list(key, `?from=${oldest}&to=${newest}`)).data, all)
      assert.deepStrictEqual((yield* list(key, `?from=${newest}`)).data, all.slice(0, 1))
      assert.deepStrictEqual((yield* list(key, `?to=${oldest}`)).data, all.slice(-1))
    }).pipe(Effect.provide(testServer()))
  )

  it.live("refuses an unknown type, a bad cursor, date and limit by their names", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (const [query, name] of [
        ["rule_type=loud", "rule_type"],
        ["cursor=!", "cursor"],
        ["from=yesterday", "from"],
        ["limit=101", "limit"]
      ]) {
        const answer = yield* send({ path: `${ALERTS}?${query}`, key })
        assert.strictEqual(answer.status, 400, query)
        assert.strictEqual(answer.json().error, "invalid_parameter")
        assert.match(String(answer.json().message), new RegExp(`^${name}: `))
      }
    }).pipe(Effect.provide(testServer()))
  )

  it.live("shows a workspace its own alerts only", () =>
    Effect.gen(function* () {
      const one = yield* makeTenant()
      const other = yield* makeTenant()
      const { id } = yield* rule(one.key, REPEATED)
      yield* act(one.key, "ada")
      yield* act(one.key, "ada")
      yield* act(other.key, "ada")
      yield* act(other.key, "ada")
      yield* evaluate
      assert.strictEqual((yield* list(one.key)).pagination.total, 1)
      assert.strictEqual((yield* list(other.key)).pagination.total, 0)
      assert.strictEqual((yield* send({ path: `${RULES}/${id}`, key: other.key })).status, 404)
      assert.strictEqual((yield* patch(other.key, id, { name: "Mine" })).status, 404)
      const removal = yield* send({ path: `${RULES}/${id}`, method: "DELETE", key: other.key })
      assert.strictEqual(removal.status, 404)
    }).pipe(Effect.provide(testServer()))
  )
})

describe("/api/v1/alert-rules", () => {
  it.live("creates a rule with the defaults of what it leaves out, and tells the log", () =>
    Effect.gen(function* () {
      const { key, stored } = yield* makeTenant()
      const answer = yield* create(key, { name: "Destruction", rule_type: "high_volume_destructive" })
      assert.strictEqual(answer.status, 201)
      const { data } = answer.json<{ data: Rule }>()
      assert.match(data.id, /^rul_/)
      assert.deepInclude(data, { enabled: true, cooldown_seconds: 3600, tenant_id: null, action: null })
      assert.deepInclude(data.parameters, { threshold: 10, window_seconds: 300, scope: "actor" })
      assert.deepStrictEqual((yield* send({ path: `${RULES}/${data.id}`, key })).json(), { data })
      const [event] = yield* told(key)
      assert.strictEqual(event?.action, "cairn.alert_rule.created")
      assert.strictEqual(event?.actor.id, stored.id)
      assert.deepStrictEqual(event?.resource, { type: "alert_rule", id: data.id, name: "Destruction" })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("changes what is named and nothing else, and tells from what to what", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const before = yield* rule(key, { ...REPEATED, parameters: { threshold: 5, window_seconds: 90 } })
      const answer = yield* patch(key, before.id, { parameters: { threshold: 7 }, enabled: false })
      assert.strictEqual(answer.status, 200)
      const after = answer.json<{ data: Rule }>().data
      assert.deepStrictEqual(after, {
        ...before,
        enabled: false,
        parameters: { threshold: 7, window_seconds: 90 },
        updated_at: after.updated_at
      })
      assert.isAbove(Date.parse(after.updated_at), 0)
      assert.strictEqual((yield* patch(key, before.id, { enabled: false })).status, 200)
      const changes = (yield* told(key)).filter(({ action }) => action === "cairn.alert_rule.updated")
      assert.deepStrictEqual(
        changes.map(({ metadata }) => metadata),
        [
          {
            changed: {
              enabled: { from: true, to: false },
              parameters: {
                from: { threshold: 5, window_seconds: 90 },
                to: { threshold: 7, window_seconds: 90 }
              }
            }
          }
        ]
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("refuses what is wrong with 422 and its path, and stores nothing", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [{ rule_type: "new_country" }, "name"],
        [{ name: "x" }, "rule_type"],
        [{ name: "x", rule_type: "loud" }, "rule_type"],
        [{ name: "x", rule_type: "off_hours", parameters: { timezone: "Mars" } }, "parameters.timezone"],
        [{ ...REPEATED, parameters: { threshold: 1 } }, "parameters.threshold"],
        [{ ...REPEATED, cooldown_seconds: -1 }, "cooldown_seconds"],
        [{ ...REPEATED, enabled: "yes" }, "enabled"]
      ]
      for (const [body, path] of cases) {
        const answer = yield* create(key, body)
        assert.strictEqual(answer.status, 422, JSON.stringify(body))
        assert.strictEqual(answer.json().error, "validation_failed")
        assert.match(String(answer.json().message), new RegExp(`^${path}:? `), JSON.stringify(body))
      }
      const { id } = yield* rule(key, REPEATED)
      const retyped = yield* patch(key, id, { rule_type: "new_country" })
      assert.strictEqual(retyped.status, 422)
      const all = (yield* send({ path: RULES, key })).json<Page<Rule>>()
      assert.deepStrictEqual(
        all.data.map((each) => each.id),
        [id]
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("allows as many as the plan does, on or off, and one more once one is deleted", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant({ plan: "free", overrides: { requests_per_minute: null } })
      const first = yield* rule(key, REPEATED)
      yield* rule(key, { ...REPEATED, enabled: false })
      const refused = yield* create(key, REPEATED)
      assert.strictEqual(refused.status, 403)
      assert.deepStrictEqual(refused.json(), {
        error: "plan_limit_reached",
        message: "The workspace's plan allows 2 alert rules, on or off"
      })
      assert.strictEqual(yield* meteredValue("cairn_limited_requests_total", { limit: "alert_rules" }), 1)
      const removed = yield* send({ path: `${RULES}/${first.id}`, method: "DELETE", key })
      assert.deepStrictEqual(removed.json(), { data: first })
      assert.strictEqual((yield* send({ path: `${RULES}/${first.id}`, key })).status, 404)
      assert.strictEqual((yield* create(key, REPEATED)).status, 201)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("lists rules newest first, page by page", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const made = yield* Effect.forEach(["a", "b", "c"], (name) => rule(key, { ...REPEATED, name }))
      const first = (yield* send({ path: `${RULES}?limit=2`, key })).json<Page<Rule>>()
      assert.deepStrictEqual(first.pagination.total, 3)
      const cursor = first.pagination.next_cursor ?? ""
      const rest = (yield* send({ path: `${RULES}?limit=2&cursor=${cursor}`, key })).json<Page<Rule>>()
      assert.deepStrictEqual([...first.data, ...rest.data], made.toReversed())
      assert.isFalse(rest.pagination.has_more)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("tries a rule on history and raises nothing", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* act(key, "ada")
      const second = yield* act(key, "ada")
      const { id } = yield* rule(key, { ...REPEATED, enabled: false })
      yield* evaluate
      const answer = yield* send({ path: `${RULES}/${id}/backtest`, method: "POST", key })
      assert.strictEqual(answer.status, 200)
      const { data } = answer.json<{ data: Backtest }>()
      assert.deepStrictEqual(
        data.alerts.map(({ event_id }) => event_id),
        [second]
      )
      assert.isTrue(data.complete)
      assert.strictEqual(data.events, 3)
      assert.strictEqual((yield* list(key)).pagination.total, 0)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("tries a rule that does not exist yet as if it did, and stores nothing", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant({ plan: "free", overrides: { requests_per_minute: null } })
      yield* act(key, "ada")
      const second = yield* act(key, "ada")
      const { id } = yield* rule(key, { ...REPEATED, enabled: false })
      yield* rule(key, { ...REPEATED, enabled: false, action: "other.*" })
      yield* evaluate
      const before = yield* told(key)
      // The plan has no place for a third rule, which is not made.
      const answer = yield* tryOut(key, { ...REPEATED, enabled: false })
      assert.strictEqual(answer.status, 200, answer.text)
      const stored = yield* send({ path: `${RULES}/${id}/backtest`, method: "POST", key })
      const withoutIds = ({ data }: { data: Backtest }) => ({
        ...data,
        alerts: data.alerts.map((alert) => ({ ...alert, id: "", rule_id: "" }))
      })
      assert.deepStrictEqual(
        withoutIds(answer.json<{ data: Backtest }>()),
        withoutIds(stored.json<{ data: Backtest }>())
      )
      const { data } = answer.json<{ data: Backtest }>()
      assert.deepStrictEqual(
        data.alerts.map(({ event_id }) => event_id),
        [second]
      )
      assert.notStrictEqual(data.alerts[0]?.rule_id, id)
      assert.strictEqual((yield* send({ path: `${RULES}/${data.alerts[0]?.rule_id}`, key })).status, 404)
      assert.deepStrictEqual((yield* tryOut(key, { ...REPEATED, enabled: false })).json(), answer.json())
      assert.strictEqual((yield* list(key)).pagination.total, 0)
      assert.strictEqual((yield* send({ path: RULES, key })).json<Page<Rule>>().pagination.total, 2)
      assert.deepStrictEqual(yield* told(key), before)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("refuses to try what it would refuse to make, in the same words", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      for (const body of [
        { rule_type: "new_country" },
        { ...REPEATED, parameters: { threshold: 1 } },
        { ...REPEATED, tenant_id: null },
        { ...REPEATED, unknown: 1 },
        []
      ]) {
        const [tried, made] = [yield* tryOut(key, body), yield* create(key, body)]
        assert.isAtLeast(tried.status, 400, JSON.stringify(body))
        assert.deepStrictEqual([tried.status, tried.json()], [made.status, made.json()])
      }
      const reader = yield* makeKey(workspace.id, ["read"])
      assert.strictEqual((yield* tryOut(reader.key, REPEATED)).status, 403)
      assert.strictEqual((yield* send({ path: `${RULES}/backtest`, key })).status, 405)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("tries a rule on the events of its own workspace only", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* makeTenant(), yield* makeTenant()]
      yield* act(one.key, "ada")
      yield* act(one.key, "ada")
      yield* sequence
      const { data } = (yield* tryOut(other.key, REPEATED)).json<{ data: Backtest }>()
      assert.deepStrictEqual(data, { alerts: [], events: 0, complete: true })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("needs the scope admin, while alerts need read", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const reader = yield* makeKey(workspace.id, ["read"])
      assert.strictEqual((yield* send({ path: RULES, key: reader.key })).status, 403)
      assert.strictEqual((yield* create(reader.key, REPEATED)).status, 403)
      assert.strictEqual((yield* send({ path: ALERTS, key: reader.key })).status, 200)
      const writer = yield* makeKey(workspace.id, ["ingest"])
      assert.strictEqual((yield* send({ path: ALERTS, key: writer.key })).status, 403)
    }).pipe(Effect.provide(testServer()))
  )
})
