/**
 * The client that everything writes through but what accepts and appends, which hold the database against
 * what was seen in their own statements: nothing is written by it to a database that is behind. So nobody
 * changes settings there, no consumer moves, and nothing is claimed to be sent.
 *
 * The first statement of a transaction that writes, and each one outside, has a look before it, on the same
 * connection and so on the same server: one round trip more. What only reads is let through.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { SeenHeads } from "./SeenHeads.ts"

/** Values are parameters, so these words are the statement's own. */
const WRITES = /\b(?:INSERT|UPDATE|DELETE|TRUNCATE|MERGE)\b/i

/** The connection with the look before what it writes first. */
const fenced = (connection: Connection, newest: () => number): Connection => {
  let looked = false
  const look = Effect.suspend(() => connection.executeRaw("SELECT cairn_not_behind($1::bigint)", [newest()]))
  const guarded =
    <Rest extends ReadonlyArray<unknown>, A>(
      run: (sql: string, ...rest: Rest) => Effect.Effect<A, SqlError>
    ) =>
    (sql: string, ...rest: Rest): Effect.Effect<A, SqlError> => {
      if (looked || !WRITES.test(sql)) return run(sql, ...rest)
      return Effect.flatMap(look, () => {
        looked = true
        return run(sql, ...rest)
      })
    }
  return {
    execute: guarded((...args) => connection.execute(...args)),
    executeRaw: guarded((...args) => connection.executeRaw(...args)),
    executeValues: guarded((...args) => connection.executeValues(...args)),
    executeValuesUnprepared: guarded((...args) => connection.executeValuesUnprepared(...args)),
    executeUnprepared: guarded((...args) => connection.executeUnprepared(...args)),
    // Nothing that is streamed writes.
    executeStream: (...args) => connection.executeStream(...args)
  }
}

/** PostgreSQL answers the `COMMIT` of a transaction that has failed with `ROLLBACK`. */
const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    typeof result === "object" && result !== null && "command" in result && result.command === "ROLLBACK"
      ? Effect.fail(
          new SqlError({
            reason: new UnknownError({
              cause: new Error("the transaction was rolled back"),
              message: "the transaction was rolled back",
              operation: "commit"
            })
          })
        )
      : Effect.void
  )

/** `PgClient` and `SqlClient` over the same pool, with the look. */
export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const pool = yield* PgClient.PgClient
    const { newest } = yield* SeenHeads
    const acquirer = Effect.map(pool.reserve, (connection) => fenced(connection, newest))
    const client = yield* SqlClient.make({
      driver: pool.driver,
      acquirer,
      compiler: PgClient.makeCompiler(),
      prepareTransactionControls: true,
      commit,
      releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
      spanAttributes: []
    })
    const { json, listen, notify, config } = pool
    const whole: PgClient.PgClient = Object.assign(client, {
      [PgClient.TypeId]: PgClient.TypeId,
      json,
      listen,
      notify,
      config
    })
    return Context.make(PgClient.PgClient, whole).pipe(Context.add(SqlClient.SqlClient, client))
  })
).pipe(Layer.provide(Reactivity.layer))
