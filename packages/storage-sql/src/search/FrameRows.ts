/** The frames of the search index in tables, with statements that both dialects share. */
import { GROUP_FRAMES } from "@cairn/core/log"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { FrameStart, FrameStore, LogPosition } from "./FrameStore.ts"

const bytes = Schema.Uint8Array
const Frames = Schema.Array(Schema.Struct({ number: Schema.Number, first: Schema.Number, blob: bytes }))
const Signatures = Schema.Array(Schema.Struct({ number: Schema.Number, signature: Schema.NullOr(bytes) }))
const Parts = Schema.Array(Schema.Struct({ index: Schema.Number, cells: bytes }))

const decodeFrames = Schema.decodeUnknownEffect(Frames)
const decodeSignatures = Schema.decodeUnknownEffect(Signatures)
const decodeParts = Schema.decodeUnknownEffect(Parts)

/** Parts written by one statement. */
const PARTS_AT_ONCE = 64

/** Keeps frames in `search_frame`, `search_part` and `search_position`. */
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
        ? Effect.succeed([])
        : Effect.flatMap(
            sql`
              SELECT part AS ${sql("index")}, cells FROM search_part
              WHERE workspace = ${workspace} AND frame_group = ${group} AND ${sql.in("part", indexes)}`,
            (rows) => Effect.orDie(decodeParts(rows))
          ),
    signatures: (workspace, { low, high }) =>
      Effect.flatMap(
        sql`
          SELECT number, signature FROM search_frame
          WHERE workspace = ${workspace} AND number BETWEEN ${low} AND ${high} ORDER BY number`,
        (rows) => Effect.orDie(decodeSignatures(rows))
      ),
    frames: (workspace, numbers) =>
      numbers.length === 0
        ? Effect.succeed([])
        : Effect.flatMap(
            sql`
              SELECT number, first, blob FROM search_frame
              WHERE workspace = ${workspace} AND ${sql.in("number", numbers)} ORDER BY number`,
            (rows) => Effect.orDie(decodeFrames(rows))
          ),
    writeFrame: (workspace, { number, first, blob }, signature) => sql`
      INSERT INTO search_frame (workspace, number, first, blob, signature)
      VALUES (${workspace}, ${number}, ${first}, ${blob}, ${signature})
      ON CONFLICT (workspace, number) DO UPDATE SET blob = excluded.blob, signature = excluded.signature`,
    dropFrame: (workspace, number) => sql`
      DELETE FROM search_frame WHERE workspace = ${workspace} AND number = ${number}`,
    writeParts: Effect.fnUntraced(function* (workspace, group, parts) {
      for (let at = 0; at < parts.length; at += PARTS_AT_ONCE) {
        const rows = parts
          .slice(at, at + PARTS_AT_ONCE)
          .map(({ index, cells }) => sql`(${workspace}, ${group}, ${index}, ${cells})`)
        yield* sql`
          INSERT INTO search_part (workspace, frame_group, part, cells) VALUES ${sql.csv(rows)}
          ON CONFLICT (workspace, frame_group, part) DO UPDATE SET cells = excluded.cells`
      }
      const low = group * GROUP_FRAMES
      yield* sql`
        UPDATE search_frame SET signature = NULL
        WHERE workspace = ${workspace} AND number BETWEEN ${low} AND ${low + GROUP_FRAMES - 1}
          AND signature IS NOT NULL`
    })
  }
}
