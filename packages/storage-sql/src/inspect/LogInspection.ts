/**
 * What a look at a database tells of its logs: where each ends, what was signed for it, what waits, and who
 * reads it. Statements that both dialects understand, which write nothing.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

const Count = Schema.NumberFromString.pipe((text) => Schema.Union([Schema.Number, text]))

/** Where a log ends, by its head and by its events. */
const HeadStanding = Schema.Struct({
  workspace_id: Schema.String,
  sequence: Count,
  event_hash: Schema.NullOr(Schema.String),
  created_at: Count,
  /** The newest event's place; null if there is none. */
  last: Schema.NullOr(Count),
  /** The hash of the event that the head names; null if it is not there. */
  found_hash: Schema.NullOr(Schema.String)
})
export type HeadStanding = typeof HeadStanding.Type

/** The newest checkpoint of a log. */
const SignedStanding = Schema.Struct({ workspace_id: Schema.String, size: Count, root: Schema.String })
export type SignedStanding = typeof SignedStanding.Type

/** What waits to be sequenced. */
const WaitingStanding = Schema.Struct({ requests: Count, events: Count, oldest: Schema.NullOr(Count) })
export type WaitingStanding = typeof WaitingStanding.Type

/** A consumer of a log. */
const ConsumerStandingRow = Schema.Struct({
  workspace_id: Schema.String,
  name: Schema.String,
  sequence: Count,
  paused: Count,
  updated_at: Count
})
export type ConsumerStandingRow = typeof ConsumerStandingRow.Type

/** A row of a consumer's state. */
const StateRow = Schema.Struct({ workspace_id: Schema.String, key: Schema.String, value: Schema.String })
export type StateRow = typeof StateRow.Type

const CountRow = Schema.Struct({ count: Count })

const rowsOf = <A>(schema: Schema.Codec<A, unknown>, rows: Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
  Effect.flatMap(rows, Schema.decodeUnknownEffect(Schema.Array(schema)))

/** Where each log ends. Costs two look-ups a workspace. */
export const headStandings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* rowsOf(
    HeadStanding,
    sql`
      SELECT w.id AS workspace_id, h.sequence, h.event_hash, h.created_at,
        (SELECT max(e.sequence) FROM event e WHERE e.workspace = h.workspace) AS last,
        (SELECT e.event_hash FROM event e WHERE e.workspace = h.workspace AND e.sequence = h.sequence) AS found_hash
      FROM workspace w JOIN head h ON h.workspace = w.number`
  )
})

/** The newest checkpoint of each log that has one. */
export const signedStandings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* rowsOf(SignedStanding, sql`SELECT workspace_id, size, root FROM checkpoint`)
})

/** What waits in the inbox. */
export const waitingStanding = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* rowsOf(
    WaitingStanding,
    sql`SELECT count(*) AS requests, coalesce(sum(event_count), 0) AS events, min(accepted_at) AS oldest FROM inbox`
  )
  return found ?? { requests: 0, events: 0, oldest: null }
})

/** How many rows a table has, by counting them. */
export const countRows = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* rowsOf(CountRow, sql`SELECT count(*) AS count FROM ${sql(table)}`)
  return found?.count ?? 0
})

/** Every consumer of every log. */
export const consumerStandings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* rowsOf(
    ConsumerStandingRow,
    sql`SELECT workspace_id, name, sequence, paused, updated_at FROM consumer`
  )
})

/** The rows of a consumer's state, of every log. */
export const stateRowsOf = Effect.fnUntraced(function* (consumer: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* rowsOf(
    StateRow,
    sql`SELECT workspace_id, key, value FROM consumer_row WHERE consumer = ${consumer}`
  )
})
