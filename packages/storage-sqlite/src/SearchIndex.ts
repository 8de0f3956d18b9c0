/**
 * The search index: a consumer of the log with a position of its own, in a file of its own.
 *
 * FTS5's trigrams find candidates; whether an event really matches is decided by `matches` of the core, so that every
 * database agrees. What the index has not reached yet is scanned. A term of fewer than three characters has no trigram and
 * looks at the newest {@link SHORT_TERM_WINDOW} events only.
 */
import {
  type EventFilter,
  FIRST_LEGACY_SEQUENCE,
  fold,
  type LogEntry,
  parseContent,
  type RemovedEvent,
  type SequenceRange,
  type StorageUnavailable,
  searchTexts
} from "@cairn/core"
import {
  ENTRY_COLUMNS,
  EntryRow,
  matching,
  SHORT_TERM_WINDOW,
  toEntry,
  unavailable
} from "@cairn/storage-sql"
import { Context, Effect, Layer, Schema } from "effect"
import { transaction } from "./Append.ts"
import type { SqliteDatabase } from "./SqliteClient.ts"
import { SqliteFiles } from "./SqliteFiles.ts"

/** Events indexed in one transaction. */
const BATCH = 200

/** Candidates looked at together. */
const CHUNK = 200

/** Trigrams of a query that are looked up; more would not narrow it much. */
const MAX_TRIGRAMS = 24

/**
 * A rowid holds the workspace's number above 37 bits of sequence, shifted so that legacy ones are positive: up to 65,535
 * workspaces in one file, and one workspace is one range of rowids.
 */
const SPAN = 2 ** 37
const rowidOf = (workspace: number, sequence: number): number =>
  workspace * SPAN + Math.min(Math.max(sequence - FIRST_LEGACY_SEQUENCE, 0), SPAN - 1)
const sequenceOf = (rowid: number): number => (rowid % SPAN) + FIRST_LEGACY_SEQUENCE

/** FTS5 reads text up to a U+0000, so that one is indexed, and looked up, as U+FFFD. */
const indexable = (folded: string): string => folded.replaceAll("\0", "\uFFFD")

/** `"abc" AND "bcd"…`: every trigram of a folded term; `undefined` when it is too short for one. */
export const trigramQuery = (folded: string): string | undefined => {
  const points = Array.from(indexable(folded))
  if (points.length < 3) return undefined
  const trigrams = new Set<string>()
  for (let at = 0; at + 3 <= points.length && trigrams.size < MAX_TRIGRAMS; at++) {
    trigrams.add(points.slice(at, at + 3).join(""))
  }
  return Array.from(trigrams, (trigram) => `"${trigram.replaceAll('"', '""')}"`).join(" AND ")
}

/** Takes the texts of events out of the index, within its open transaction, as far as they are in it. */
export const removeFromIndex = (
  { prepare }: SqliteDatabase,
  workspace: number,
  events: ReadonlyArray<RemovedEvent>
): void => {
  // A range, as elsewhere: FTS5 does not hold a rowid to "=" when it is bound as a double, as numbers of this size are.
  const holds = prepare("SELECT rowid FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ?")
  const remove = prepare("INSERT INTO search (search, rowid, text) VALUES ('delete', ?, ?)")
  for (const { sequence, content } of events) {
    const parsed = parseContent(content)
    if (parsed === undefined) continue
    const text = indexable(searchTexts(parsed).join("\n"))
    const rowid = rowidOf(workspace, sequence)
    const query = trigramQuery(text)
    // The index keeps no texts: to take one out that it does not hold would damage it. One without a trigram left nothing in it.
    if (query !== undefined && holds.get(query, rowid, rowid)?.rowid === rowid) remove.run(rowid, text)
  }
}

const decodeEntries = Schema.decodeUnknownSync(Schema.Array(EntryRow))

/** The index. */
export class SearchIndex extends Context.Service<
  SearchIndex,
  {
    /** Indexes up to {@link BATCH} events of one workspace; answers how many, 0 when the index has caught up. */
    readonly advance: Effect.Effect<number, StorageUnavailable>
    /** Newest matching entries within the range. */
    readonly page: (
      workspace: number,
      filter: EventFilter,
      range: SequenceRange,
      limit: number
    ) => Effect.Effect<ReadonlyArray<LogEntry>, StorageUnavailable>
    /** How many entries match within the range. */
    readonly count: (
      workspace: number,
      filter: EventFilter,
      range: SequenceRange
    ) => Effect.Effect<number, StorageUnavailable>
  }
