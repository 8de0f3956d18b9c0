/** Deliveries and their attempts over any SQL client. */

import { DeliveryChannel, type NewDelivery } from "@cairn/core/consumer"
import { CLOCK_SLACK } from "@cairn/core/log"
import {
  type ClaimedDelivery,
  type Delivery,
  DeliveryAttempt,
  type DeliveryFilter,
  DeliveryStatus,
  MAX_RETRY_AFTER,
  Outbox
} from "@cairn/core/outbound"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { inBatches } from "./RowBatches.ts"
import { unavailable } from "./StorageFailure.ts"

const DeliveryRow = Schema.Struct({
  number: Schema.Number,
  id: Schema.String,
  workspace_id: Schema.String,
  channel: DeliveryChannel,
  target: Schema.String,
  type: Schema.String,
  payload: Schema.String,
  created_at: Schema.Number,
  status: DeliveryStatus,
  attempts: Schema.Number,
  due_at: Schema.NullOr(Schema.Number)
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(DeliveryRow))
const decodeAttempts = Schema.decodeUnknownEffect(Schema.Array(DeliveryAttempt))
const decodeCount = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ count: Schema.Number })))
const decodeDue = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ due: Schema.NullOr(Schema.Number) }))
)
const decodeNumbers = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ number: Schema.Number })))

const COLUMNS =
  "number, id, workspace_id, channel, target, type, payload, created_at, status, attempts, due_at"

const toDelivery = (row: typeof DeliveryRow.Type): Delivery => ({
  number: row.number,
  id: row.id,
  workspaceId: row.workspace_id,
  channel: row.channel,
  target: row.target,
  type: row.type,
  payload: row.payload,
  createdAt: row.created_at,
  status: row.status,
  attempts: row.attempts,
  dueAt: row.due_at
})

const decodeReceivers = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ workspace_id: Schema.String, target: Schema.String, due_at: Schema.Number }))
)

const receivers = (rows: ReadonlyArray<unknown>) =>
  Effect.map(decodeReceivers(rows), (decoded) =>
    decoded.map(({ workspace_id, target, due_at }) => ({ workspaceId: workspace_id, target, dueAt: due_at }))
  )

/** Most parts of one statement: SQLite allows 500 selects in a union. */
const LARGEST_UNION = 64

const deliveries = (rows: ReadonlyArray<unknown>) =>
  Effect.map(decodeRows(rows), (decoded) => decoded.map(toDelivery))

/** Stores deliveries that do not exist yet, within the caller's transaction. */
export const insertDeliveries = (sql: SqlClient.SqlClient, all: ReadonlyArray<NewDelivery>) =>
  Effect.gen(function* () {
    for (const batch of inBatches(all)) {
      const [one, ...others] = batch.map((delivery) => ({
        id: delivery.id,
        workspace_id: delivery.workspaceId,
        channel: delivery.channel,
        target: delivery.target,
        type: delivery.type,
        payload: delivery.payload,
        created_at: delivery.createdAt,
        status: "pending",
        attempts: 0,
        due_at: delivery.createdAt
      }))
      if (one === undefined) continue
      yield* sql`INSERT INTO outbox ${sql.insert([one, ...others])} ON CONFLICT (id) DO NOTHING`
    }
  })

/**
 * Removes deliveries and their attempts, within the caller's transaction, and returns how many deliveries.
 * Deliveries are removed first: that waits for anybody who is storing an attempt at one, and prevents new
 * attempts.
 */
export const removeDeliveries = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  condition: Statement.Fragment
) {
  const gone = yield* decodeNumbers(yield* sql`DELETE FROM outbox WHERE ${condition} RETURNING number`)
  for (const batch of inBatches(gone.map(({ number }) => number))) {
    yield* sql`DELETE FROM delivery_attempt WHERE ${sql.in("delivery", batch)}`
  }
  return gone.length
})

type Store = Outbox["Service"]

/**
 * Whom messages wait for. Steps from one receiver to the next along outbox_waiting, however many messages
 * wait for one: to the next target of the same workspace, or else to the next workspace. For a comparison of
 * both together SQLite would only seek the workspace, and walk over everything that waits for its earlier
 * targets.
 */
