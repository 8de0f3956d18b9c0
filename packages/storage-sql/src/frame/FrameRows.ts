/** The frames of the index in tables, with statements that both dialects share. */
import { GROUP_FRAMES } from "@cairn/core/log"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { FrameStart, FrameStore, LogPosition } from "./FrameStore.ts"
import { occurrenceRows } from "./OccurrenceRows.ts"

const bytes = Schema.Uint8Array
const Start = { number: Schema.Number, first: Schema.Number }
const Texts = Schema.Struct({ ...Start, texts: bytes })
const Columns = Schema.Struct({ ...Start, since: Schema.Number, columns: Schema.NullOr(bytes) })
const Signature = Schema.Struct({ number: Schema.Number, signature: Schema.NullOr(bytes) })
const Postings = Schema.Struct({ group: Schema.Number, number: Schema.Number, blob: bytes })
const Part = Schema.Struct({ index: Schema.Number, cells: bytes })

/** Decodes rows; others than these are a defect. */
const rowsOf = <Row extends Schema.Codec<unknown>>(row: Row) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  return <E>(rows: Effect.Effect<ReadonlyArray<unknown>, E>) =>
    Effect.flatMap(rows, (found) => Effect.orDie(decode(found)))
}

const texts = rowsOf(Texts)
const columns = rowsOf(Columns)
const signatures = rowsOf(Signature)
const postings = rowsOf(Postings)
const parts = rowsOf(Part)

const NOTHING = Effect.succeed([])

/** Blobs written by one statement. */
const BLOBS_AT_ONCE = 64

/** The layout of what is written: a program of before, which knows of none, cannot write a frame. */
const LAYOUT = 2

/**
 * Keeps frames in `search_frame`, `search_part`, `search_posting` and `search_position`, and the order of
 * occurrence as `occurrenceRows` does.
 */
