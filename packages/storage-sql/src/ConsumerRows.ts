/** Positions, rows and effects of the log's consumers, over any SQL client. */

import {
  type ConsumerCommit,
  type ConsumerKey,
  type ConsumerPosition,
  type ConsumerRow,
  Consumers,
  type RaisedAlert
} from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { CLOCK_SLACK, type StorageUnavailable } from "@cairn/core/log"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { insertDeliveries } from "./OutboxRows.ts"
import { inBatches } from "./RowBatches.ts"
import { unavailable } from "./StorageFailure.ts"
import { isOf, type KeyedTables, type WorkspaceKey, WorkspaceKeys } from "./WorkspaceKeys.ts"

const PositionRow = Schema.Struct({
  workspace_id: Schema.String,
  name: Schema.String,
  sequence: Schema.Number,
  /** 0 or 1. */
  paused: Schema.Number,
  version: Schema.Number,
  updated_at: Schema.Number
})
const decodePositions = Schema.decodeUnknownEffect(Schema.Array(PositionRow))
const POSITION = "workspace_id, name, sequence, paused, version, updated_at"

const toPosition = (row: typeof PositionRow.Type): ConsumerPosition => ({
  workspaceId: row.workspace_id,
  consumer: row.name,
  sequence: row.sequence,
  paused: row.paused !== 0,
  version: row.version,
  updatedAt: row.updated_at
})