const waitingReceivers = (sql: SqlClient.SqlClient): Pick<Store, "receivers"> => ({
  receivers: Effect.fnUntraced(function* (channel, now) {
    const waits = (outbox: string) =>
      sql`${sql.literal(outbox)}.due_at IS NOT NULL AND ${sql.literal(outbox)}.channel = ${channel}`
    const rows = yield* sql`
      WITH RECURSIVE receiver (number) AS (
        SELECT (
          SELECT first.number FROM outbox first WHERE ${waits("first")}
          ORDER BY first.workspace_id, first.target, first.due_at, first.number LIMIT 1
        )
        UNION ALL
        SELECT coalesce((
          SELECT next.number FROM outbox next
          WHERE ${waits("next")} AND next.workspace_id = one.workspace_id AND next.target > one.target
          ORDER BY next.target, next.due_at, next.number LIMIT 1
        ), (
          SELECT next.number FROM outbox next
          WHERE ${waits("next")} AND next.workspace_id > one.workspace_id
          ORDER BY next.workspace_id, next.target, next.due_at, next.number LIMIT 1
        ))
        FROM receiver JOIN outbox one ON one.number = receiver.number
      )
      SELECT one.workspace_id, one.target, one.due_at
      FROM receiver JOIN outbox one ON one.number = receiver.number
      -- The plus keeps this from being looked up in outbox_due, among all that is due.
      WHERE +one.due_at <= ${now} ORDER BY one.due_at, one.number`
    return yield* receivers(rows)
  }, unavailable("find whom messages wait for"))
})

type ClaimRequest = Parameters<Store["claim"]>[0]

/** The numbers of messages that are due: of each receiver the longest due, as many as its share. */
const dueNumbers = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { channel, shares, now }: Pick<ClaimRequest, "channel" | "shares" | "now">
) {
  const numbers: Array<number> = []
  for (const batch of inBatches(shares, LARGEST_UNION)) {
    // Served by outbox_waiting.
    const [first, ...others] = batch.map(
      ({ workspaceId, target, limit }) => sql`
        SELECT number, due_at FROM (
          SELECT number, due_at FROM outbox
          WHERE due_at IS NOT NULL AND channel = ${channel} AND workspace_id = ${workspaceId}
            AND target = ${target} AND due_at <= ${now}
          ORDER BY due_at, number LIMIT ${limit}
        ) AS share`
    )
    if (first === undefined) continue
    const rows = yield* others.reduce((all, one) => sql`${all} UNION ALL ${one}`, first)
    numbers.push(...(yield* decodeNumbers(rows)).map(({ number }) => number))
  }
  return numbers
})

/** Claiming messages, for a process that is about to send them, and storing what came of that. */
const claiming = (sql: SqlClient.SqlClient): Pick<Store, "claim" | "keep" | "settle"> => {
  const columns = sql.literal(COLUMNS)
  return {
    claim: Effect.fnUntraced(
      function* (request) {
        const { now, until, claim } = request
        const numbers = yield* dueNumbers(sql, request)
        const claimed: Array<Delivery> = []
        for (const batch of inBatches(numbers)) {
          // A message that another process claimed since the select has a different due_at by now, which
          // this statement sees.
          const rows = yield* sql`
            UPDATE outbox SET claim = ${claim}, due_at = ${until}
            WHERE ${sql.in("number", batch)} AND due_at <= ${now} RETURNING ${columns}`
          claimed.push(...(yield* deliveries(rows)))
        }
        const place = new Map(numbers.map((number, index) => [number, index]))
        return claimed
          .map((delivery): ClaimedDelivery => ({ ...delivery, claim }))
          .sort((one, other) => (place.get(one.number) ?? 0) - (place.get(other.number) ?? 0))
      },
      (effect) => sql.withTransaction(effect),
      unavailable("claim deliveries")
    ),
    keep: Effect.fnUntraced(
      function* (all, until) {
        let kept = 0
        for (const batch of inBatches(all)) {
          const claims = [...new Set(batch.map(({ claim }) => claim))]
          const numbers = batch.map(({ number }) => number)
          const rows = yield* sql`
            UPDATE outbox SET due_at = ${until}
            WHERE ${sql.in("number", numbers)} AND ${sql.in("claim", claims)} AND status = 'pending'
            RETURNING number`
          kept += rows.length
        }
        return kept
      },
      (effect) => sql.withTransaction(effect),
      unavailable("keep deliveries")
    ),
    settle: Effect.fnUntraced(
      function* ({ number, workspaceId, claim }, { attempt, status, dueAt }) {
        const which = sql`number = ${number} AND workspace_id = ${workspaceId}`
        const settled = yield* sql`
          UPDATE outbox SET status = ${status}, attempts = attempts + ${attempt === null ? 0 : 1},
            due_at = ${status === "pending" ? dueAt : null}, claim = NULL
          WHERE ${which} AND claim = ${claim} RETURNING number`
        if (attempt === null) return settled.length > 0
        // Locks the message if it still exists: no attempt may be left for one that was removed in the
        // meantime.
        const kept =
          settled.length > 0
            ? settled
            : yield* sql`UPDATE outbox SET attempts = attempts WHERE ${which} RETURNING number`
        if (kept.length > 0) {
          yield* sql`
            INSERT INTO delivery_attempt (delivery, started_at, duration, status, answer, error)
            VALUES (${number}, ${attempt.started_at}, ${attempt.duration}, ${attempt.status}, ${attempt.answer},
              ${attempt.error})`
        }
        return settled.length > 0
      },
      (effect) => sql.withTransaction(effect),
      unavailable("settle a delivery")
    )
  }
}

