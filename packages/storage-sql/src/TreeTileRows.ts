/** The tiles of each log's Merkle tree, as rows of `tree_tile`. */

import { TreeStore } from "@cairn/core/checkpoint"
import { TILE_WIDTH } from "@cairn/core/merkle"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { againIfMadeMeanwhile, unavailable } from "./StorageFailure.ts"
import { isOf, WorkspaceKeys } from "./WorkspaceKeys.ts"

const TileRow = Schema.Struct({
  level: Schema.Number,
  tile: Schema.Number,
  hashes: Schema.Uint8Array
})
const decodeTiles = Schema.decodeUnknownEffect(Schema.Array(TileRow))
const decodeCount = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ tiles: Schema.Number })))

/** The store over a `SqlClient`, whose numbers must come as numbers. */
export const layer = Layer.effect(
  TreeStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = { sql, keys: yield* WorkspaceKeys }
    const column = sql.literal(tables.keys.column)
    return TreeStore.of({
      leaves: Effect.fnUntraced(function* (workspaceId) {
        // Full tiles only, in order: the last one's number says how many there are.
        const which = yield* isOf(tables, workspaceId)
        const rows = yield* sql`
          SELECT coalesce(max(tile) + 1, 0) AS tiles FROM tree_tile WHERE ${which} AND level = 0`
        const [row] = yield* decodeCount(rows)
        return (row?.tiles ?? 0) * TILE_WIDTH
      }, unavailable("count the leaves of a tree")),

      read: Effect.fnUntraced(function* (workspaceId, tiles) {
        // Level by level, each by the primary key: with one condition for each tile, SQLite would scan all of
        // them.
        const which = yield* isOf(tables, workspaceId)
        const levels = Array.from(Map.groupBy(tiles, ({ level }) => level))
        const [first, ...others] = levels.map(
          ([level, some]) => sql`
            SELECT level, tile, hashes FROM tree_tile
            WHERE ${which} AND level = ${level} AND ${sql.in(
              "tile",
              some.map(({ index }) => index)
            )}`
        )
        if (first === undefined) return []
        const rows = yield* others.reduce((all, one) => sql`${all} UNION ALL ${one}`, sql`${first}`)
        const found = yield* decodeTiles(rows)
        return found.map(({ level, tile, hashes }) => ({ level, index: tile, hashes }))
      }, unavailable("read a tree")),

      write: Effect.fnUntraced(
        function* (workspaceId, tiles) {
          const key = yield* tables.keys.of(workspaceId)
          for (const { level, index, hashes } of tiles) {
            yield* sql`
              INSERT INTO tree_tile ${sql.insert({ ...key, level, tile: index, hashes })}
              ON CONFLICT (${column}, level, tile) DO UPDATE SET hashes = excluded.hashes
              WHERE length(tree_tile.hashes) < length(excluded.hashes)`
          }
        },
        (effect) => sql.withTransaction(effect),
        againIfMadeMeanwhile,
        unavailable("extend a tree")
      )
    })
  })
)
