import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { EventLog } from "@cairn/core/log"
import { PostgresClient } from "@cairn/storage-postgres"
import { PgClient } from "@effect/sql-pg"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { accept, cairnOn, drain, makeWorkspace, postgresServer } from "./support.ts"

const server = postgresServer()
const newDatabase = Effect.promise(() => server().newDatabase())

const children: Array<ChildProcess> = []
const killAll = () => {
  for (const child of children) child.kill("SIGKILL")
}
afterAll(killAll)
// What is stopped would stay for ever.
process.on("exit", killAll)

/** Where the tests' server can tell that a peer takes nothing any more. */
const hasUserTimeout = process.platform === "linux"

/** Starts the process that holds the lock of the first workspace; gives the number of its session. */
const startHolder = async (url: string) => {
  const script = fileURLToPath(new URL("StoppedHolder.ts", import.meta.url))
  const child = spawn(process.execPath, [...process.execArgv, script, url], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  children.push(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { child, session: Number((await lines.next()).value) }
}

/**
 * Milliseconds within which a lock is free again: the longest limit is ten seconds, and a machine under load
 * is late. Without the limits it would be a quarter of an hour.
 */
const SOON = 40_000

const event = { actor_id: "ada", action: "document.created" }

const headOf = (workspaceId: string) => Effect.flatMap(EventLog, (log) => log.head(workspaceId))

/** Runs the sequencer again and again until a workspace's log has this length, which has to be soon. */
const untilSequenced = Effect.fnUntraced(function* (workspaceId: string, length: number) {
  const begun = performance.now()
  while ((yield* headOf(workspaceId)).sequence < length) {
    assert.isBelow(performance.now() - begun, SOON, "what was accepted is not in the log")
    yield* drain
    yield* Effect.sleep("50 millis")
  }
})

// Each waits for a real limit of the server, on a database of its own: together they wait once.
describe.concurrent("a session that holds a workspace's head", () => {
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
        yield* untilSequenced("wsp_one", 1)
        yield* Fiber.interrupt(staller)
        assert.strictEqual((yield* headOf("wsp_one")).sequence, 1)
      }).pipe(Effect.provide(cairnOn(url)))
    })
  )

  it.live.skipIf(!hasUserTimeout)(
    `and is stopped while an answer is on its way loses it within seconds${hasUserTimeout ? "" : " (skipped: TCP_USER_TIMEOUT is Linux's)"}`,
    () =>
      Effect.gen(function* () {
        const url = yield* newDatabase
        yield* Effect.gen(function* () {
          yield* makeWorkspace("wsp_one")
          const { child, session } = yield* Effect.promise(() => startHolder(url))
          const stateOf = Effect.promise(() =>
            server().query(url, "SELECT state, query, wait_event FROM pg_stat_activity WHERE pid = $1", [
              session
            ])
          )
          const untilSession = (is: (row: Record<string, unknown> | undefined) => boolean) =>
            Effect.repeat(Effect.delay(stateOf, "20 millis"), { until: ([row]) => is(row) })
          yield* untilSession(
            (row) => row?.state === "active" && String(row.query).includes("generate_series")
          )
          child.kill("SIGSTOP")
          yield* untilSession((row) => row?.wait_event === "ClientWrite")

          yield* accept("wsp_one", [event])
          yield* drain
          assert.strictEqual((yield* headOf("wsp_one")).sequence, 0)
          yield* untilSequenced("wsp_one", 1)
          // Its locks go before its entry does.
          yield* untilSession((row) => row === undefined)
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
        yield* untilSequenced("wsp_one", 1)
      }).pipe(Effect.provide(cairnOn(url)))
    })
  )
})