const StateRow = Schema.Struct({
  key: Schema.String,
  value: Schema.String,
  expires_at: Schema.NullOr(Schema.Number)
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(StateRow))

const toRows = (rows: ReadonlyArray<unknown>) =>
  Effect.map(decodeRows(rows), (decoded) =>
    decoded.map(({ key, value, expires_at }): ConsumerRow => ({ key, value, expiresAt: expires_at }))
  )

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

const positions = (rows: ReadonlyArray<unknown>) =>
  Effect.map(decodePositions(rows), (decoded) => decoded.map(toPosition))

const first = (rows: ReadonlyArray<unknown>) =>
  Effect.map(positions(rows), ([position]) => Option.fromNullishOr(position))

/** Stores alerts, and the messages about those that are new. */
const raise = ({ sql, keys }: KeyedTables, key: WorkspaceKey, all: ReadonlyArray<RaisedAlert>) =>
  Effect.gen(function* () {
    for (const batch of inBatches(all)) {
      const [one, ...others] = batch.map(({ alert }) => ({
        ...key,
        ...alert,
        triggered_at: Micros.parse(alert.triggered_at) ?? 0
      }))
      if (one === undefined) continue
      const added = yield* Effect.flatMap(
        sql`
          INSERT INTO alert ${sql.insert([one, ...others])}
          ON CONFLICT (${sql.literal(keys.column)}, id) DO NOTHING RETURNING id`,
        decodeIds
      )
      const fresh = new Set(added.map(({ id }) => id))
      yield* insertDeliveries(
        sql,
        batch.flatMap(({ alert, deliveries }) => (fresh.has(alert.id) ? deliveries : []))
      )
    }
  })

/** How the rows of a consumer's state are read and written, many at once. */
export interface StateRows {
  /** The rows with these keys. */
  readonly read: (
    key: ConsumerKey,
    keys: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError | StorageUnavailable>
  /** Writes rows that replace those with the same keys. */
  readonly write: (
    key: ConsumerKey,
    rows: ReadonlyArray<ConsumerRow>
  ) => Effect.Effect<void, SqlError.SqlError | StorageUnavailable>
}

/** The columns that {@link StateRows.read} returns. */
export const STATE_COLUMNS = "key, value, expires_at"

/** What to do with a row that exists. */
export const stateConflict = ({ keys }: KeyedTables): string =>
  `ON CONFLICT (${keys.column}, consumer, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`

/** In statements that every database understands. */
export const stateRows = (tables: KeyedTables): StateRows => ({
  read: Effect.fnUntraced(function* ({ workspaceId, consumer }, keys) {
    const { sql } = tables
    const which = yield* isOf(tables, workspaceId)
    const batches = yield* Effect.forEach(
      inBatches(keys),
      (batch) => sql`
        SELECT ${sql.literal(STATE_COLUMNS)} FROM consumer_row
        WHERE ${which} AND consumer = ${consumer} AND ${sql.in("key", batch)}`
    )
    return batches.flat()
  }),
  write: Effect.fnUntraced(function* ({ workspaceId, consumer }, rows) {
    const { sql } = tables
    const workspace = yield* tables.keys.of(workspaceId)
    for (const batch of inBatches(rows)) {
      const [one, ...others] = batch.map(({ key, value, expiresAt }) => ({
        ...workspace,
        consumer,
        key,
        value,
        expires_at: expiresAt
      }))
      if (one === undefined) continue
      yield* sql`INSERT INTO consumer_row ${sql.insert([one, ...others])} ${sql.literal(stateConflict(tables))}`
    }
  })
})

/** What else a commit does within its transaction, given a consumer and the sequence that it reached. */
export type OnCommit = (key: ConsumerKey, sequence: number) => Effect.Effect<void, SqlError.SqlError>

type Store = Consumers["Service"]

/** The tables, and how statements on `consumer` name a row and its columns. */
interface Positions extends KeyedTables {
  readonly columns: Statement.Fragment
  readonly at: (key: ConsumerKey) => Effect.Effect<Statement.Fragment, StorageUnavailable>
}

const makePositions = (tables: KeyedTables): Positions => ({
  ...tables,
  columns: tables.sql.literal(POSITION),
  at: ({ workspaceId, consumer }) =>
    Effect.map(isOf(tables, workspaceId), (which) => tables.sql`${which} AND name = ${consumer}`)
})

/** Opening consumers, and where they are. */
const opened = (table: Positions): Pick<Store, "open" | "list" | "everywhere"> => {
  const { sql, keys, columns, at } = table
  const read = Effect.fnUntraced(function* (key: ConsumerKey) {
    return yield* first(yield* sql`SELECT ${columns} FROM consumer WHERE ${yield* at(key)}`)
  })

  return {
    open: Effect.fnUntraced(function* (key: ConsumerKey, sequence: number, now: Micros.Micros) {
      const known = yield* read(key)
      if (Option.isSome(known)) return known.value
      const row = { name: key.consumer, sequence, paused: 0, version: 1, updated_at: now }
      yield* sql`
        INSERT INTO consumer ${sql.insert({ ...(yield* keys.of(key.workspaceId)), ...row })}
        ON CONFLICT DO NOTHING`
      return yield* Effect.flatMap(read(key), Effect.fromOption)
    }, unavailable("open a consumer")),
    list: Effect.fnUntraced(function* (workspaceId) {
      const which = yield* isOf(table, workspaceId)
      return yield* positions(yield* sql`SELECT ${columns} FROM consumer WHERE ${which} ORDER BY name`)
    }, unavailable("list consumers")),
    everywhere: (name) =>
      // Served by consumer_name.
      keys
        .everywhere(
          sql,
          keys.column,
          (isReachable) => sql`SELECT ${columns} FROM consumer WHERE name = ${name} AND ${isReachable}`
        )
        .pipe(Effect.flatMap(positions), unavailable("list a consumer's positions"))
  }
}

/** What consumers remember. */
const remembered = (tables: KeyedTables, state: StateRows): Pick<Store, "rows" | "rowsAfter"> => ({
  rows: (key, keys) =>
    state.read(key, keys).pipe(Effect.flatMap(toRows), unavailable("read what a consumer remembers")),
  rowsAfter: Effect.fnUntraced(function* ({ workspaceId, consumer }, after, limit) {
    const { sql } = tables
    const which = yield* isOf(tables, workspaceId)
    // Served by the unique index.
    const rows = yield* sql`
      SELECT ${sql.literal(STATE_COLUMNS)} FROM consumer_row
      WHERE ${which} AND consumer = ${consumer} AND key > ${after}
      ORDER BY key LIMIT ${limit}`
    return yield* toRows(rows)
  }, unavailable("read what a consumer remembers"))
})

/** Writes a consumer's state, and removes expired rows. */
const remember = Effect.fnUntraced(function* (
  tables: KeyedTables,
  state: StateRows,
  key: ConsumerKey,
  { rows, expiredBy }: Pick<ConsumerCommit, "rows" | "expiredBy">
) {
  yield* state.write(key, rows)
  if (expiredBy === null) return
  // Served by its index.
  yield* tables.sql`
    DELETE FROM consumer_row
    WHERE ${yield* isOf(tables, key.workspaceId)} AND consumer = ${key.consumer} AND expires_at <= ${expiredBy}`
})

/** Commits of what consumers did. */
const commits = (tables: Positions, state: StateRows, onCommit: OnCommit): Pick<Store, "commit"> => ({
  commit: Effect.fnUntraced(
    function* (position: ConsumerPosition, request: ConsumerCommit) {
      const { sql, columns, at } = tables
      // The row's lock makes every other commit of this consumer wait, and then find a different version.
      const moved = yield* Effect.flatMap(
        sql`
          UPDATE consumer
          SET sequence = ${request.sequence}, version = version + 1, updated_at = ${request.at}
          WHERE ${yield* at(position)} AND version = ${position.version} AND paused = 0
          RETURNING ${columns}`,
        first
      )
      if (Option.isNone(moved)) return moved
      yield* remember(tables, state, position, request)
      yield* raise(tables, yield* tables.keys.of(position.workspaceId), request.raised)
      yield* insertDeliveries(sql, request.deliveries)
      yield* onCommit(position, request.sequence)
      return moved
    },
    (effect) => tables.sql.withTransaction(effect),
    unavailable("commit what a consumer did")
  )
})

/** Holds, for work that must not be done twice at the same time. */
const holds = ({ sql, columns, at }: Positions): Pick<Store, "hold" | "release"> => ({
  hold: Effect.fnUntraced(function* (key, { holder, at: now, until }) {
    const held = yield* sql`
      UPDATE consumer
      SET version = CASE WHEN holder = ${holder} THEN version ELSE version + 1 END,
        holder = ${holder}, held_until = ${until}
      WHERE ${yield* at(key)}
        AND (holder IS NULL OR holder = ${holder} OR held_until <= ${now} OR held_until > ${until + CLOCK_SLACK})
      RETURNING ${columns}`
    return yield* first(held)
  }, unavailable("hold a consumer")),
  release: Effect.fnUntraced(function* (key, holder) {
    yield* sql`
      UPDATE consumer SET holder = NULL, held_until = NULL WHERE ${yield* at(key)} AND holder = ${holder}`
  }, unavailable("let go of a consumer"))
})

/** What somebody commands a consumer to do; each change makes the batch that is being evaluated void. */
const commands = (table: Positions): Pick<Store, "pause" | "resume" | "replay" | "remove"> => {
  const { sql, columns, at } = table
  const setPaused = (key: ConsumerKey, paused: boolean, now: Micros.Micros) =>
    Effect.flatMap(
      at(key),
      (which) => sql`
        UPDATE consumer SET paused = ${paused ? 1 : 0}, version = version + 1, updated_at = ${now}
        WHERE ${which} RETURNING ${columns}`
    ).pipe(Effect.flatMap(first), unavailable(paused ? "pause a consumer" : "resume a consumer"))

  const forget = Effect.fnUntraced(function* ({ workspaceId, consumer }: ConsumerKey) {
    const which = yield* isOf(table, workspaceId)
    yield* sql`DELETE FROM consumer_row WHERE ${which} AND consumer = ${consumer}`
  })

  return {
    pause: (key, now) => setPaused(key, true, now),
    resume: (key, now) => setPaused(key, false, now),
    replay: Effect.fnUntraced(
      function* (key: ConsumerKey, sequence: number, now: Micros.Micros) {
        const moved = yield* Effect.flatMap(
          sql`
            UPDATE consumer SET sequence = ${sequence}, version = version + 1, updated_at = ${now}
            WHERE ${yield* at(key)} RETURNING ${columns}`,
          first
        )
        if (Option.isSome(moved)) yield* forget(key)
        return moved
      },
      (effect) => sql.withTransaction(effect),
      unavailable("replay a consumer")
    ),
    remove: Effect.fnUntraced(
      function* (key: ConsumerKey) {
        yield* sql`DELETE FROM consumer WHERE ${yield* at(key)}`
        yield* forget(key)
      },
      (effect) => sql.withTransaction(effect),
      unavailable("remove a consumer")
    )
  }
}

/** The store, in the tables `consumer`, `consumer_row`, `alert` and `outbox` of one database. */
export const layer = (
  makeRows: (tables: KeyedTables) => StateRows = stateRows,
  onCommit: OnCommit = () => Effect.void
) =>
  Layer.effect(
    Consumers,
    Effect.gen(function* () {
      const tables = { sql: yield* SqlClient.SqlClient, keys: yield* WorkspaceKeys }
      const state = makeRows(tables)
      const table = makePositions(tables)
      return Consumers.of({
        ...opened(table),
        ...remembered(tables, state),
        ...commits(table, state, onCommit),
        ...holds(table),
        ...commands(table)
      })
    })
  )
