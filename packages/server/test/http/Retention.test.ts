import { Micros } from "@cairn/core/encoding"
import { InvalidInput } from "@cairn/core/event"
import { ClockAhead, ClockGuard, EventCounts } from "@cairn/core/log"
import { COMMAND_LINE, WorkspaceManagement, type WorkspaceUpdate } from "@cairn/core/management"
import { decodeMailNotice, Outbox } from "@cairn/core/outbound"
import { Archive, Retention, RetentionNotices } from "@cairn/core/retention"
import { effectiveRetention, ManagedWorkspaces, Members, RETENTION_DELAY } from "@cairn/core/workspace"
import { manualClock, meteredValue } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Option, Result } from "effect"
import { standing } from "./StandingClock.ts"
import { EVENT, makeTenant, send, sequence, testServer } from "./TestServer.ts"

const WORKSPACE = "/api/v1/workspace"
const EVENTS = "/api/v1/events"

interface Settings {
  readonly limits: { readonly retention_days: number | null }
  readonly retention_days: number | null
  readonly effective_retention_days: number | null
  readonly pending_retention: { readonly retention_days: number; readonly takes_effect_at: string } | null
}

/** A server on a clock of its own, which starts again with each test. */
const withClock = <A, E, R>(test: (time: ReturnType<typeof manualClock>) => Effect.Effect<A, E, R>) => {
  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
  return test(time).pipe(
    Effect.provide(testServer()),
    Effect.provideService(Clock.Clock, standing(time.clock))
  )
}

const patch = (key: string, body: unknown) => send({ path: WORKSPACE, method: "PATCH", key, body })
const settings = (key: string) =>
  Effect.map(send({ path: WORKSPACE, key }), (response) => response.json<{ data: Settings }>().data)

/** As the operator does it, with the command. */
const operate = (workspaceId: string, change: WorkspaceUpdate) =>
  Effect.flatMap(WorkspaceManagement, ({ update }) => update(COMMAND_LINE, workspaceId, change))

/** What the background does every hour. */
const applyRetention = Effect.flatMap(Retention, ({ round }) => round).pipe(
  Effect.provide(Layer.fresh(Retention.layer).pipe(Layer.provide([EventCounts.layer, Archive.layerNone])))
)

/** What the background does every few seconds, in as many processes as there are. */
const notices = RetentionNotices.layer({ mail: true })
const tell = Effect.flatMap(RetentionNotices, ({ round }) => round).pipe(Effect.provide(Layer.fresh(notices)))

/** The mails in the outbox, oldest first. */
const mails = Effect.fnUntraced(function* (workspaceId: string) {
  const outbox = yield* Outbox
  const page = yield* outbox.page(workspaceId, { filter: { channel: "mail" }, before: null, limit: 100 })
  return yield* Effect.forEach(page.toReversed(), ({ target, payload }) =>
    Effect.map(decodeMailNotice(payload), (notice) =>
      notice.kind === "retention_shortened"
        ? [target, notice.from_days, notice.to_days, notice.takes_effect_at.slice(0, 10), notice.reminder]
        : []
    )
  )
})

/** Adds a member whose address is confirmed. */
const addMember = Effect.fnUntraced(function* (key: string, email: string, role: string) {
  const response = yield* send({ path: "/api/v1/members", key, body: { email, role } })
  const { id } = response.json<{ data: { id: string } }>().data
  const members = yield* Members
  const [member] = yield* members.ofAddress(email)
  yield* members.modify(member?.workspace_id ?? "", id, (before) =>
    Result.succeed({ ...before, confirmed_at: before.created_at })
  )
  return id
})

const addOwner = (key: string, email: string) => addMember(key, email, "owner")

/** An owner who stays, so that others may go, and whose mails are not looked at. */
const KEEPER = "keeper@example.com"

const isThere = (key: string, id: string) =>
  Effect.map(send({ path: `${EVENTS}/${id}`, key }), ({ status }) => status === 200)

/** Accepts an event and has it sequenced; gives its id. */
const accept = Effect.fnUntraced(function* (key: string, event: object = EVENT) {
  const response = yield* send({ path: EVENTS, key, body: event })
  yield* sequence
  return response.json<{ id: string; status: string }>()
})

