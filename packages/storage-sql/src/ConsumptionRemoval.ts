/**
 * What consumers derived from events whose content is removed: the texts of alerts, and messages that contain
 * them.
 */
import { ALERT_CONSUMER, actorKeys, countriesKeys, stateId } from "@cairn/core/alert"
import type { Micros } from "@cairn/core/encoding"
import type { ContentRemoval, RemovedEvent } from "@cairn/core/retention"
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { removeDeliveries } from "./OutboxRows.ts"
import { noteRemoval, removalTally } from "./RemovalTally.ts"
import { inBatches } from "./RowBatches.ts"
import { unavailable } from "./StorageFailure.ts"
import { holdsJsonText, holdsText } from "./TextPattern.ts"
import { isOf, type KeyedTables } from "./WorkspaceKeys.ts"

/** The reason of an alert whose event was removed. */
const REMOVED_REASON = "The content of the event was removed"

const decodeAlerts = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ event_id: Schema.String })))

/**
 * A process that is evaluating events has read contents that are about to be removed. Its commit must find a
 * different version and read again. Taken before anything is removed, so that earlier commits are seen and
 * later ones wait.
 */
const interrupt = (tables: KeyedTables, which: Statement.Fragment) =>
  tables.sql`UPDATE consumer SET version = version + 1 WHERE ${which} AND name = ${ALERT_CONSUMER}`

/**
 * Removes these texts and messages, within a transaction of the database that holds `consumer`, `alert` and
 * `outbox`.
 */
export const forgetEvents = Effect.fnUntraced(function* (
  tables: KeyedTables,
  workspaceId: string,
  events: ReadonlyArray<RemovedEvent>
) {
  if (events.length === 0) return
  const { sql } = tables
  const which = yield* isOf(tables, workspaceId)
  yield* noteRemoval(tables)
  yield* interrupt(tables, which)
  for (const batch of inBatches(events.map(({ id }) => id))) {
    // Served by alert_event.
    const alerted = yield* Effect.flatMap(
      sql`
        UPDATE alert SET reason = ${REMOVED_REASON}
        WHERE ${which} AND ${sql.in("event_id", batch)} RETURNING event_id`,
      decodeAlerts
    )
    // Only alerts contain parts of an event.
    for (const eventId of new Set(alerted.map(({ event_id }) => event_id))) {
      const tells = holdsJsonText(sql, "payload", eventId)
      yield* removeDeliveries(sql, sql`workspace_id = ${workspaceId} AND ${tells}`)
    }
  }
})

/**
 * Removes consumers' state whose keys contain `text`, and messages about exports whose filters may name it,
 * within a transaction; returns how many rows of state were removed.
 */
const forgetRows = Effect.fnUntraced(function* (tables: KeyedTables, workspaceId: string, text: string) {
  const { sql } = tables
  const which = yield* isOf(tables, workspaceId)
  yield* interrupt(tables, which)
  const names = holdsJsonText(sql, "payload", text)
  yield* removeDeliveries(sql, sql`workspace_id = ${workspaceId} AND type = 'export.completed' AND ${names}`)
  const rows = yield* sql`
    DELETE FROM consumer_row
    WHERE ${which} AND ${holdsText(sql, "key", text)} RETURNING key`
  return rows.length
})

/** Whether a row's key ends with a text. On SQLite, `LIKE` would not distinguish `Ada` from `ada`. */
const endsWith = (sql: SqlClient.SqlClient, text: string) => {
  const before = sql.literal(String(Array.from(text).length - 1))
  return sql`substr(key, length(key) - ${before}) = ${text}`
}

/** Whether a row's key contains a text, with the same letter case. */
const holdsExactly = (sql: SqlClient.SqlClient, text: string) => sql`replace(key, ${text}, '') <> key`

/**
 * Removes the countries of these actors, and expired rows, within a transaction; with `null`, all state about
 * the actors, expired or not.
 */
const forgetActors = Effect.fnUntraced(function* (
  tables: KeyedTables,
  workspaceId: string,
  actorIds: ReadonlyArray<string>,
  expiredBy: Micros.Micros | null
) {
  const { sql } = tables
  const own = yield* isOf(tables, workspaceId)
  yield* interrupt(tables, own)
  const which = sql`${own} AND consumer = ${ALERT_CONSUMER}`
  for (const batch of inBatches(actorIds.flatMap(countriesKeys).map(stateId))) {
    yield* sql`DELETE FROM consumer_row WHERE ${which} AND ${sql.in("key", batch)}`
  }
  if (expiredBy === null) {
    for (const actorId of actorIds) {
      const { whole, beginning } = actorKeys(actorId)
      const names = sql.or([
        ...whole.map((key) => endsWith(sql, ` ${key}`)),
        holdsExactly(sql, ` ${beginning}`)
      ])
      yield* sql`DELETE FROM consumer_row WHERE ${which} AND ${names}`
    }
    return
  }
  // Served by consumer_row_expiry.
  yield* sql`DELETE FROM consumer_row WHERE ${which} AND expires_at <= ${expiredBy}`
})

/** The part of the port that only concerns what consumers derived and remember. */
type ConsumptionRemoval = Pick<ContentRemoval["Service"], "forget" | "forgetActors" | "unfinished">

/** The same part, over the database that holds `consumer`, `alert` and `outbox`. */
export const consumptionRemoval = (tables: KeyedTables): ConsumptionRemoval => ({
  forget: (workspaceId, text) =>
    tables.sql
      .withTransaction(forgetRows(tables, workspaceId, text))
      .pipe(unavailable("forget what consumers remember")),
  forgetActors: (workspaceId, actorIds, expiredBy) =>
    tables.sql
      .withTransaction(forgetActors(tables, workspaceId, actorIds, expiredBy))
      .pipe(unavailable("forget actors")),
  unfinished: Effect.map(removalTally(tables), ({ begun, scrubbed }) => begun > scrubbed).pipe(
    unavailable("look for an unfinished removal")
  )
})
