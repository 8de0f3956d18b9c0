import { distributeDatabase, PostgresClient } from "@cairn/storage-postgres"
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { SPREADING } from "../src/Distribution.ts"
import { Places } from "../src/Places.ts"
import { sharedServer } from "./support.ts"

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
