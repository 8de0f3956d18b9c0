/** PostgreSQL's timeline: a new one begins with every promotion and every recovery to a point in time. */
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { sqlState } from "./SqlState.ts"

/**
 * The first eight digits of a WAL file's name are its timeline, in hexadecimal. A standby cannot return it.
 */
const CURRENT = "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint"

/**
 * SQLSTATEs of a service that does not have such functions or does not allow calling them: 0A000, 42501,
 * 42883.
 */
const NOT_GIVEN = new Set(["0A000", "42501", "42883"])

/** Whether the error says that the service does not have a function, or does not allow calling it. */
export const isNotGiven = (error: SqlError): boolean => NOT_GIVEN.has(sqlState(error))

/** The expression for a server's timeline: null on a standby. */
export const TIMELINE = `CASE WHEN pg_is_in_recovery() THEN NULL ELSE ${CURRENT} END`

/** The expression where none is known. */
const UNKNOWN = "NULL::bigint"

/**
 * The expression for the database's timeline. Null on a standby, on some services that speak PostgreSQL's
 * protocol, and where the log is spread: each machine has a timeline of its own.
 */
export const timelineColumn = Effect.fnUntraced(function* (sql: PgClient.PgClient, isSpread: boolean) {
  if (isSpread) return UNKNOWN
  const given = yield* sql.unsafe(`SELECT ${TIMELINE} AS timeline`).pipe(
    Effect.as(true),
    Effect.catch((error) => (isNotGiven(error) ? Effect.succeed(false) : Effect.fail(error)))
  )
  if (given) return TIMELINE
  yield* Effect.logWarning(
    "The database does not tell its timeline: a replaced primary is recognised only by where its logs end"
  )
  return UNKNOWN
})
