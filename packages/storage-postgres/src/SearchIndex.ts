/**
 * The search index: a consumer of the log with its own position, in its own tables.
 *
 * PostgreSQL's trigrams find candidates; `matches` of the core decides whether an event really matches, so
 * that every database has the same results. Events that are not indexed yet are scanned. The newest events
 * are searched first, in windows that grow: each window is a range of places, with which the index begins, so
 * that a common term stops early and a rare one takes few steps.
 */
import { contentSize, type Micros, makePace } from "@cairn/core/encoding"
import { type EventFilter, fold, parseContent, searchTexts } from "@cairn/core/event"
import {
  ENOUGH_TO_INDEX,
  ENOUGH_TO_LIST,
  ENOUGH_TO_READ,
  FIRST_LEGACY_SEQUENCE,
  type LogEntry,
  mayGoOn,
  type SequenceRange,
  upToEnough
} from "@cairn/core/log"
import {
  ENTRY_COLUMNS,
  EntryRow,
  filteredEvents,
  matching,
  type SearchIndexShape,
  SHORT_TERM_WINDOW,
  toEntry,
  unavailable
} from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Schema } from "effect"
import type { Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { newestRows } from "./EnoughRows.ts"
import { numbers, texts } from "./PostgresTypes.ts"
import { type SearchSupport, searchSupport } from "./SearchExtensions.ts"

/** Most events indexed in one transaction. */
const BATCH = 500
/** Entries read together: about two pages of the newest at first, and more the longer it takes. */
const FIRST_CHUNK = 50
const LAST_CHUNK = 500

/** After this many rows, this process leaves analysing the grown tables to autovacuum. */
const ANALYZED_BY_ITSELF = 200_000

/** Sequences of one block. */
const BLOCK = 2 ** 14
/** Blocks of one workspace's sequences: 2^37 sequences, including legacy ones below 1. */
const BLOCKS = 2 ** 23

const placeOf = (workspace: number, sequence: number): number =>
  workspace * BLOCKS +
  Math.min(Math.max(Math.floor((sequence - FIRST_LEGACY_SEQUENCE) / BLOCK), 0), BLOCKS - 1)

/** PostgreSQL's text cannot hold U+0000: it is indexed and looked up as U+FFFD. */
export const indexable = (folded: string): string => folded.replaceAll("\0", "\uFFFD")

export const likePattern = (term: string): string => `%${term.replace(/[\\%_]/g, "\\$&")}%`

/** Whether the index can find anything by this term: it has runs of three letters or digits. */
export const hasTrigram = (support: SearchSupport, term: string): boolean => {
  if (support === "none") return false
  return (support === "unicode" ? /[\p{L}\p{N}]{3}/u : /[a-z0-9]{3}/).test(term)
}

const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(EntryRow))

/** From the newest sequence down, in windows of 1, 4, 16… blocks. */
function* windows({ from, to }: SequenceRange): Generator<SequenceRange> {
  let high = to
  for (let blocks = 1; high >= from; blocks *= 4) {
    const low = Math.max(from, high - blocks * BLOCK + 1)
    yield { from: low, to: high }
    high = low - 1
  }
}

/** The result for each entry that is found. */
interface Gathering<A> {
  readonly keep: (entry: LogEntry) => A
  readonly found: Array<A>
  readonly isEnough: () => boolean
}

