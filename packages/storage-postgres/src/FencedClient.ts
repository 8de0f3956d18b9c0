/**
 * The client for all writes except accepting and appending, which compare the database with what was seen in
 * their own statements. It writes nothing to a database that is behind: no settings are changed there, no
 * consumer moves, and no message is claimed.
 *
 * A check precedes the first statement of a transaction that writes, and each writing statement outside one,
 * on the same connection and so on the same server: one more round trip. Reads are not checked.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { SeenHeads } from "./SeenHeads.ts"
import { commit, WRITES } from "./Sessions.ts"

/** The connection with the check before its first write. */
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
    // Streamed statements never write.
    executeStream: (...args) => connection.executeStream(...args)
  }
}

/** A client over the same pool, whose connections wrap those of the pool. */
export const clientOver = Effect.fnUntraced(function* (
  pool: PgClient.PgClient,
  acquirer: (reserved: typeof pool.reserve) => typeof pool.reserve
) {
  const client = yield* SqlClient.make({
    driver: pool.driver,
    acquirer: acquirer(pool.reserve),
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

/** `PgClient` and `SqlClient` over the same pool, with the check. */
export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const pool = yield* PgClient.PgClient
    const { newest } = yield* SeenHeads
    return yield* clientOver(pool, (reserved) =>
      Effect.map(reserved, (connection) => fenced(connection, newest))
    )
  })
).pipe(Layer.provide(Reactivity.layer))
