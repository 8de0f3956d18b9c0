/** Periods: which events have none yet, closing them, and the anchor that each becomes. */
import {
  type AnchorCreation,
  AnchorSchedule,
  type AnchorsShape,
  type ClosedPeriod,
  type Unanchored
} from "@cairn/core/anchor"
import { Effect, Option, Schema } from "effect"
import type { Statement } from "effect/sql"
import { PERIOD_COLUMNS, period, toPeriod } from "./AnchorColumns.ts"
import { unavailable } from "./StorageFailure.ts"
import type { KeyedTables } from "./WorkspaceKeys.ts"

/** A closed period, and what is needed of the anchor before it. */
const RipeRow = Schema.Struct({
  ...period,
  previous_root: Schema.NullOr(Schema.String),
  previous_tx_hash: Schema.NullOr(Schema.String)
})

const UnanchoredRow = Schema.Struct({
  workspace_id: Schema.String,
  last_ordinal: Schema.Number,
  last_sequence: Schema.Number,
  previous_end: Schema.NullOr(Schema.Number),
  first_created_at: Schema.Number,
  last_created_at: Schema.Number,
  schedule: Schema.NullOr(Schema.fromJsonString(AnchorSchedule))
})

const decodeRipe = Schema.decodeUnknownEffect(Schema.Array(RipeRow))
const decodeUnanchored = Schema.decodeUnknownEffect(Schema.Array(UnanchoredRow))

const toUnanchored = (row: typeof UnanchoredRow.Type): Unanchored => ({
  workspaceId: row.workspace_id,
  ordinal: row.last_ordinal + 1,
  firstSequence: row.last_sequence + 1,
  firstCreatedAt: row.first_created_at,
  lastCreatedAt: row.last_created_at,
  previousEnd: row.previous_end,
  schedule: row.schedule
})

/** The part of the port for periods. */
type Periods = Pick<AnchorsShape, "unanchored" | "unanchoredOf" | "raiseFloor" | "close" | "ripe" | "create">

/** The periods, in `anchor`. */
export const anchorPeriods = ({ sql, keys }: KeyedTables): Periods => {
  const periodColumns = sql.literal(PERIOD_COLUMNS)

  /**
   * The last period of each workspace by `anchor`'s primary key, the first event after it by `event`'s. Where
   * the log is spread, only a condition on each table keeps a statement to one machine.
   */
  const unanchored = (which: (column: string) => Statement.Fragment) => sql`
    SELECT w.id AS workspace_id, coalesce(a.ordinal, 0) AS last_ordinal, coalesce(a.last_sequence, 0) AS last_sequence,
      a.period_end AS previous_end, h.created_at AS last_created_at, w.anchor_schedule AS schedule,
      (SELECT e.created_at FROM event e
        WHERE e.workspace = h.workspace AND ${which("e.workspace")} AND e.sequence > coalesce(a.last_sequence, 0)
        ORDER BY e.sequence LIMIT 1) AS first_created_at
    FROM head h
    JOIN workspace w ON w.number = h.workspace
    LEFT JOIN anchor a ON a.workspace = h.workspace
      AND a.ordinal = (
        SELECT max(l.ordinal) FROM anchor l WHERE l.workspace = h.workspace AND ${which("l.workspace")})
    WHERE h.sequence > coalesce(a.last_sequence, 0) AND ${which("h.workspace")}
    ORDER BY h.workspace`

  const readUnanchored = (which: (column: string) => Statement.Fragment) =>
    unanchored(which).pipe(
      // A missing event is for verification to report: it has no time.
      Effect.map((rows) => rows.filter((row) => row.first_created_at !== null)),
      Effect.flatMap(decodeUnanchored),
      Effect.map((rows) => rows.map(toUnanchored)),
      unavailable("find events without an anchor")
    )

  const raiseFloor = Effect.fnUntraced(
    function* (floors: ReadonlyArray<{ readonly workspaceId: string; readonly floor: number }>) {
      // In sorted order, so that two transactions that raise several floors cannot deadlock.
      for (const { workspaceId, floor } of floors.toSorted((a, b) =>
        a.workspaceId < b.workspaceId ? -1 : 1
      )) {
        yield* sql`
          UPDATE head SET created_at = ${floor - 1}
          WHERE workspace = ${yield* keys.number(sql, workspaceId)} AND created_at < ${floor - 1}`
      }
    },
    (effect) => sql.withTransaction(effect),
    unavailable("raise a log's floor")
  )

  const close = Effect.fnUntraced(
    function* (periods: ReadonlyArray<ClosedPeriod>) {
      let count = 0
      for (const one of periods) {
        const stored = yield* sql`
          INSERT INTO anchor (workspace, ordinal, id, first_sequence, last_sequence, first_event_hash, last_event_hash,
            merkle_root, period_start, period_end, status)
          VALUES (${yield* keys.number(sql, one.workspaceId)}, ${one.ordinal}, ${one.id}, ${one.firstSequence}, ${one.lastSequence},
            ${one.firstEventHash}, ${one.lastEventHash}, ${one.merkleRoot}, ${one.start}, ${one.end}, 'waiting')
          ON CONFLICT (workspace, ordinal) DO NOTHING RETURNING id`
        count += stored.length
      }
      return count
    },
    (effect) => sql.withTransaction(effect),
    unavailable("close periods")
  )

  /** By `anchor_waiting`, and by the primary key for the previous anchor. */
  const ripe = (limit: number) =>
    sql`
      SELECT ${periodColumns}, p.merkle_root AS previous_root, p.tx_hash AS previous_tx_hash
      FROM anchor a
      JOIN workspace w ON w.number = a.workspace
      LEFT JOIN anchor p ON p.workspace = a.workspace AND p.ordinal = a.ordinal - 1
      WHERE a.status = 'waiting'
        AND (a.ordinal = 1 OR p.status = 'confirmed' OR (p.status = 'pending' AND p.chain_id IS NULL))
      ORDER BY a.workspace, a.ordinal LIMIT ${limit}`.pipe(
      Effect.flatMap(decodeRipe),
      Effect.map((rows) =>
        rows.map((row) => ({
          period: toPeriod(row),
          previous:
            row.previous_root === null
              ? null
              : { merkleRoot: row.previous_root, txHash: row.previous_tx_hash }
        }))
      ),
      unavailable("find the periods whose turn it is")
    )

  const create = Effect.fnUntraced(
    function* (created: ReadonlyArray<AnchorCreation>) {
      let count = 0
      for (const one of created) {
        const changed = yield* sql`
          UPDATE anchor SET status = 'pending', previous_anchor_hash = ${one.previousAnchorHash},
            chain_id = ${one.chainId}, created_at = ${one.createdAt}
          WHERE workspace = ${yield* keys.number(sql, one.workspaceId)} AND ordinal = ${one.ordinal} AND status = 'waiting'
          RETURNING id`
        count += changed.length
      }
      return count
    },
    (effect) => sql.withTransaction(effect),
    unavailable("create anchors")
  )

  return {
    unanchored: readUnanchored(() => sql`1 = 1`),
    unanchoredOf: (workspaceId) =>
      keys.number(sql, workspaceId).pipe(
        Effect.flatMap((number) => readUnanchored((column) => sql`${sql.literal(column)} = ${number}`)),
        Effect.map(([found]) => Option.fromNullishOr(found))
      ),
    raiseFloor,
    close,
    ripe,
    create
  }
}
