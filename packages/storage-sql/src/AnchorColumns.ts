/** A row of `anchor`, in the form of the core. */
import type { ClosedPeriod, StoredAnchor, TransactionPlace } from "@cairn/core/anchor"
import { Effect, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { unavailable } from "./StorageFailure.ts"

/** Columns of a closed period. */
export const period = {
  id: Schema.String,
  workspace_id: Schema.String,
  ordinal: Schema.Number,
  first_sequence: Schema.Number,
  last_sequence: Schema.Number,
  first_event_hash: Schema.String,
  last_event_hash: Schema.String,
  merkle_root: Schema.String,
  period_start: Schema.Number,
  period_end: Schema.Number
}

/** A row of `anchor` that is an anchor, with the place of its transaction if that was confirmed. */
const AnchorRow = Schema.Struct({
  ...period,
  status: Schema.Literals(["pending", "submitted", "confirmed"]),
  previous_anchor_hash: Schema.NullOr(Schema.String),
  created_at: Schema.Number,
  chain_id: Schema.NullOr(Schema.Number),
  submission: Schema.NullOr(Schema.String),
  tx_hash: Schema.NullOr(Schema.String),
  block_number: Schema.NullOr(Schema.Number),
  block_hash: Schema.NullOr(Schema.String)
})

const PeriodRow = Schema.Struct(period)

const decodeAnchors = Schema.decodeUnknownEffect(Schema.Array(AnchorRow))

/** The period of a row. */
export const toPeriod = (row: typeof PeriodRow.Type): ClosedPeriod => ({
  id: row.id,
  workspaceId: row.workspace_id,
  ordinal: row.ordinal,
  start: row.period_start,
  end: row.period_end,
  firstSequence: row.first_sequence,
  lastSequence: row.last_sequence,
  firstEventHash: row.first_event_hash,
  lastEventHash: row.last_event_hash,
  merkleRoot: row.merkle_root
})

const toPlace = ({ tx_hash, block_number, block_hash }: typeof AnchorRow.Type): TransactionPlace | null =>
  tx_hash === null || block_number === null || block_hash === null
    ? null
    : { hash: tx_hash, blockNumber: block_number, blockHash: block_hash }

const toAnchor = (row: typeof AnchorRow.Type): StoredAnchor => ({
  ...toPeriod(row),
  status: row.status,
  previousAnchorHash: row.previous_anchor_hash,
  createdAt: row.created_at,
  chainId: row.chain_id,
  submissionId: row.submission,
  place: toPlace(row)
})

/** What a period is read from: `anchor a` and `workspace w`. */
export const PERIOD_COLUMNS =
  "a.id, w.id AS workspace_id, a.ordinal, a.first_sequence, a.last_sequence, a.first_event_hash, a.last_event_hash, " +
  "a.merkle_root, a.period_start, a.period_end"

const ANCHOR_COLUMNS =
  `${PERIOD_COLUMNS}, a.status, a.previous_anchor_hash, a.created_at, a.chain_id, a.submission, a.tx_hash, ` +
  "a.block_number, a.block_hash"

/** The anchors `a` that the clauses select, in order. */
export const readAnchors = (sql: SqlClient.SqlClient, operation: string, clauses: Statement.Fragment) =>
  sql`
    SELECT ${sql.literal(ANCHOR_COLUMNS)} FROM anchor a JOIN workspace w ON w.number = a.workspace ${clauses}`.pipe(
    Effect.flatMap(decodeAnchors),
    Effect.map((rows) => rows.map(toAnchor)),
    unavailable(operation)
  )
