/**
 * The search index: a consumer of the log with its own position, in its own file.
 *
 * FTS5's trigrams find candidates; `matches` of the core decides whether an event really matches, so that
 * every database has the same results. Events that are not indexed yet are scanned. A term of fewer than
 * three characters has no trigram, so only the newest {@link SHORT_TERM_WINDOW} events are searched.
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
import type { RemovedEvent } from "@cairn/core/retention"
import {
  ENTRY_COLUMNS,
  EntryRow,
  filteredEvents,
  filteredPage,
  type Leader,
  matching,
  type SearchIndexShape,
  SHORT_TERM_WINDOW,
  toEntry,
  unavailable
} from "@cairn/storage-sql"
import { Context, Effect, Layer, Schema } from "effect"
import { transaction } from "./Append.ts"
import { leaderOf } from "./FilterLeader.ts"
import { newestRows } from "./NewestRows.ts"
import type { SqliteDatabase } from "./SqliteClient.ts"
import { SqliteFiles } from "./SqliteFiles.ts"

/** Most events indexed in one transaction. */
const BATCH = 200

/** Entries read together: about two pages of the newest at first, and more the longer it takes. */
const FIRST_CHUNK = 50
const LAST_CHUNK = 800

/** Candidates looked up together: the factor by which their number grows, and its limit. */
const LOOK_UP_GROWTH = 8
const LAST_LOOK_UP = 50_000

/** Trigrams of a query that are looked up; more would not narrow it much. */
const MAX_TRIGRAMS = 24

/**
 * A rowid is the workspace's number above 37 bits of sequence, shifted so that legacy sequences are positive:
 * up to 65,535 workspaces in one file, and one workspace is one range of rowids.
 */
const SPAN = 2 ** 37
export const rowidOf = (workspace: number, sequence: number): number =>
  workspace * SPAN + Math.min(Math.max(sequence - FIRST_LEGACY_SEQUENCE, 0), SPAN - 1)
const sequenceOf = (rowid: number): number => (rowid % SPAN) + FIRST_LEGACY_SEQUENCE

/** FTS5 reads text up to a U+0000, so that character is indexed and looked up as U+FFFD. */
export const indexable = (folded: string): string => folded.replaceAll("\0", "\uFFFD")

/** `"abc" AND "bcd"…`: every trigram of a folded term; `undefined` if the term is too short. */
export const trigramQuery = (folded: string): string | undefined => {
  const points = Array.from(indexable(folded))
  if (points.length < 3) return undefined
  const trigrams = new Set<string>()
  for (let at = 0; at + 3 <= points.length && trigrams.size < MAX_TRIGRAMS; at++) {
    trigrams.add(points.slice(at, at + 3).join(""))
  }
  return Array.from(trigrams, (trigram) => `"${trigram.replaceAll('"', '""')}"`).join(" AND ")
}

/** Removes the texts of events from the index, within its open transaction, as far as they are indexed. */
export const removeFromIndex = (
  { prepare }: SqliteDatabase,
  workspace: number,
  events: ReadonlyArray<RemovedEvent>
): void => {
  // A range, as elsewhere: FTS5 does not compare a rowid with "=" if it is bound as a double, as numbers of
  // this size are.
  const holds = prepare("SELECT rowid FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ?")
  const remove = prepare("INSERT INTO search (search, rowid, text) VALUES ('delete', ?, ?)")
  for (const { sequence, content } of events) {
    const parsed = parseContent(content)
    if (parsed === undefined) continue
    const text = indexable(searchTexts(parsed).join("\n"))
    const rowid = rowidOf(workspace, sequence)
    const query = trigramQuery(text)
    // The index keeps no texts: removing a text that it does not have would damage it. A text without a
    // trigram left nothing in it.
    if (query !== undefined && holds.get(query, rowid, rowid)?.rowid === rowid) remove.run(rowid, text)
  }
}

const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(EntryRow))
const decodeEntriesNow = Schema.decodeUnknownSync(Schema.Array(EntryRow))

/** Takes a chunk of entries; returns false if no more are needed. */
type Take = (chunk: ReadonlyArray<LogEntry>) => Effect.Effect<boolean>

