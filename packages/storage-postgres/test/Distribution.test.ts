import { Alerts } from "@cairn/core/alert"
import { Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { EventLog } from "@cairn/core/log"
import { distributeDatabase, PostgresClient } from "@cairn/storage-postgres"
import { citusUrl, newCitusDatabase, unlessCitus } from "@cairn/testing/CitusCluster"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Redacted } from "effect"
import { distribute, SPREADING, SpreadInPart } from "../src/Distribution.ts"
import { Places } from "../src/Places.ts"
import { clientOf, usesCluster } from "./CitusStorage.ts"
import { accept, cairnOn, drain, makeWorkspace, sharedServer, verifyChain } from "./support.ts"

const server = sharedServer()

it.live("a database without Citus is not spread, and says what it lacks", () =>
  Effect.gen(function* () {
    const url = yield* Effect.promise(() => server().newDatabase())
    const error = yield* Effect.flip(distributeDatabase(Redacted.make(url)))
    assert.strictEqual(error._tag, "NotDistributable")
    assert.match(error.message, /^the database cannot be distributed: it lacks the extension citus/)
  })
)

it.live(
  "a server that starts while a database is being spread waits for the end, and so does another run",
  () =>
    Effect.gen(function* () {
      const url = Redacted.make(yield* Effect.promise(() => server().newDatabase()))
      const client = PostgresClient.layerQuiet({ url, maxConnections: 1 })
      const start = Effect.map(Places, ({ spread }) => spread).pipe(
        Effect.provide(Places.layer.pipe(Layer.provide(Layer.fresh(client))))
      )
      const other = yield* Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`SELECT pg_advisory_lock(${SPREADING})::text`
        const fiber = yield* Effect.forkDetach(start)
        const error = yield* Effect.flip(distributeDatabase(url))
        assert.match(error.message, /another process does that now$/)
        assert.isUndefined(fiber.pollUnsafe())
        return fiber
      }).pipe(Effect.provide(client))
      assert.isFalse(yield* Fiber.join(other))
    })
)

const IDS = ["wsp_1", "wsp_2", "wsp_3"]
const AT = 1_700_000_000_000_000
const ALERT = {
  id: "alt_1",
  rule_id: "rul_1",
  rule_name: "Rule",
  rule_type: "off_hours" as const,
  event_id: "event",
  reason: "Reason",
  triggered_at: Micros.format(AT)
}

/** Logs with events in them and some that wait, and an alert in each. */
const fill = Effect.gen(function* () {
  const consumers = yield* Consumers
  for (const id of IDS) {
    yield* makeWorkspace(id)
    const bodies = ["a", "b"].map((key) => ({ actor_id: "ada", action: "x.y", idempotency_key: key }))
    yield* accept(id, bodies)
  }
  yield* drain
  for (const id of IDS) {
    yield* accept(id, [{ actor_id: "ada", action: "x.y", idempotency_key: "c" }])
    const position = yield* consumers.open({ workspaceId: id, consumer: "alerts" }, 0, AT)
    const raised = [{ alert: ALERT, deliveries: [] }]
    yield* consumers.commit(position, {
      sequence: 1,
      rows: [],
      raised,
      deliveries: [],
      expiredBy: null,
      at: AT
    })
  }
})

/** Fails unless all that {@link fill} wrote is there, and more can be written. */
const holdsAll = Effect.gen(function* () {
  const log = yield* EventLog
  const alerts = yield* Alerts
  for (const id of IDS) {
    const [again] = yield* accept(id, [{ actor_id: "ada", action: "x.y", idempotency_key: "c" }])
    assert.deepInclude(again, { duplicate: true })
    yield* accept(id, [{ actor_id: "ada", action: "x.y", idempotency_key: "d" }])
  }
  yield* drain
  for (const id of IDS) {
    assert.deepInclude(yield* verifyChain(id), { valid: true, events_checked: 4 })
    assert.lengthOf(yield* log.page(id, { filter: { action: "x.y" }, before: null, limit: 10 }), 4)
    assert.isTrue(Option.isSome(yield* alerts.get(id, ALERT.id)))
  }
})

/** As many shards as show where rows are. */
const inFewShards = Effect.andThen(
  Effect.flatMap(PgClient.PgClient, (sql) => sql`SET citus.shard_count = 4`),
  distribute
)

/** Rows that a server of the former version wrote, for a workspace that is gone. */
const STRAY = `INSERT INTO consumer (workspace_id, name, sequence, paused, version, updated_at)
  VALUES ('wsp_gone', 'alerts', 0, 0, 1, 1)`

describe.skipIf(citusUrl === "")(`A database over one machine, spread over several${unlessCitus}`, () => {
  usesCluster("together")

  it.live(
    "has all that it had, however often that was interrupted",
    () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(newCitusDatabase)
        const storage = Layer.fresh(cairnOn(url))
        yield* Effect.provide(fill, storage)
        const stray = Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(STRAY))
        yield* Effect.provide(stray, clientOf(url))
        const start = Effect.provide(Places, Places.layer.pipe(Layer.provide(Layer.fresh(clientOf(url)))))
        let turns = 1
        let refused = 0
        // Each table takes as long as it takes, so each turn has more time.
        const turn = Effect.suspend(() => inFewShards.pipe(Effect.timeoutOption(100 * turns)))
        while (Option.isNone(yield* Effect.provide(turn, clientOf(url)))) {
          turns++
          const error = yield* Effect.flip(start).pipe(Effect.option)
          if (Option.isSome(error) && error.value instanceof SpreadInPart) refused++
        }
        assert.isAbove(refused, 0, "no server starts in between")
        assert.strictEqual(yield* Effect.provide(inFewShards, clientOf(url)), 0)
        yield* Effect.provide(holdsAll, Layer.fresh(cairnOn(url)))
      }),
    { timeout: 240_000 }
  )

  it.live(
    "is not while a server uses it",
    () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(newCitusDatabase)
        const turn = Effect.provide(inFewShards, clientOf(url))
        const error = yield* Effect.provide(Effect.flip(turn), Layer.fresh(cairnOn(url)))
        assert.match(String(error), /a server uses it: stop all servers first/)
        assert.isAbove(yield* turn, 0)
      }),
    { timeout: 240_000 }
  )
})
