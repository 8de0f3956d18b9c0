/**
 * The index over events: a consumer of the log with its own position, in its own tables, see
 * `EventsOverFrames`.
 */
import { ENOUGH_TO_INDEX } from "@cairn/core/log"
import {
  appendFrame,
  type ContentRow,
  consecutive,
  contentsOf,
  type EventIndexShape,
  eventsOverFrames,
  FacetCache,
  FacetCacheBytes,
  FrameEvents,
  frameEventsOf,
  frameRows,
  frameTails,
  indexMeters,
  KeptTailBytes,
  KeptTails,
  type LogEnd,
  unavailable
} from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import { newestRows } from "./EnoughRows.ts"
import { Places } from "./Places.ts"

/**
 * Makes the position of a log that has none. It waits for another process that is making it: a row that is
 * not committed yet cannot be locked.
 */
export const makePosition = (sql: PgClient.PgClient, workspace: number) => sql`
  INSERT INTO search_position (workspace, sequence, frames)
  VALUES (${workspace}, ${Number.MIN_SAFE_INTEGER}, 0) ON CONFLICT DO NOTHING`

/** The index. */
export class SearchIndex extends Context.Service<SearchIndex, EventIndexShape>()(
  "@cairn/storage-postgres/SearchIndex"
) {
  static readonly layer = Layer.effect(
    SearchIndex,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const places = yield* Places
      const store = frameRows(sql)
      const readContents = contentsOf(sql)
      const frameEvents = yield* FrameEvents
      const cache = new FacetCache(yield* FacetCacheBytes)
      const tails = new KeptTails(yield* KeptTailBytes)
      const isEnough = frameTails(sql, frameEvents)
      const meters = yield* indexMeters

      /** Indexes after a position that this transaction has locked. */
      const indexNext = Effect.fnUntraced(function* (workspace: number) {
        const position = yield* store.position(workspace)
        const oldest = yield* sql<ContentRow>`
          SELECT sequence, created_at AS "createdAt", content FROM (
            SELECT *, sum(size) OVER (ORDER BY sequence) - size AS earlier
            FROM (
              SELECT sequence, created_at, content, coalesce(octet_length(content), 0) AS size FROM event
              WHERE workspace = ${workspace} AND sequence > ${position.sequence}
              ORDER BY sequence LIMIT ${frameEvents}
            ) oldest
          ) e
          WHERE earlier < ${ENOUGH_TO_INDEX}
          ORDER BY sequence`
        const rows = consecutive(oldest)
        const [first, last] = [rows.at(0), rows.at(-1)]
        if (first === undefined || last === undefined) return 0
        yield* appendFrame({ store, readContents, workspace }, position, first.sequence, frameEventsOf(rows))
        yield* sql`
          UPDATE search_position SET sequence = ${last.sequence}, frames = ${position.frames + 1}
          WHERE workspace = ${workspace}`
        return rows.length
      })

      // Those after a workspace's number first: each log has its turn.
      const ends = (after: number) =>
        places.everywhere(
          Effect.suspend(
            () => sql<LogEnd>`
        SELECT h.workspace, h.sequence, h.legacy_count AS "legacyCount",
          coalesce(p.sequence, ${Number.MIN_SAFE_INTEGER}) AS indexed
        FROM head h LEFT JOIN search_position p ON p.workspace = h.workspace
        WHERE h.created_at > 0 AND ${places.within("h.workspace")}
        ORDER BY h.workspace <= ${after}, h.workspace`
          )
        )

      const advanceOne = (workspace: number) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* makePosition(sql, workspace)
            const [position] = yield* sql<{ readonly sequence: number }>`
              SELECT sequence FROM search_position WHERE workspace = ${workspace} FOR UPDATE SKIP LOCKED`
            return position === undefined ? 0 : yield* indexNext(workspace)
          })
        )

      let turn = 0
      const advance = Effect.gen(function* () {
        const all = yield* ends(turn)
        meters.looked(all)
        for (const end of all) {
          if (!(yield* isEnough(end))) continue
          turn = end.workspace
          const count = yield* advanceOne(turn)
          meters.took(count)
          // Zero where another process is at it.
          if (count > 0) return count
        }
        return 0
      })

      return SearchIndex.of({
        advance: advance.pipe(unavailable("index events")),
        ...eventsOverFrames({ sql, store, readNewest: newestRows(sql), cache, tails })
      })
    })
  )
}