>()("@cairn/storage-sqlite/SearchIndex") {
  static readonly layer = Layer.effect(
    SearchIndex,
    Effect.gen(function* () {
      const { log, search } = yield* SqliteFiles
      const { prepare } = log.database
      const index = search.database

      const positionOf = (workspace: number): number => {
        const row = index.prepare("SELECT sequence FROM position WHERE workspace = ?").get(workspace)
        return typeof row?.sequence === "number" ? row.sequence : Number.MIN_SAFE_INTEGER
      }

      /** Reads contents within the index's lock: none can be removed between being read and being indexed. */
      const indexBatch = (workspace: number): number =>
        transaction(index, () => {
          const entries = decodeEntries(
            prepare(
              `SELECT ${ENTRY_COLUMNS} FROM event e WHERE workspace = ? AND sequence > ? ORDER BY sequence LIMIT ?`
            ).all(workspace, positionOf(workspace), BATCH)
          )
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
              "INSERT INTO position (workspace, sequence) VALUES (?, ?) ON CONFLICT DO UPDATE SET sequence = excluded.sequence"
            )
            .run(workspace, last.sequence)
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

      /** Entries from `to` down to `from`, in chunks. */
      function* tail(workspace: number, range: SequenceRange): Generator<ReadonlyArray<LogEntry>> {
        const statement = prepare(
          `SELECT ${ENTRY_COLUMNS} FROM event e WHERE workspace = ? AND sequence BETWEEN ? AND ? ORDER BY sequence DESC LIMIT ?`
        )
        let { to } = range
        while (to >= range.from) {
          const rows = decodeEntries(statement.all(workspace, range.from, to, CHUNK))
          if (rows.length === 0) return
          yield rows.map(toEntry)
          to = (rows.at(-1)?.sequence ?? range.from) - 1
        }
      }

      /** Entries the index holds for a query, newest first, in chunks. */
      function* candidates(
        workspace: number,
        query: string,
        range: SequenceRange
      ): Generator<ReadonlyArray<LogEntry>> {
        const find = index.prepare(
          "SELECT rowid FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?"
        )
        const read = prepare(
          `SELECT ${ENTRY_COLUMNS} FROM event e WHERE workspace = ? AND sequence IN (SELECT value FROM json_each(?)) ORDER BY sequence DESC`
        )
        const low = rowidOf(workspace, range.from)
        let high = rowidOf(workspace, range.to)
        while (high >= low) {
          const rowids = find.all(query, low, high, CHUNK).map((row) => Number(row.rowid))
          if (rowids.length === 0) return
          yield decodeEntries(read.all(workspace, JSON.stringify(rowids.map(sequenceOf)))).map(toEntry)
          high = (rowids.at(-1) ?? low) - 1
        }
      }

      /** Every chunk that may hold a match, newest first. */
      function* chunks(workspace: number, filter: EventFilter, range: SequenceRange) {
        const query = trigramQuery(fold(filter.search ?? ""))
        if (query === undefined) {
          let seen = 0
          for (const chunk of tail(workspace, range)) {
            yield chunk.slice(0, SHORT_TERM_WINDOW - seen)
            seen += chunk.length
            if (seen >= SHORT_TERM_WINDOW) return
          }
          return
        }
        const indexed = positionOf(workspace)
        yield* tail(workspace, { from: Math.max(range.from, indexed + 1), to: range.to })
        yield* candidates(workspace, query, { from: range.from, to: Math.min(range.to, indexed) })
      }

      const page = (workspace: number, filter: EventFilter, range: SequenceRange, limit: number) =>
        search
          .use("search events", () => {
            const found: Array<LogEntry> = []
            for (const chunk of chunks(workspace, filter, range)) {
              found.push(...matching(filter, chunk))
              if (found.length >= limit) break
            }
            return found.slice(0, limit)
          })
          .pipe(unavailable("search events"))

      const count = (workspace: number, filter: EventFilter, range: SequenceRange) =>
        search
          .use("count a search", () => {
            let total = 0
            for (const chunk of chunks(workspace, filter, range)) total += matching(filter, chunk).length
            return total
          })
          .pipe(unavailable("count a search"))

      return SearchIndex.of({
        advance: search.use("index events", advanceOnce).pipe(unavailable("index events")),
        page,
        count
      })
    })
  )
}