export const frameRows = (sql: SqlClient.SqlClient): FrameStore => {
  const numberAt = (workspace: number, sequence: number) =>
    Effect.map(
      sql<{ readonly number: number }>`
        SELECT number FROM search_frame WHERE workspace = ${workspace} AND first <= ${sequence}
        ORDER BY first DESC LIMIT 1`,
      ([row]) => row?.number
    )
  const lowest = (workspace: number) =>
    Effect.map(
      sql<{ readonly number: number }>`
        SELECT number FROM search_frame WHERE workspace = ${workspace} ORDER BY first LIMIT 1`,
      ([row]) => row?.number
    )

  return {
    ...occurrenceRows(sql),
    position: (workspace) =>
      Effect.map(
        sql<{ readonly sequence: number; readonly frames: number }>`
          SELECT sequence, frames FROM search_position WHERE workspace = ${workspace}`,
        ([row]) => row ?? { sequence: Number.MIN_SAFE_INTEGER, frames: 0 }
      ),
    positions: sql<LogPosition>`SELECT workspace, sequence, frames FROM search_position ORDER BY workspace`,
    neighbours: Effect.fnUntraced(function* (workspace, number) {
      const [before] = yield* sql<FrameStart>`
        SELECT number, first FROM search_frame WHERE workspace = ${workspace} AND number < ${number}
        ORDER BY number DESC LIMIT 1`
      const [after] = yield* sql<FrameStart>`
        SELECT number, first FROM search_frame WHERE workspace = ${workspace} AND number > ${number}
        ORDER BY number LIMIT 1`
      return { before, after }
    }),
    within: Effect.fnUntraced(function* (workspace, { from, to }) {
      const high = from > to ? undefined : yield* numberAt(workspace, to)
      if (high === undefined) return undefined
      const low = (yield* numberAt(workspace, from)) ?? (yield* lowest(workspace)) ?? high
      return { low, high }
    }),
    parts: (workspace, group, indexes) =>
      indexes.length === 0
        ? NOTHING
        : parts(sql`
            SELECT part AS ${sql("index")}, cells FROM search_part
            WHERE workspace = ${workspace} AND frame_group = ${group} AND ${sql.in("part", indexes)}`),
    signatures: (workspace, { low, high }) =>
      signatures(sql`
        SELECT number, signature FROM search_frame
        WHERE workspace = ${workspace} AND number BETWEEN ${low} AND ${high} ORDER BY number`),
    starts: (workspace, { low, high }) => sql<FrameStart>`
      SELECT number, first FROM search_frame
      WHERE workspace = ${workspace} AND number BETWEEN ${low} AND ${high} ORDER BY number`,
    texts: (workspace, numbers) =>
      numbers.length === 0
        ? NOTHING
        : texts(sql`
            SELECT number, first, texts FROM search_frame
            WHERE workspace = ${workspace} AND ${sql.in("number", numbers)} ORDER BY number`),
    columns: (workspace, { low, high }) =>
      columns(sql`
        SELECT number, first, since, columns FROM search_frame
        WHERE workspace = ${workspace} AND number BETWEEN ${low} AND ${high} ORDER BY number`),
    postings: (workspace, { low, high }, numbers) =>
      numbers.length === 0
        ? NOTHING
        : postings(sql`
            SELECT frame_group AS ${sql("group")}, number, blob FROM search_posting
            WHERE workspace = ${workspace} AND ${sql.in("number", numbers)}
              AND frame_group BETWEEN ${low} AND ${high}`),
    writeFrame: (workspace, { number, first, since, earliest, latest, ...blobs }) => sql`
      INSERT INTO search_frame
        (workspace, number, first, since, earliest, latest, layout, texts, columns, signature)
      VALUES (${workspace}, ${number}, ${first}, ${since}, ${earliest}, ${latest}, ${LAYOUT}, ${blobs.texts},
        ${blobs.columns}, ${blobs.signature})
      ON CONFLICT (workspace, number) DO UPDATE
        SET since = excluded.since, earliest = excluded.earliest, latest = excluded.latest,
          texts = excluded.texts, columns = excluded.columns, signature = excluded.signature`,
    writeTexts: (workspace, { number, texts: blob }) => sql`
      UPDATE search_frame SET texts = ${blob} WHERE workspace = ${workspace} AND number = ${number}`,
    dropFrame: (workspace, number) => sql`
      DELETE FROM search_frame WHERE workspace = ${workspace} AND number = ${number}`,
    writeParts: Effect.fnUntraced(function* (workspace, group, written) {
      for (let at = 0; at < written.length; at += BLOBS_AT_ONCE) {
        const rows = written
          .slice(at, at + BLOBS_AT_ONCE)
          .map(({ index, cells }) => sql`(${workspace}, ${group}, ${index}, ${cells})`)
        yield* sql`
          INSERT INTO search_part (workspace, frame_group, part, cells) VALUES ${sql.csv(rows)}
          ON CONFLICT (workspace, frame_group, part) DO UPDATE SET cells = excluded.cells`
      }
    }),
    writePostings: Effect.fnUntraced(function* (workspace, written) {
      for (let at = 0; at < written.length; at += BLOBS_AT_ONCE) {
        const rows = written
          .slice(at, at + BLOBS_AT_ONCE)
          .map(({ group, number, blob }) => sql`(${workspace}, ${number}, ${group}, ${blob})`)
        yield* sql`
          INSERT INTO search_posting (workspace, number, frame_group, blob) VALUES ${sql.csv(rows)}
          ON CONFLICT (workspace, number, frame_group) DO UPDATE SET blob = excluded.blob`
      }
    }),
    dropPostings: (workspace, group, numbers) =>
      numbers.length === 0
        ? Effect.void
        : sql`
            DELETE FROM search_posting
            WHERE workspace = ${workspace} AND ${sql.in("number", numbers)} AND frame_group = ${group}`,
    closeGroup: (workspace, group) => {
      const low = group * GROUP_FRAMES
      return sql`
        UPDATE search_frame SET columns = NULL, signature = NULL
        WHERE workspace = ${workspace} AND number BETWEEN ${low} AND ${low + GROUP_FRAMES - 1}`
    }
  }
}