/** The index. */
export class SearchIndex extends Context.Service<SearchIndex, SearchIndexShape>()(
  "@cairn/storage-sqlite/SearchIndex"
) {
  static readonly layer = Layer.effect(
    SearchIndex,
    Effect.gen(function* () {
      const { log, search } = yield* SqliteFiles
      const { prepare } = log.database
      const readNewest = newestRows(log)
      const pace = makePace()
      const index = search.database

      const positionOf = (workspace: number): number => {
        const row = index.prepare("SELECT sequence FROM position WHERE workspace = ?").get(workspace)
        return typeof row?.sequence === "number" ? row.sequence : Number.MIN_SAFE_INTEGER
      }

      /** Contents are read within the index's lock: none can be removed between reading and indexing. */
      const indexBatch = (workspace: number): number =>
        transaction(index, () => {
          const rows: Array<unknown> = []
          let size = 0
          const after = prepare(
            `SELECT ${ENTRY_COLUMNS} FROM event e WHERE workspace = ? AND sequence > ? ORDER BY sequence LIMIT ?`
          ).iterate(workspace, positionOf(workspace), BATCH)
          for (const row of after) {
            rows.push(row)
            size += typeof row.content === "string" ? row.content.length : 0
            if (size >= ENOUGH_TO_INDEX) break
          }
          const entries = decodeEntriesNow(rows)
          const last = entries.at(-1)
          if (last === undefined) return 0
          const insert = index.prepare("INSERT INTO search (rowid, text) VALUES (?, ?)")
          for (const { sequence, content } of entries) {
            const parsed = content === null ? undefined : parseContent(content)
            if (parsed !== undefined)
              insert.run(rowidOf(workspace, sequence), indexable(searchTexts(parsed).join("\n")))
          }
          index
            .prepare(
              `INSERT INTO position (workspace, sequence, mark) VALUES (?, ?, ?)
               ON CONFLICT DO UPDATE SET sequence = excluded.sequence, mark = excluded.mark`
            )
            .run(workspace, last.sequence, last.event_hash ?? last.id)
          return entries.length
        })

      const advanceOnce = (): number => {
        const heads = prepare("SELECT workspace, sequence, legacy_count FROM head WHERE created_at > 0").all()
        for (const { workspace, sequence, legacy_count } of heads) {
          const at = positionOf(Number(workspace))
          const behind =
            Number(sequence) > Math.max(at, 0) || (Number(legacy_count) > 0 && at < FIRST_LEGACY_SEQUENCE)
          const indexed = behind ? indexBatch(Number(workspace)) : 0
          if (indexed > 0) return indexed
        }
        return 0
      }

      /**
       * Entries of a range that meet the filter's other conditions, newest first, in chunks, as long as
       * `take` returns true.
       */
      const scan = Effect.fnUntraced(function* (
        workspace: number,
        filter: EventFilter,
        { from, to }: SequenceRange,
        leader: Leader | null,
        take: Take
      ) {
        let high = to
        for (let size = FIRST_CHUNK; high >= from; size = Math.min(2 * size, LAST_CHUNK)) {
          const limits = { limit: size, enough: ENOUGH_TO_READ }
          const within = { from, to: high }
          const chunk = yield* filteredPage(log, readNewest, workspace, filter, within, limits, leader)
          if (!(yield* take(chunk))) return false
          if (!mayGoOn(chunk, size)) break
          high = (chunk.at(-1)?.sequence ?? from) - 1
          yield* Effect.yieldNow
        }
        return true
      })

      /**
       * Sequences that the index finds for a query, newest first, a few at first: each look-up evaluates the
       * query again.
       */
      const lookUp = (workspace: number, query: string, range: SequenceRange, limit: number) =>
        search.use("find candidates", () =>
          index
            .prepare(
              "SELECT rowid FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?"
            )
            .all(query, rowidOf(workspace, range.from), rowidOf(workspace, range.to), limit)
            .map((row) => sequenceOf(Number(row.rowid)))
        )

      /** The same entries, of those that the index finds for a query. */
      const candidates = Effect.fnUntraced(function* (
        workspace: number,
        filter: EventFilter,
        { from, to }: SequenceRange,
        query: string,
        take: Take
      ) {
        let high = to
        for (let size = FIRST_CHUNK; high >= from; size = Math.min(LOOK_UP_GROWTH * size, LAST_LOOK_UP)) {
          const found = yield* lookUp(workspace, query, { from, to: high }, size)
          for (let at = 0; at < found.length; ) {
            const sequences = found.slice(at, at + LAST_CHUNK)
            const entries = yield* entriesAt(workspace, filter, sequences)
            if (!(yield* take(entries))) return
            const last = entries.at(-1)
            // If they are large, fewer are read at once; the next are those below the last.
            at +=
              last !== undefined && mayGoOn(entries, sequences.length)
                ? sequences.filter((sequence) => sequence >= last.sequence).length
                : sequences.length
            yield* Effect.yieldNow
          }
          if (found.length < size) return
          high = (found.at(-1) ?? from) - 1
        }
      })

      const entriesAt = (workspace: number, filter: EventFilter, sequences: ReadonlyArray<number>) => {
        const range = { from: sequences.at(-1) ?? 0, to: sequences.at(0) ?? 0 }
        const { from } = filteredEvents(log, workspace, filter, range, null)
        const among = {
          from: log`${from} AND e.sequence IN (SELECT value FROM json_each(${JSON.stringify(sequences)}))`,
          sequence: log`e.sequence`
        }
        const rows = readNewest(among, { limit: sequences.length, enough: ENOUGH_TO_READ })
        return Effect.map(Effect.flatMap(rows, decodeEntries), (entries) => entries.map(toEntry))
      }

      /** Every entry that may match, newest first. */
      const mayMatch = Effect.fnUntraced(function* (
        workspace: number,
        filter: EventFilter,
        range: SequenceRange,
        take: Take
      ) {
        const { leader, few } = yield* leaderOf(log, workspace, filter, range)
        const query = trigramQuery(fold(filter.search ?? ""))
        if (query === undefined) {
          const window = { from: yield* windowStart(workspace, range), to: range.to }
          yield* scan(workspace, filter, window, leader, take)
          return
        }
        if (few) {
          yield* scan(workspace, filter, range, leader, take)
          return
        }
        const indexed = positionOf(workspace)
        const behind = { from: Math.max(range.from, indexed + 1), to: range.to }
        if (!(yield* scan(workspace, filter, behind, leader, take))) return
        const held = { from: range.from, to: Math.min(range.to, indexed) }
        yield* candidates(workspace, filter, held, query, take)
      })

      /** The sequence from which on a term without a trigram is searched. */
      const windowStart = (workspace: number, { from, to }: SequenceRange) =>
        Effect.map(
          log<{ readonly sequence: number }>`
            SELECT sequence FROM event WHERE workspace = ${workspace} AND sequence <= ${to}
            ORDER BY sequence DESC LIMIT 1 OFFSET ${SHORT_TERM_WINDOW - 1}`,
          ([oldest]) => Math.max(from, oldest?.sequence ?? Number.MIN_SAFE_INTEGER)
        )

      const page = Effect.fnUntraced(function* (
        workspace: number,
        filter: EventFilter,
        range: SequenceRange,
        limit: number
      ) {
        const found: Array<LogEntry> = []
        let size = 0
        yield* mayMatch(workspace, filter, range, (chunk) =>
          Effect.map(matching(pace, filter, chunk), (more) => {
            found.push(...more)
            for (const entry of more) size += contentSize(entry)
            return found.length < limit && size < ENOUGH_TO_LIST
          })
        )
        return upToEnough(found.slice(0, limit), contentSize, ENOUGH_TO_LIST)
      }, unavailable("search events"))

      const moments = Effect.fnUntraced(function* (
        workspace: number,
        filter: EventFilter,
        range: SequenceRange,
        limit: number
      ) {
        const found: Array<Micros.Micros> = []
        yield* mayMatch(workspace, filter, range, (chunk) =>
          Effect.map(matching(pace, filter, chunk), (more) => {
            for (const { createdAt } of more) found.push(createdAt)
            return found.length < limit
          })
        )
        return found.slice(0, limit)
      }, unavailable("search moments"))

      const count = Effect.fnUntraced(function* (
        workspace: number,
        filter: EventFilter,
        range: SequenceRange
      ) {
        let total = 0
        yield* mayMatch(workspace, filter, range, (chunk) =>
          Effect.map(matching(pace, filter, chunk), (more) => {
            total += more.length
            return true
          })
        )
        return total
      }, unavailable("count a search"))

      return SearchIndex.of({
        advance: search.use("index events", advanceOnce).pipe(unavailable("index events")),
        page,
        moments,
        count
      })
    })
  )
}
