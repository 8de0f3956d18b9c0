/**
 * The index over events: a consumer of the log with its own position, in its own file, see
 * `EventsOverFrames`.
 */
import { ENOUGH_TO_INDEX, upToEnough } from "@cairn/core/log"
import {
  appendFrame,
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
import { Context, Effect, Layer } from "effect"
import { contentLength, newestRows } from "./NewestRows.ts"
import type { Preparing, SqliteClient } from "./SqliteClient.ts"
import { SqliteFiles } from "./SqliteFiles.ts"

/** How far the index of a log has come. */
interface IndexEnd {
  readonly indexed: number
  /** The newest event that the index has noted. */
  readonly seen: number
}

const NOT_INDEXED: IndexEnd = { indexed: Number.MIN_SAFE_INTEGER, seen: 0 }

/** The index of each log. */
const indexEnds = ({ prepare }: Preparing): ReadonlyMap<number, IndexEnd> =>
  new Map(
    prepare("SELECT workspace, sequence, coalesce(seen, 0) AS seen FROM search_position")
      .all()
      .map(({ workspace, sequence, seen }) => [
        Number(workspace),
        { indexed: Number(sequence), seen: Number(seen) }
      ])
  )

/** Where a log ends, the mark of its last event, and how far its index has come. */
interface MarkedEnd extends LogEnd, IndexEnd {
  readonly mark: string | null
}

/** Every log with events, those after a workspace's number first: each has its turn. */
const logEnds = (
  { prepare }: Preparing,
  indexes: ReadonlyMap<number, IndexEnd>,
  after: number
): ReadonlyArray<MarkedEnd> =>
  prepare(
    `SELECT workspace, sequence, legacy_count, event_hash FROM head WHERE created_at > 0
     ORDER BY workspace <= ?, workspace`
  )
    .all(after)
    .map(({ workspace, sequence, legacy_count, event_hash }) => ({
      workspace: Number(workspace),
      sequence: Number(sequence),
      legacyCount: Number(legacy_count),
      mark: typeof event_hash === "string" ? event_hash : null,
      ...(indexes.get(Number(workspace)) ?? NOT_INDEXED)
    }))

/** The next events of a log: as many as a frame takes, and not much more than the size limit. */
const nextContents = ({ prepare }: Preparing, workspace: number, after: number, most: number) =>
  upToEnough(
    prepare(
      "SELECT sequence, created_at, content FROM event WHERE workspace = ? AND sequence > ? ORDER BY sequence LIMIT ?"
    ).iterate(workspace, after, most),
    ({ content }) => contentLength(content),
    ENOUGH_TO_INDEX
  ).map(({ sequence, created_at, content }) => ({
    sequence: Number(sequence),
    createdAt: Number(created_at),
    content: typeof content === "string" ? content : null
  }))

/**
 * Notes the newest event of each log that has grown, so that the file knows of a log that went back in time,
 * see `SearchRecovery` and `LostEnds`.
 */
const noteEnds = (search: SqliteClient, ends: ReadonlyArray<MarkedEnd>) =>
  Effect.suspend(() => {
    const grown = ends.filter(({ sequence, seen }) => sequence > seen)
    if (grown.length === 0) return Effect.void
    return search.withTransaction(
      Effect.sync(() => {
        const note = search.database.prepare(`
          INSERT INTO search_position (workspace, sequence, frames, seen, mark) VALUES (?, ?, 0, ?, ?)
          ON CONFLICT DO UPDATE SET seen = excluded.seen, mark = excluded.mark
          WHERE excluded.seen > coalesce(seen, 0)`)
        for (const { workspace, sequence, mark } of grown)
          note.run(workspace, Number.MIN_SAFE_INTEGER, sequence, mark)
      })
    )
  })

/** The index. */
export class SearchIndex extends Context.Service<SearchIndex, EventIndexShape>()(
  "@cairn/storage-sqlite/SearchIndex"
) {
  static readonly layer = Layer.effect(
    SearchIndex,
    Effect.gen(function* () {
      const { log, search } = yield* SqliteFiles
      const store = frameRows(search)
      const readContents = contentsOf(log)
      const frameEvents = yield* FrameEvents
      const cache = new FacetCache(yield* FacetCacheBytes)
      const tails = new KeptTails(yield* KeptTailBytes)

      const isEnough = frameTails(log, frameEvents)
      const meters = yield* indexMeters

      /** Contents are read within the index's lock: none can be removed between reading and indexing. */
      const indexNext = (workspace: number) =>
        search.withTransaction(
          Effect.gen(function* () {
            const position = yield* store.position(workspace)
            const rows = consecutive(nextContents(log.database, workspace, position.sequence, frameEvents))
            const [first, last] = [rows.at(0), rows.at(-1)]
            if (first === undefined || last === undefined) return 0
            yield* appendFrame(
              { store, readContents, workspace },
              position,
              first.sequence,
              frameEventsOf(rows)
            )
            yield* search`
              INSERT INTO search_position (workspace, sequence, frames)
              VALUES (${workspace}, ${last.sequence}, ${position.frames + 1})
              ON CONFLICT DO UPDATE SET sequence = excluded.sequence, frames = excluded.frames`
            return rows.length
          })
        )

      let turn = 0
      const advanceOnce = Effect.gen(function* () {
        const ends = logEnds(log.database, yield* search.use("read positions", indexEnds), turn)
        meters.looked(ends)
        yield* noteEnds(search, ends)
        for (const end of ends) {
          if (!(yield* isEnough(end))) continue
          turn = end.workspace
          return yield* Effect.tap(indexNext(turn), (count) => Effect.sync(() => meters.took(count)))
        }
        return 0
      })

      return SearchIndex.of({
        advance: advanceOnce.pipe(unavailable("index events")),
        ...eventsOverFrames({ sql: log, store, readNewest: newestRows(log), cache, tails })
      })
    })
  )
}
