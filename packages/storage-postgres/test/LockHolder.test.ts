import { EventLog, Sequencer } from "@cairn/core"
import { PostgresClient } from "@cairn/storage-postgres"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { accept, cairnOn, drain, makeWorkspace, postgresServer } from "./support.ts"

const server = postgresServer()
const newDatabase = Effect.promise(() => server().newDatabase())
const event = { actor_id: "ada", action: "document.created" }

const headOf = (workspaceId: string) => Effect.flatMap(EventLog, (log) => log.head(workspaceId))

/** Runs the sequencer again and again until a workspace's log has this length; gives the milliseconds that took. */
const untilSequenced = Effect.fnUntraced(function* (workspaceId: string, length: number) {
  const begun = performance.now()
  while ((yield* headOf(workspaceId)).sequence < length) {
    yield* drain
    yield* Effect.sleep("50 millis")
  }
  return performance.now() - begun
})

describe("a session that holds a workspace's head", () => {
  it.live("and stalls loses it within seconds, and nothing of what it held is in the log", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* Effect.gen(function* () {
        yield* makeWorkspace("wsp_one")
        yield* makeWorkspace("wsp_two")
        const held = yield* Deferred.make<void>()
        const staller = yield* Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`SELECT * FROM head WHERE workspace = 1 FOR UPDATE`
              yield* sql`UPDATE head SET sequence = 1000 WHERE workspace = 1`
              yield* Deferred.succeed(held, undefined)
              yield* Effect.never
            })
          )
        }).pipe(Effect.provide(PostgresClient.layer({ url: Redacted.make(url) })), Effect.forkChild)
        yield* Deferred.await(held)

        yield* accept("wsp_one", [event])
        yield* accept("wsp_two", [event])
        yield* drain
        // The other workspace has not waited for it.
        assert.strictEqual((yield* headOf("wsp_two")).sequence, 1)
        assert.strictEqual((yield* headOf("wsp_one")).sequence, 0)
        assert.isBelow(yield* untilSequenced("wsp_one", 1), 8_000)
        yield* Fiber.interrupt(staller)
        assert.strictEqual((yield* headOf("wsp_one")).sequence, 1)
      }).pipe(Effect.provide(cairnOn(url)))
    })
  )

  it.live("and dies loses it at once", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* Effect.gen(function* () {
        yield* makeWorkspace("wsp_one")
        yield* accept("wsp_one", [event])
        const held = yield* Deferred.make<number>()
        yield* Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`SELECT * FROM head WHERE workspace = 1 FOR UPDATE`
              const [row] = yield* sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
              yield* Deferred.succeed(held, row?.pid ?? 0)
              yield* Effect.never
            })
          )
        }).pipe(
          Effect.provide(PostgresClient.layer({ url: Redacted.make(url) })),
          Effect.ignore,
          Effect.forkChild
        )
        const pid = yield* Deferred.await(held)
        yield* drain
        assert.strictEqual((yield* headOf("wsp_one")).sequence, 0)
        yield* Effect.promise(() => server().query(url, "SELECT pg_terminate_backend($1)", [pid]))
        assert.isBelow(yield* untilSequenced("wsp_one", 1), 4_000)
      }).pipe(Effect.provide(cairnOn(url)))
    })
  )
})

describe("a workspace under heavy load", () => {
  it.live("does not starve another: each round gives every workspace one turn", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* Effect.gen(function* () {
        yield* makeWorkspace("wsp_busy")
        yield* makeWorkspace("wsp_quiet")
        const { round } = yield* Sequencer
        const batch = Array.from({ length: 100 }, () => event)
        for (let request = 0; request < 40; request++) yield* accept("wsp_busy", batch)
        yield* accept("wsp_quiet", [event])
        yield* round
        assert.strictEqual((yield* headOf("wsp_quiet")).sequence, 1)
        assert.strictEqual((yield* headOf("wsp_busy")).sequence, 1_000)
        yield* accept("wsp_quiet", [event])
        yield* round
        assert.strictEqual((yield* headOf("wsp_quiet")).sequence, 2)
        assert.strictEqual((yield* headOf("wsp_busy")).sequence, 2_000)
        yield* drain
        assert.strictEqual((yield* headOf("wsp_busy")).sequence, 4_000)
      }).pipe(Effect.provide(cairnOn(url)))
    })
  )
})
