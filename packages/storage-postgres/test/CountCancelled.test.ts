import { EventLog } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { accept, cairnOn, drain, makeWorkspace, sharedServer } from "./support.ts"

const server = sharedServer()

/** Statements of a count that wait for the log, which is locked. */
const WAITING =
  "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM event%'"

const LOCK = "DO $$ BEGIN LOCK TABLE event; PERFORM pg_sleep(120); END $$"
const UNLOCK =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'DO $$ BEGIN LOCK%'"
const LOCKED =
  "SELECT 1 FROM pg_locks WHERE relation = 'event'::regclass AND mode = 'AccessExclusiveLock' AND granted"

describe("a count on PostgreSQL", () => {
  it.live("is cancelled in the database when nobody waits for it any more", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => server().newDatabase())
      const ask = (statement: string) => Effect.promise(() => server().query(url, statement))
      yield* Effect.gen(function* () {
        yield* makeWorkspace("wsp_one")
        yield* accept("wsp_one", [{ actor_id: "ada", action: "document.created" }])
        yield* drain
        const log = yield* EventLog
        const count = log.count("wsp_one", { actorId: "ada" }, { from: 1, to: 1 })
        assert.strictEqual(yield* count, 1)
        const lock = server()
          .query(url, LOCK)
          .catch(() => [])
        while ((yield* ask(LOCKED)).length === 0) yield* Effect.sleep("20 millis")
        const fiber = yield* Effect.forkChild(count)
        while ((yield* ask(WAITING)).length === 0) yield* Effect.sleep("20 millis")
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* ask(WAITING), [])
        yield* ask(UNLOCK)
        yield* Effect.promise(() => lock)
        assert.strictEqual(yield* count, 1, "the connection is of use again")
      }).pipe(Effect.provide(cairnOn(url)))
    })
  )
})
