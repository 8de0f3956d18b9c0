/**
 * A process that takes a workspace's lock in the database of the URL it is given, and then asks, in the same
 * transaction, for far more than any socket holds. It says so, in one line with the number of its session,
 * before it asks.
 */
import { PostgresClient } from "@cairn/storage-postgres"
import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Redacted } from "effect"

const [url = ""] = process.argv.slice(2)

await Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT * FROM head WHERE workspace = 1 FOR UPDATE`
      const [session] = yield* sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
      yield* Console.log(session?.pid)
      // A gigabyte: it is stopped long before it has read that.
      yield* sql`SELECT repeat('x', 1000000) AS text FROM generate_series(1, 1000)`
    })
  )
}).pipe(Effect.provide(PostgresClient.layer({ url: Redacted.make(url) })), Effect.runPromise)
