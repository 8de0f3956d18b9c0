import { Alerts } from "@cairn/core/alert"
import { Anchoring } from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import { parseContent } from "@cairn/core/event"
import { EventLog, type LogEntry } from "@cairn/core/log"
import { Outbox } from "@cairn/core/outbound"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { fillDemo } from "../../src/demo/DemoFill.ts"
import { DEMO_SEED, demoWeek } from "../../src/demo/DemoWeek.ts"
import { endOfWeek, findDemo, makeDemo } from "../../src/demo/DemoWorkspace.ts"
import { DEMO_INBOX, demoConfig, filledDemo, whileSequencing } from "../support/FilledDemo.ts"
import { SECRET_KEY, send, sequence, testServer } from "./TestServer.ts"

const server = testServer({ inboxCapacity: DEMO_INBOX })

/** A whole log, oldest first. */
const logOf = Effect.fnUntraced(function* (workspaceId: string) {
  const log = yield* EventLog
  const entries: Array<LogEntry> = []
  for (;;) {
    const some = yield* log.entries(workspaceId, entries.length + 1, 1_000)
    if (some.length === 0) return entries
    entries.push(...some)
  }
}, Effect.orDie)

const contentOf = ({ content }: LogEntry) => {
  const parsed = parseContent(content ?? "")
  assert.isDefined(parsed)
  return parsed
}

/** What a list answers. */
const list = Effect.fnUntraced(function* <A>(path: string, key: string) {
  const answer = yield* send({ path: `/api/v1/${path}`, key })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.json<{ data: ReadonlyArray<A> }>().data
})

/** How many there are of what a workspace of a demo has. */
const tally = Effect.fnUntraced(function* (workspaceId: string, key: string) {
  const counted: Record<string, number> = { events: (yield* logOf(workspaceId)).length }
  for (const path of ["members", "api-keys", "alert-rules", "webhooks", "log-streams", "exports"])
    counted[path] = (yield* list(path, key)).length
  return counted
})

const WHOLE = { members: 5, "api-keys": 5, "alert-rules": 6, webhooks: 1, "log-streams": 1, exports: 1 }