/** The index. */
export class SearchIndex extends Context.Service<SearchIndex, SearchIndexShape>()(
  "@cairn/storage-postgres/SearchIndex"
) {
  static readonly layer = Layer.effect(
    SearchIndex,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const support = yield* searchSupport
      const columns = sql.literal(ENTRY_COLUMNS)
      const readNewest = newestRows(sql)
      const pace = makePace()

      /** Indexes after a position that this transaction has locked. */
      const indexBatch = Effect.fnUntraced(function* (workspace: number, after: number) {
        const entries = yield* Effect.flatMap(
          sql`
            SELECT ${columns} FROM (
              SELECT *, sum(coalesce(octet_length(content), 0)) OVER (ORDER BY sequence) - coalesce(octet_length(content), 0) AS earlier
              FROM (
                SELECT * FROM event WHERE workspace = ${workspace} AND sequence > ${after} ORDER BY sequence LIMIT ${BATCH}
              ) oldest
            ) e
            WHERE earlier < ${ENOUGH_TO_INDEX}
            ORDER BY sequence`,
          decodeEntries
        )
        const last = entries.at(-1)
        if (last === undefined) return 0
        const found = entries.flatMap(({ sequence, content }) => {
          const parsed = content === null ? undefined : parseContent(content)
          return parsed === undefined ? [] : [{ sequence, text: indexable(searchTexts(parsed).join("\n")) }]
        })
        yield* sql.unsafe(
          `INSERT INTO search (workspace, sequence, place, text)
           SELECT $1::bigint, * FROM unnest($2::bigint[], $3::bigint[], $4::text[])`,
          [
            workspace,
            numbers(found.map(({ sequence }) => sequence)),
            numbers(found.map(({ sequence }) => placeOf(workspace, sequence))),
            texts(found.map(({ text }) => text))
          ]
        )
        yield* sql`
          UPDATE search_position SET sequence = ${last.sequence} WHERE workspace = ${workspace}`
        return entries.length
      })

      const behind = sql<{ readonly workspace: number }>`
        SELECT h.workspace FROM head h LEFT JOIN search_position p ON p.workspace = h.workspace
        WHERE h.created_at > 0 AND (
          h.sequence > greatest(coalesce(p.sequence, 0), 0)
          OR (h.legacy_count > 0 AND coalesce(p.sequence, ${Number.MIN_SAFE_INTEGER}) < ${FIRST_LEGACY_SEQUENCE}))`

      const advanceOne = (workspace: number) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`
              INSERT INTO search_position (workspace, sequence) VALUES (${workspace}, ${Number.MIN_SAFE_INTEGER})
              ON CONFLICT DO NOTHING`
            const [position] = yield* sql<{ readonly sequence: number }>`
              SELECT sequence FROM search_position WHERE workspace = ${workspace} FOR UPDATE SKIP LOCKED`
            return position === undefined ? 0 : yield* indexBatch(workspace, position.sequence)
          })
        )

      // The planner takes tables without statistics for empty, and joins them row by row: a search would take
      // a minute. The database collects statistics by itself, but only some time after tables have grown.
      let indexed = 0
      let analyzeAt = BATCH
      const keepStatistics = Effect.suspend(() => {
        if (indexed < analyzeAt || analyzeAt > ANALYZED_BY_ITSELF) return Effect.void
        analyzeAt = 2 * indexed
        return Effect.ignore(sql`ANALYZE event, event_target, search`)
      })

      const advance = Effect.gen(function* () {
        if (support === "none") return 0
        let count = 0
        for (const { workspace } of yield* behind) count += yield* advanceOne(workspace)
        indexed += count
        yield* keepStatistics
        return count
      })

      const positionOf = Effect.fnUntraced(function* (workspace: number) {
        const [row] = yield* sql<{ readonly sequence: number }>`
          SELECT sequence FROM search_position WHERE workspace = ${workspace}`
        return row?.sequence ?? Number.MIN_SAFE_INTEGER
      })

      /** The part of a range that is indexed; the rest above it is scanned. */
      const split = Effect.fnUntraced(function* (
        workspace: number,
        filter: EventFilter,
        range: SequenceRange
      ) {
        const term = fold(filter.search ?? "")
        if (!hasTrigram(support, term)) {
          const [last] = yield* sql<{ readonly sequence: number }>`
            SELECT sequence FROM event WHERE workspace = ${workspace} AND sequence <= ${range.to}
            ORDER BY sequence DESC OFFSET ${SHORT_TERM_WINDOW - 1} LIMIT 1`
          const from = Math.max(range.from, last?.sequence ?? Number.MIN_SAFE_INTEGER)
          return { scanned: { from, to: range.to }, indexed: undefined, term }
        }
        const position = yield* positionOf(workspace)
        return {
          scanned: { from: Math.max(range.from, position + 1), to: range.to },
          indexed: { from: range.from, to: Math.min(range.to, position) },
          term
        }
      })

      /** The events of a window that contain the term, according to the index. */
      const fromIndexed = (workspace: number, filter: EventFilter, range: SequenceRange, term: string) =>
        sql`${filteredEvents(sql, workspace, filter, range).from} AND e.sequence IN (
          SELECT s.sequence FROM search s
          WHERE s.workspace = ${workspace} AND s.sequence BETWEEN ${range.from} AND ${range.to}
            AND s.place BETWEEN ${placeOf(workspace, range.from)} AND ${placeOf(workspace, range.to)}
            AND s.text LIKE ${likePattern(indexable(term))})`

      /**
       * Entries of a source, newest first, chunk by chunk, each mapped by `keep`, until `isEnough` returns
       * true.
       */
      const collect = Effect.fnUntraced(function* <A>(
        filter: EventFilter,
        range: SequenceRange,
        source: (range: SequenceRange) => Statement.Fragment,
        { keep, found, isEnough }: Gathering<A>
      ) {
        let { to } = range
        for (let size = FIRST_CHUNK; to >= range.from && !isEnough(); size = Math.min(2 * size, LAST_CHUNK)) {
          const among = { from: source({ from: range.from, to }), sequence: sql`e.sequence` }
          const entries = yield* Effect.flatMap(
            readNewest(among, { limit: size, enough: ENOUGH_TO_READ }),
            decodeEntries
          )
          const matched = yield* matching(pace, filter, entries.map(toEntry))
          for (const entry of matched) found.push(keep(entry))
          if (!mayGoOn(entries, size)) return
          to = (entries.at(-1)?.sequence ?? range.from) - 1
        }
      })

      /** The newest that match, each mapped by `keep`. */
      const newest = Effect.fnUntraced(function* <A>(
        workspace: number,
        filter: EventFilter,
        range: SequenceRange,
        gathering: Gathering<A>
      ) {
        const { scanned, indexed, term } = yield* split(workspace, filter, range)
        const all = (within: SequenceRange) => filteredEvents(sql, workspace, filter, within).from
        yield* collect(filter, scanned, all, gathering)
        const bounds = indexed === undefined ? undefined : yield* boundsOf(workspace, indexed)
        for (const window of bounds === undefined ? [] : windows(bounds)) {
          if (gathering.isEnough()) break
          const held = (within: SequenceRange) => fromIndexed(workspace, filter, within, term)
          yield* collect(filter, window, held, gathering)
        }
        return gathering.found
      })

      const page = Effect.fnUntraced(function* (
        workspace: number,
        filter: EventFilter,
        range: SequenceRange,
        limit: number
      ) {
        const found: Array<LogEntry> = []
        let size = 0
        const keep = (entry: LogEntry) => {
          size += contentSize(entry)
          return entry
        }
        const isEnough = () => found.length >= limit || size >= ENOUGH_TO_LIST
        yield* newest(workspace, filter, range, { keep, found, isEnough })
        return upToEnough(found.slice(0, limit), contentSize, ENOUGH_TO_LIST)
      }, unavailable("search events"))

      const moments = Effect.fnUntraced(function* (
        workspace: number,
        filter: EventFilter,
        range: SequenceRange,
        limit: number
      ) {
        const found: Array<Micros.Micros> = []
        const keep = ({ createdAt }: LogEntry) => createdAt
        yield* newest(workspace, filter, range, { keep, found, isEnough: () => found.length >= limit })
        return found.slice(0, limit)
      }, unavailable("search moments"))

      /** The range of sequences that exist: windows over others would be many, and empty. */
      const boundsOf = Effect.fnUntraced(function* (
        workspace: number,
        range: SequenceRange
      ): Effect.fn.Return<SequenceRange, SqlError> {
        const [row] = yield* sql<{ readonly first: number | null; readonly last: number | null }>`
          SELECT min(sequence) AS first, max(sequence) AS last FROM search
          WHERE workspace = ${workspace} AND sequence BETWEEN ${range.from} AND ${range.to}`
        return { from: row?.first ?? 0, to: row?.last ?? -1 }
      })

      const count = Effect.fnUntraced(function* (
        workspace: number,
        filter: EventFilter,
        range: SequenceRange
      ) {
        const { scanned, indexed, term } = yield* split(workspace, filter, range)
        const found: Array<null> = []
        const everything = { keep: () => null, found, isEnough: () => false }
        const all = (within: SequenceRange) => filteredEvents(sql, workspace, filter, within).from
        yield* collect(filter, scanned, all, everything)
        if (indexed === undefined || indexed.from > indexed.to) return found.length
        // The text of an event is its fields, one a line: only a term that spans lines could be found
        // wrongly.
        if (!/[\n\0\uFFFD]/.test(term)) {
          const [row] = yield* sql<{ readonly count: number }>`
            SELECT count(*) AS count ${fromIndexed(workspace, filter, indexed, term)}`
          return found.length + (row?.count ?? 0)
        }
        const held = (within: SequenceRange) => fromIndexed(workspace, filter, within, term)
        yield* collect(filter, indexed, held, everything)
        return found.length
      }, unavailable("count a search"))

      return SearchIndex.of({ advance: advance.pipe(unavailable("index events")), page, moments, count })
    })
  )
}