describe("A workspace's retention", () => {
  it.live("is shortened by the workspace after seven days, until when nothing is hidden or removed", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ plan: "starter" })
        const event = { ...EVENT, idempotency_key: "one" }
        const { id } = yield* accept(key, event)
        time.advance(20 * Micros.DAY)
        const changed = yield* patch(key, { retention_days: 10 })
        assert.strictEqual(changed.status, 200, changed.text)
        assert.deepInclude(changed.json<{ data: Settings }>().data, {
          retention_days: 10,
          effective_retention_days: 90,
          pending_retention: { retention_days: 10, takes_effect_at: "2026-05-28T12:00:00.000000Z" }
        })
        time.advance(6 * Micros.DAY)
        yield* applyRetention
        time.advance(Micros.DAY - Micros.SECOND)
        yield* applyRetention
        assert.isTrue(yield* isThere(key, id))
        assert.strictEqual((yield* accept(key, event)).status, "duplicate")
        const total = (yield* send({ path: `${EVENTS}?action=document.created`, key })).json<{
          pagination: { total: number }
        }>()
        assert.strictEqual(total.pagination.total, 1)

        time.advance(Micros.SECOND)
        assert.deepInclude(yield* settings(key), {
          retention_days: 10,
          effective_retention_days: 10,
          pending_retention: null
        })
        assert.isFalse(yield* isThere(key, id))
        assert.strictEqual((yield* accept(key, event)).status, "queued")
        const age = meteredValue("cairn_retention_age_seconds")
        // A round that removed nothing was one, too.
        assert.strictEqual(yield* age, 1)
        const { removed } = yield* applyRetention
        assert.isAbove(removed, 0)
        assert.strictEqual(yield* meteredValue("cairn_retention_removed_contents_total"), removed)
        assert.strictEqual(yield* age, 0)
        const verified = yield* send({ path: "/api/v1/verify", key })
        assert.deepInclude(verified.json<{ data: object }>().data, { valid: true })
      })
    )
  )

  it.live("is not removed by at a start with a clock that is ahead, by days or by years, however often", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key, workspace } = yield* makeTenant({ plan: "pro" })
        const { id } = yield* accept(key)
        time.advance(40 * Micros.DAY)
        yield* patch(key, { retention_days: 10 })
        yield* operate(workspace.id, { plan: "free" })
        // Each round stands for a process that was started with this clock.
        for (const ahead of [6.5, 7, 8, 8.5, 300]) {
          time.advance(ahead * Micros.DAY)
          assert.deepStrictEqual(yield* applyRetention, { removed: 0, failed: 0 })
          time.advance(-ahead * Micros.DAY)
          yield* applyRetention
        }
        assert.isTrue(yield* isThere(key, id))
        // Nor does a change beside it let go of what is protected.
        time.advance(8 * Micros.DAY)
        yield* applyRetention
        yield* operate(workspace.id, { name: "New" })
        yield* operate(workspace.id, { overrides: { alert_rules: 5 } })
        assert.deepStrictEqual(yield* applyRetention, { removed: 0, failed: 0 })
        time.advance(-8 * Micros.DAY)
        yield* applyRetention
        assert.isTrue(yield* isThere(key, id))
        time.advance(6 * Micros.DAY)
        assert.deepStrictEqual(yield* applyRetention, { removed: 0, failed: 0 })
        time.advance(Micros.DAY)
        assert.isAbove((yield* applyRetention).removed, 0)
      })
    )
  )

  it.live("is removed by a day after a server was started that was not there when it took effect", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ plan: "starter" })
        const { id } = yield* accept(key)
        time.advance(20 * Micros.DAY)
        yield* patch(key, { retention_days: 10 })
        time.advance(30 * Micros.DAY)
        assert.isFalse(yield* isThere(key, id))
        assert.deepStrictEqual(yield* applyRetention, { removed: 0, failed: 0 })
        time.advance(Micros.DAY - Micros.SECOND)
        assert.deepStrictEqual(yield* applyRetention, { removed: 0, failed: 0 })
        time.advance(Micros.SECOND)
        assert.isAbove((yield* applyRetention).removed, 0)
      })
    )
  )

  it.live("is called off by setting it back, and lengthened at once", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ plan: "starter" })
        const { id } = yield* accept(key)
        time.advance(20 * Micros.DAY)
        yield* patch(key, { retention_days: 10 })
        time.advance(6 * Micros.DAY)
        assert.isNull(
          (yield* patch(key, { retention_days: null })).json<{ data: Settings }>().data.pending_retention
        )
        time.advance(20 * Micros.DAY)
        yield* applyRetention
        assert.isTrue(yield* isThere(key, id))
        yield* sequence
        const listed = yield* send({ path: `${EVENTS}?action=cairn.retention.*`, key })
        assert.deepStrictEqual(
          listed
            .json<{ data: Array<{ action: string; metadata: object }> }>()
            .data.map(({ action, metadata }) => [action, metadata]),
          [
            [
              "cairn.retention.called_off",
              { from_days: 90, to_days: 10, takes_effect_at: "2026-05-28T12:00:00.000000Z" }
            ],
            [
              "cairn.retention.scheduled",
              { from_days: 90, to_days: 10, takes_effect_at: "2026-05-28T12:00:00.000000Z" }
            ]
          ]
        )
      })
    )
  )

  it.live("is at most the plan's figure, and no key changes that", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key, workspace } = yield* makeTenant({ plan: "free" })
        for (const body of [
          { retention_days: 31 },
          { retention_days: 0 },
          { plan: "enterprise" },
          { overrides: { retention_days: 0 } },
          { overrides: { requests_per_minute: 0 } }
        ]) {
          const response = yield* patch(key, body)
          assert.strictEqual(response.status, 422, JSON.stringify(body))
          const [field = ""] = Object.keys(body)
          assert.isTrue(response.json<{ message: string }>().message.startsWith(`${field}: `), response.text)
        }
        assert.strictEqual((yield* patch(key, { retention_days: 30 })).status, 200)
        const zero = yield* Effect.flip(operate(workspace.id, { overrides: { alert_rules: 0 } }))
        assert.instanceOf(zero, InvalidInput)
        assert.strictEqual(zero.path, "overrides.alert_rules")
        assert.deepInclude(yield* settings(key), { retention_days: 30, effective_retention_days: 30 })
      })
    )
  )

  it.live("follows a lesser plan after seven days too, which only the operator calls off", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key, workspace } = yield* makeTenant({ plan: "pro" })
        const { id } = yield* accept(key)
        time.advance(200 * Micros.DAY)
        yield* operate(workspace.id, { plan: "free" })
        assert.deepInclude(yield* settings(key), { effective_retention_days: 365 })
        assert.isTrue(yield* isThere(key, id))
        // Whatever the workspace sets meanwhile.
        for (const days of [20, 10, null]) {
          time.advance(Micros.DAY)
          assert.strictEqual((yield* patch(key, { retention_days: days })).status, 200)
        }
        time.advance(4 * Micros.DAY)
        assert.isFalse(yield* isThere(key, id))

        const other = yield* makeTenant({ plan: "pro" })
        const kept = yield* accept(other.key)
        time.advance(200 * Micros.DAY)
        yield* operate(other.workspace.id, { plan: "free" })
        yield* operate(other.workspace.id, { plan: "pro" })
        time.advance(30 * Micros.DAY)
        assert.isTrue(yield* isThere(other.key, kept.id))
      })
    )
  )

  it.live("is announced to the owners once at once and once a day before, by however many processes", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key, workspace } = yield* makeTenant({ plan: "starter" })
        yield* addOwner(key, "ada@example.com")
        yield* addOwner(key, "grace@example.com")
        yield* send({ path: "/api/v1/members", key, body: { email: "reader@example.com" } })
        yield* tell
        assert.deepStrictEqual(yield* mails(workspace.id), [])
        yield* patch(key, { retention_days: 10 })
        yield* Effect.all([tell, tell, tell], { concurrency: "unbounded" })
        yield* tell
        const told = (to: string, reminder: boolean) => [to, 90, 10, "2026-05-08", reminder]
        const first = ["ada@example.com", "grace@example.com"].map((to) => told(to, false))
        assert.sameDeepMembers(yield* mails(workspace.id), first)
        time.advance(6 * Micros.DAY - Micros.SECOND)
        yield* tell
        assert.lengthOf(yield* mails(workspace.id), 2)
        time.advance(Micros.SECOND)
        yield* Effect.all([tell, tell], { concurrency: "unbounded" })
        time.advance(Micros.DAY)
        yield* tell
        const second = ["ada@example.com", "grace@example.com"].map((to) => told(to, true))
        assert.sameDeepMembers(yield* mails(workspace.id), [...first, ...second])
      })
    )
  )

  it.live("is announced to those too who were owners or admins until shortly before, and to no others", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key, workspace } = yield* makeTenant({ plan: "starter" })
        const member = (email: string, role: string) =>
          Effect.map(addMember(key, email, role), (id) => `/api/v1/members/${id}`)
        yield* addOwner(key, KEEPER)
        const longAgo = yield* member("long-ago@example.com", "owner")
        yield* send({ method: "DELETE", path: longAgo, key })
        time.advance(7 * Micros.DAY)
        const removed = yield* member("removed@example.com", "owner")
        const lowered = yield* member("lowered@example.com", "admin")
        const reader = yield* member("reader@example.com", "member")
        const later = yield* member("later@example.com", "owner")
        yield* send({ method: "DELETE", path: removed, key })
        yield* send({ method: "PATCH", path: lowered, key, body: { role: "member" } })
        yield* send({ method: "DELETE", path: reader, key })
        time.advance(6 * Micros.DAY)
        yield* patch(key, { retention_days: 10 })
        yield* tell
        const addresses = ["later@example.com", "lowered@example.com", "removed@example.com"]
        const told = Effect.map(mails(workspace.id), (all) =>
          all.flatMap(([to]) => (to === KEEPER ? [] : [to])).sort()
        )
        assert.deepStrictEqual(yield* told, addresses)
        // Nor does it help to remove somebody before the reminder.
        yield* send({ method: "DELETE", path: later, key })
        time.advance(6 * Micros.DAY)
        yield* tell
        assert.deepStrictEqual(yield* told, [...addresses, ...addresses].sort())
      })
    )
  )

  it.live("cannot be hidden behind others who leave: no more may than can be remembered", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ plan: "enterprise" })
        yield* addOwner(key, KEEPER)
        const come = (email: string) => addOwner(key, email)
        const leave = (id: string) => send({ method: "DELETE", path: `/api/v1/members/${id}`, key })
        for (let index = 0; index < 100; index++) {
          assert.strictEqual((yield* leave(yield* come(`${index}@example.com`))).status, 200)
        }
        const last = yield* come("last@example.com")
        const refused = yield* leave(last)
        assert.strictEqual(refused.status, 409, refused.text)
        time.advance(15 * Micros.DAY)
        assert.strictEqual((yield* leave(last)).status, 200)
      })
    )
  )

  it.live("is not announced by a clock that runs ahead, whose reminder would come too early", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key, workspace } = yield* makeTenant({ plan: "starter" })
        yield* addOwner(key, "ada@example.com")
        yield* patch(key, { retention_days: 10 })
        const ahead = Layer.succeed(ClockGuard, {
          now: Effect.fail(new ClockAhead({ aheadSeconds: 522_000 })),
          reckoned: Micros.now
        })
        const round = Effect.flatMap(RetentionNotices, (service) => service.round)
        assert.strictEqual(
          yield* round.pipe(Effect.provide(Layer.fresh(notices).pipe(Layer.provide(ahead)))),
          0
        )
        assert.deepStrictEqual(yield* mails(workspace.id), [])
        assert.strictEqual(yield* tell, 1)
      })
    )
  )

  it.live("shows both shortenings where the plan's and the workspace's own are pending", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key, workspace } = yield* makeTenant({ plan: "pro" })
        yield* operate(workspace.id, { plan: "starter" })
        time.advance(Micros.DAY)
        yield* patch(key, { retention_days: 10 })
        assert.deepStrictEqual<object | null>((yield* settings(key)).pending_retention, {
          retention_days: 90,
          takes_effect_at: "2026-05-08T12:00:00.000000Z",
          followed_by: { retention_days: 10, takes_effect_at: "2026-05-09T12:00:00.000000Z" }
        })
      })
    )
  )

  it.live("is recorded as it is, however many change it at once", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ plan: "starter" })
        const days = Array.from({ length: 25 }, (_, index) => 10 + index)
        const answers = yield* Effect.forEach(days, (each) => patch(key, { retention_days: each }), {
          concurrency: "unbounded"
        })
        assert.isTrue(answers.every(({ status }) => status === 200))
        yield* sequence
        const count = (action: string) =>
          Effect.map(
            send({ path: `${EVENTS}?action=${action}&limit=1`, key }),
            (response) => response.json<{ pagination: { total: number } }>().pagination.total
          )
        const [scheduled, calledOff, updated] = yield* Effect.all([
          count("cairn.retention.scheduled"),
          count("cairn.retention.called_off"),
          count("cairn.workspace.updated")
        ])
        assert.strictEqual(updated, days.length)
        assert.strictEqual((scheduled ?? 0) - (calledOff ?? 0), 1)
      })
    )
  )

  it.live("is told of once though a crash came between the mails and the note of them", () =>
    withClock(() =>
      Effect.gen(function* () {
        const { key, workspace } = yield* makeTenant({ plan: "starter" })
        yield* addOwner(key, "ada@example.com")
        yield* patch(key, { retention_days: 10 })
        const outbox = yield* Outbox
        const crashing = Layer.succeed(Outbox, {
          ...outbox,
          put: (deliveries) => Effect.andThen(outbox.put(deliveries), Effect.die("killed"))
        })
        const crashed = yield* Effect.exit(
          Effect.flatMap(RetentionNotices, ({ round }) => round).pipe(
            Effect.provide(Layer.fresh(notices).pipe(Layer.provide(crashing)))
          )
        )
        assert.strictEqual(crashed._tag, "Failure")
        assert.lengthOf(yield* mails(workspace.id), 1)
        assert.strictEqual(yield* tell, 1)
        assert.strictEqual(yield* tell, 0)
        assert.lengthOf(yield* mails(workspace.id), 1)
      })
    )
  )

  it.live("is told of anew when it is called off and shortened again, and not when it is called off", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key, workspace } = yield* makeTenant({ plan: "starter" })
        yield* addOwner(key, "ada@example.com")
        for (const days of [10, null, 20]) {
          yield* patch(key, { retention_days: days })
          yield* tell
          time.advance(Micros.DAY)
        }
        assert.deepStrictEqual(yield* mails(workspace.id), [
          ["ada@example.com", 90, 10, "2026-05-08", false],
          ["ada@example.com", 90, 20, "2026-05-10", false]
        ])
      })
    )
  )

  // On the true clock: a database whose connections are all taken is waited for.
  it.live("holds all of the changes that come at once, by keys and by command", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant({ plan: "pro" })
      const answers = yield* Effect.all(
        [
          patch(key, { retention_days: 10 }),
          Effect.as(operate(workspace.id, { plan: "starter" }), { status: 200 }),
          patch(key, { name: "New" })
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 200, 200]
      )
      const found = Option.getOrThrow(yield* (yield* ManagedWorkspaces).get(workspace.id))
      assert.deepInclude(found, { plan: "starter", name: "New" })
      const now = yield* Micros.now
      assert.strictEqual(effectiveRetention(found, now), 365)
      assert.strictEqual(effectiveRetention(found, now + RETENTION_DELAY), 10)
    }).pipe(Effect.provide(testServer()))
  )

  it.live("keeps the record of who shortened it readable in evidence after it has taken effect", () =>
    withClock((time) =>
      Effect.gen(function* () {
        const { key } = yield* makeTenant({ plan: "starter" })
        yield* patch(key, { retention_days: 1 })
        time.advance(8 * Micros.DAY)
        yield* applyRetention
        time.advance(2 * Micros.DAY)
        yield* accept(key)
        assert.isAbove((yield* applyRetention).removed, 0)
        assert.deepInclude((yield* send({ path: "/api/v1/verify", key })).json<{ data: object }>().data, {
          valid: true
        })
        const { data } = (yield* patch(key, { retention_days: null })).json<{ data: Settings }>()
        assert.strictEqual(data.effective_retention_days, 90)
        const listed = yield* send({ path: `${EVENTS}?action=cairn.*&limit=100`, key })
        const actions = listed.json<{ data: Array<{ action: string }> }>().data.map(({ action }) => action)
        assert.include(actions, "cairn.retention.scheduled")
        assert.notInclude(actions, "cairn.workspace.updated")
      })
    )
  )
})