describe("the demo's workspace", () => {
  it.live("has a week that ends when it is made, each event at its time, in a chain that verifies", () =>
    Effect.gen(function* () {
      const began = yield* Micros.now
      const { workspace, key } = yield* filledDemo(SECRET_KEY)
      const until = endOfWeek(workspace)
      assert.isAtLeast(until, began)
      assert.isAtMost(until, yield* Micros.now)
      const log = yield* logOf(workspace.id)
      const [own, others] = [
        log.filter((entry) => contentOf(entry).action.startsWith("cairn.")),
        log.filter((entry) => !contentOf(entry).action.startsWith("cairn."))
      ]
      assert.deepStrictEqual(
        others.map((entry) => ({ at: entry.createdAt, key: contentOf(entry).idempotency_key })),
        demoWeek({ seed: DEMO_SEED, until }).map(({ at, body }) => ({ at, key: body.idempotency_key }))
      )
      // Each event says that it is of the demo: by its metadata, or by its actor.
      for (const entry of others) assert.strictEqual(contentOf(entry).metadata?.demo, true)
      for (const entry of own) assert.strictEqual(contentOf(entry).actor.id, "cairn-demo")
      const verified = yield* send({ path: "/api/v1/verify", key })
      assert.deepInclude(verified.json<{ data: object }>().data, {
        valid: true,
        complete: true,
        events_checked: log.length
      })
    }).pipe(Effect.provide(server))
  )

  it.live(
    "has something of everything: alerts of the stories, a webhook's deliveries, a stream that waits",
    () =>
      Effect.gen(function* () {
        const { workspace, key } = yield* filledDemo(SECRET_KEY)
        assert.deepInclude(yield* tally(workspace.id, key), WHOLE)
        const alerts = yield* (yield* Alerts).page(workspace.id, { filter: {}, before: null, limit: 100 })
        assert.deepStrictEqual(
          new Set(alerts.map(({ rule_name }) => rule_name)),
          new Set([
            "Customer data exported outside working hours",
            "Roles changed outside working hours",
            "Password guessed",
            "Mass deletion",
            "Sudden load"
          ])
        )
        const deliveries = yield* list<{ type: string; channel: string }>("deliveries?limit=100", key)
        assert.isTrue(deliveries.every(({ channel }) => channel === "webhook"))
        assert.includeMembers(
          deliveries.map(({ type }) => type),
          ["alert.triggered", "export.completed"]
        )
        const [stream] = yield* list<{ status: string; lag: number }>("log-streams", key)
        assert.strictEqual(stream?.status, "paused")
        assert.isAbove(stream?.lag ?? 0, 2_500)
        const [made] = yield* list<{ status: string; total_rows: number }>("exports", key)
        assert.strictEqual(made?.status, "completed")
        assert.isAbove(made?.total_rows ?? 0, 50)
        const keys = yield* list<{
          name: string
          last_used_at: unknown
          expires_at: string
          revoked_at: unknown
        }>("api-keys", key)
        const named = (name: string) => keys.find((one) => one.name === name)
        assert.isString(named("Production")?.last_used_at)
        assert.isNull(named("Dashboard")?.last_used_at)
        assert.isBelow(Date.parse(named("Data import")?.expires_at ?? ""), Date.now())
        assert.isString(named("Contractor")?.revoked_at)
      }).pipe(Effect.provide(server))
  )

  it.live("counts nothing of its week against a plan, and sends no mail", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* filledDemo(SECRET_KEY)
      const usage = yield* send({ path: "/api/v1/usage", key })
      assert.isBelow(usage.json<{ data: { events: { used: number } } }>().data.events.used, 50)
      const members = yield* list<{ email: string; confirmed_at: unknown }>("members", key)
      for (const { email, confirmed_at } of members) {
        assert.match(email, /@demo\.example$/)
        assert.isNull(confirmed_at)
      }
      const outbox = yield* Outbox
      const mails = yield* outbox.receivers("mail", (yield* Micros.now) + 365 * Micros.DAY)
      assert.deepStrictEqual(mails, [], workspace.id)
    }).pipe(Effect.provide(testServer({ inboxCapacity: DEMO_INBOX, mail: true })))
  )

  it.live(
    "is anchored by the day once it is filled, and no period ends before, which would move its events",
    () =>
      Effect.gen(function* () {
        const config = demoConfig(SECRET_KEY)
        const { round } = yield* Anchoring
        const made = yield* makeDemo(config)
        const closing = Effect.forever(Effect.delay(round, "5 millis"))
        const key = (yield* whileSequencing(Effect.raceFirst(fillDemo(config, made), closing))) ?? ""
        const stored = (yield* logOf(made.id)).filter(
          (entry) => !contentOf(entry).action.startsWith("cairn.")
        )
        assert.deepStrictEqual(
          stored.map(({ createdAt }) => createdAt),
          demoWeek({ seed: DEMO_SEED, until: endOfWeek(made) }).map(({ at }) => at)
        )
        yield* round
        const anchors = yield* list<{ period_start: string; status: string }>("anchors", key)
        assert.isAtLeast(anchors.length, 7)
        assert.isTrue(anchors.every(({ period_start }) => period_start.endsWith("T00:00:00Z")))
      }).pipe(Effect.provide(server))
  )

  it.live("is filled once, by whichever of several starts at the same time", () =>
    Effect.gen(function* () {
      const config = demoConfig(SECRET_KEY)
      assert.isUndefined(yield* findDemo)
      const made = yield* Effect.all(
        Array.from({ length: 3 }, () => makeDemo(config)),
        { concurrency: 3 }
      )
      const [workspace] = made
      assert.deepStrictEqual(new Set(made.map(({ id }) => id)), new Set([workspace?.id]))
      if (workspace === undefined) return assert.fail()
      const keys = yield* whileSequencing(
        Effect.all(
          made.map((one) => fillDemo(config, one)),
          { concurrency: 3 }
        )
      )
      const given = keys.filter((key) => key !== null)
      assert.lengthOf(given, 1)
      const before = yield* tally(workspace.id, given[0] ?? "")
      assert.deepInclude(before, WHOLE)
      // A start of the next day.
      assert.isNull(yield* whileSequencing(fillDemo(config, workspace)))
      yield* sequence
      assert.deepStrictEqual(yield* tally(workspace.id, given[0] ?? ""), before)
      assert.strictEqual((yield* findDemo)?.id, workspace.id)
    }).pipe(Effect.provide(server))
  )
})