/** The conditions of a filter. */
const matching = (
  sql: SqlClient.SqlClient,
  workspaceId: string,
  { channel, target, status }: DeliveryFilter
): Array<Statement.Fragment> => {
  const conditions = [sql`workspace_id = ${workspaceId}`]
  if (channel !== undefined) conditions.push(sql`channel = ${channel}`)
  if (target !== undefined) conditions.push(sql`target = ${target}`)
  if (status !== undefined) conditions.push(sql`status = ${status}`)
  return conditions
}

/** Reading messages and their attempts. */
const listings = (sql: SqlClient.SqlClient): Pick<Store, "get" | "page" | "count" | "attempts"> => {
  const columns = sql.literal(COLUMNS)
  return {
    get: Effect.fnUntraced(function* (workspaceId, id) {
      const rows =
        yield* sql`SELECT ${columns} FROM outbox WHERE id = ${id} AND workspace_id = ${workspaceId}`
      const [found] = yield* deliveries(rows)
      return Option.fromNullishOr(found)
    }, unavailable("read a delivery")),
    page: Effect.fnUntraced(function* (workspaceId, { filter, before, limit }) {
      const conditions = matching(sql, workspaceId, filter)
      if (before !== null) conditions.push(sql`number < ${before}`)
      // Served by outbox_target or outbox_workspace.
      const rows = yield* sql`
        SELECT ${columns} FROM outbox WHERE ${sql.and(conditions)} ORDER BY number DESC LIMIT ${limit}`
      return yield* deliveries(rows)
    }, unavailable("list deliveries")),
    count: Effect.fnUntraced(function* (workspaceId, filter) {
      const rows = yield* sql`
        SELECT count(*) AS count FROM outbox WHERE ${sql.and(matching(sql, workspaceId, filter))}`
      const [row] = yield* decodeCount(rows)
      return row?.count ?? 0
    }, unavailable("count deliveries")),
    attempts: Effect.fnUntraced(function* (workspaceId, id) {
      const rows = yield* sql`
        SELECT a.started_at, a.duration, a.status, a.answer, a.error
        FROM outbox o JOIN delivery_attempt a ON a.delivery = o.number
        WHERE o.id = ${id} AND o.workspace_id = ${workspaceId} ORDER BY a.number`
      return yield* decodeAttempts(rows)
    }, unavailable("list a delivery's attempts"))
  }
}

/** When messages are due. */
const schedule = (sql: SqlClient.SqlClient): Pick<Store, "redeliver" | "nextDue" | "hasten"> => ({
  redeliver: Effect.fnUntraced(function* (workspaceId, id, at) {
    const rows = yield* sql`
      UPDATE outbox SET status = 'pending', attempts = 0, due_at = ${at}, claim = NULL
      WHERE id = ${id} AND workspace_id = ${workspaceId} RETURNING ${sql.literal(COLUMNS)}`
    const [found] = yield* deliveries(rows)
    return Option.fromNullishOr(found)
  }, unavailable("send a delivery again")),
  nextDue: Effect.gen(function* () {
    const [row] = yield* decodeDue(yield* sql`SELECT min(due_at) AS due FROM outbox`)
    return row?.due ?? null
  }).pipe(unavailable("find the next delivery")),
  // Served by outbox_due.
  hasten: (now) =>
    sql`
      UPDATE outbox SET due_at = ${now}
      WHERE due_at > ${now + CLOCK_SLACK}
        AND (attempts = 0 OR claim IS NOT NULL OR due_at > ${now + CLOCK_SLACK + MAX_RETRY_AFTER})
      RETURNING number`.pipe(
      Effect.map((rows) => rows.length),
      unavailable("hasten deliveries")
    )
})

/** What is put into the outbox, and what leaves it. */
const contents = (sql: SqlClient.SqlClient): Pick<Store, "put" | "prune"> => ({
  put: (all) =>
    all.length === 0
      ? Effect.void
      : sql.withTransaction(insertDeliveries(sql, all)).pipe(unavailable("put deliveries into the outbox")),
  // Served by outbox_settled.
  prune: (before) =>
    removeDeliveries(sql, sql`due_at IS NULL AND created_at < ${before}`).pipe(
      sql.withTransaction,
      unavailable("remove old deliveries")
    )
})

/** The outbox, in the tables `outbox` and `delivery_attempt`. */
export const layer = Layer.effect(
  Outbox,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Outbox.of({
      ...contents(sql),
      ...waitingReceivers(sql),
      ...claiming(sql),
      ...listings(sql),
      ...schedule(sql)
    })
  )
)
