/** Where a chain ends: the row of `head` that both dialects have. */
import type { Head } from "@cairn/core/log"
import { Option, Schema } from "effect"

/** The columns of {@link HeadRow}. */
export const HEAD_COLUMNS = "sequence, event_hash, event_id, created_at, legacy_count, legacy_frontier"

/** A row of `head`; the frontier is JSON text. */
export const HeadRow = Schema.Struct({
  sequence: Schema.Number,
  event_hash: Schema.NullOr(Schema.String),
  event_id: Schema.NullOr(Schema.String),
  created_at: Schema.Number,
  legacy_count: Schema.Number,
  legacy_frontier: Schema.fromJsonString(Schema.Array(Schema.String))
})

/** The head in the form of the port. */
export const toHead = (row: typeof HeadRow.Type): Head => ({
  sequence: row.sequence,
  eventHash: row.event_hash,
  eventId: row.event_id,
  createdAt: row.created_at,
  legacy: row.legacy_count === 0 ? null : { count: row.legacy_count, frontier: row.legacy_frontier }
})

const decodeHead = Schema.decodeUnknownOption(HeadRow)

/** The head from a row that somebody may have changed or removed; none if it is not a valid head. */
export const readableHead = (row: unknown): Option.Option<Head> =>
  decodeHead(row).pipe(
    Option.filter(({ sequence, created_at, legacy_count }) =>
      [sequence, created_at, legacy_count].every(Number.isSafeInteger)
    ),
    Option.map(toHead)
  )

/** A head's values, in the order of {@link HEAD_COLUMNS}. */
export const headValues = (head: Head): ReadonlyArray<string | number | null> => [
  head.sequence,
  head.eventHash,
  head.eventId,
  head.createdAt,
  head.legacy?.count ?? 0,
  JSON.stringify(head.legacy?.frontier ?? [])
]
