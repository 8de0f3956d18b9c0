/** The SQL client over the sessions of the server in use. */
import { PgClient, type PgConnection } from "@effect/sql-pg"
import { Cause, Effect, Exit, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { type Custom, custom, fragment } from "effect/sql/Statement"
import { leftWithPool, makeServers, type Servers, type ServersConfig, type Serving } from "./Servers.ts"
import { isAnswer } from "./SqlState.ts"

/** Values are parameters, so these words belong to the statement itself. */
export const WRITES = /\b(?:INSERT|UPDATE|DELETE|TRUNCATE|MERGE)\b/i
/** Further statements that commit by themselves outside a transaction. */
const COMMITS = /\b(?:pg_logical_emit_message|CREATE|ALTER|DROP)\b/i

type Statement<A> = (session: PgConnection.PgConnection) => Effect.Effect<A, SqlError>

/** The connection over a session: what commits does so by way of `Commits`. */
const connectionOn = (
  session: PgConnection.PgConnection,
  { commits, silence, failed }: Serving
): Connection => {
  let inTransaction = false
  const noted = <A>(effect: Effect.Effect<A, SqlError>) =>
    Effect.suspend(() => {
      silence.asked()
      return Effect.onExit(leftWithPool(effect), (exit) => {
        const error = Exit.isSuccess(exit) ? Option.none() : Cause.findErrorOption(exit.cause)
        if (Exit.isSuccess(exit) || Option.exists(error, isAnswer)) silence.heard()
        else silence.gone()
        if (Option.isSome(error)) failed(error.value)
        return Effect.void
      })
    })
  const run = <A>(sql: string, statement: Statement<A>): Effect.Effect<A, SqlError> => {
    const ends = sql === "COMMIT" || sql === "ROLLBACK"
    const begins = sql.startsWith("BEGIN")
    const committing = sql === "COMMIT" || (!inTransaction && (WRITES.test(sql) || COMMITS.test(sql)))
    if (ends) inTransaction = false
    else if (begins) inTransaction = true
    if (committing) return noted(commits.run(session, statement))
    if (begins) return noted(commits.answered(session, statement))
    return noted(WRITES.test(sql) ? Effect.andThen(commits.admit, statement(session)) : statement(session))
  }
  const rows = (sql: string, params: ReadonlyArray<unknown>, prepare: boolean) =>
    run(sql, (on) => Effect.map(on.query(sql, params, prepare), (result) => result.rows))
  return {
    execute: (sql, params) => rows(sql, params, true),
    executeUnprepared: (sql, params) => rows(sql, params, false),
    executeRaw: (sql, params) => run(sql, (on) => on.query(sql, params)),
    executeValues: (sql, params) => run(sql, (on) => on.queryValues(sql, params)),
    executeValuesUnprepared: (sql, params) => run(sql, (on) => on.queryValues(sql, params, false)),
    executeStream: () => Stream.die("the database is read in pages, not as a stream")
  }
}

/** PostgreSQL responds to the `COMMIT` of a failed transaction with `ROLLBACK`. */
export const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
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

/** As the driver's compiler knows a parameter of JSON. */
const asJson = custom<Custom<"PgJson", unknown>>("PgJson")

/** Listens for as long as the scope lasts. That begins and ends with a statement, which is watched too. */
const listen = Effect.fnUntraced(function* (servers: Servers, channel: string) {
  const [session, { silence }] = yield* servers.get
  let ends = false
  yield* Effect.addFinalizer(() => Effect.sync(() => (ends ? silence.gone() : undefined)))
  silence.asked()
  const heard = yield* Effect.onExit(session.listen(channel), (exit) =>
    Effect.sync(() => (Exit.isSuccess(exit) ? silence.heard() : silence.gone()))
  )
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      ends = true
      silence.asked()
    })
  )
  return heard
})

/** The client, for as long as the scope lasts. */
export const makeClient = Effect.fnUntraced(function* (config: ServersConfig) {
  const servers: Servers = yield* makeServers(config)
  const acquirer = Effect.map(servers.get, (lent) => connectionOn(...lent))
  const client = yield* SqlClient.make({
    driver: "pg",
    acquirer,
    borrower: (work) => servers.use((session, serving) => work(connectionOn(session, serving))),
    transactionAcquirer: Effect.flatMap(servers.get, ([session, serving]) =>
      Effect.map(session.pin, (pinned) => connectionOn(pinned, serving))
    ),
    compiler: PgClient.makeCompiler(),
    prepareTransactionControls: true,
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "postgresql"]]
  })
  const whole: PgClient.PgClient = Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    config: {},
    json: (value: unknown) => fragment([asJson(value)]),
    listen: (channel: string) => listen(servers, channel),
    notify: (channel: string, payload: string) =>
      Effect.asVoid(client.unsafe("SELECT pg_notify($1, $2)", [channel, payload]))
  })
  return whole
})
