/** Reading the rows of events that a filter selects, newest first. */
import { contentSize, type Micros, makePace } from "@cairn/core/encoding"
import { type EventFilter, matchesText, searchesOf } from "@cairn/core/event"
import { ENOUGH_TO_READ, type LogEntry, mayGoOn, type SequenceRange } from "@cairn/core/log"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { EntryRow, toEntry } from "../EventRows.ts"
import type { NewestLimits, ReadNewest } from "../NewestRows.ts"

/** Entries read together: about two pages of the newest at first, and more the longer it takes. */
const FIRST_CHUNK = 50
export const LAST_CHUNK = 800

const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(EntryRow))

/** Takes a chunk of entries; returns whether more are needed. */
export type TakeEntries = (chunk: ReadonlyArray<LogEntry>) => Effect.Effect<boolean>

/** Reads events of the log. */
export const filteredRows = (sql: SqlClient.SqlClient, readNewest: ReadNewest) => {
  const pace = makePace()

  const within = (workspace: number, { from, to }: SequenceRange) =>
    sql`e.workspace = ${workspace} AND e.sequence BETWEEN ${from} AND ${to}`

  /**
   * Conditions on those of some events that have a content. One parameter: the statement's text is the same.
   */
  const among = (workspace: number, sequences: ReadonlyArray<number>) => {
    const isOneOf = sql.onDialectOrElse({
      sqlite: () => sql`e.sequence IN (SELECT value FROM json_each(${JSON.stringify(sequences)}))`,
      orElse: () => sql`e.sequence = ANY (${`{${sequences.join()}}`}::bigint[])`
    })
    return sql`e.workspace = ${workspace} AND e.content IS NOT NULL AND ${isOneOf}`
  }

  const entries = (conditions: Parameters<ReadNewest>[0], limits: NewestLimits) =>
    Effect.map(Effect.flatMap(readNewest(conditions, limits), decodeEntries), (rows) => rows.map(toEntry))

  /** The newest of a range that have a content. */
  const newest = (workspace: number, range: SequenceRange, limits: NewestLimits) =>
    entries(sql`${within(workspace, range)} AND e.content IS NOT NULL`, limits)

  /** Those that satisfy a filter. Large entries and many searched texts take turns of the event loop. */
  const matching = (
    filter: EventFilter,
    some: ReadonlyArray<LogEntry>
  ): Effect.Effect<ReadonlyArray<LogEntry>> => {
    const looks = Math.max(1, searchesOf(filter).length)
    return Effect.map(
      pace.map(
        some,
        (entry) => looks * contentSize(entry),
        (entry) =>
          entry.content !== null && matchesText(filter, entry.content, entry.createdAt) ? [entry] : []
      ),
      (found) => found.flat()
    )
  }

  /** Gives the entries of a range that satisfy a filter, in chunks, as long as more are wanted. */
  const scan = Effect.fnUntraced(function* (
    workspace: number,
    filter: EventFilter,
    { from, to }: SequenceRange,
    take: TakeEntries
  ) {
    let high = to
    for (let size = FIRST_CHUNK; high >= from; size = Math.min(2 * size, LAST_CHUNK)) {
      const chunk = yield* newest(workspace, { from, to: high }, { limit: size, enough: ENOUGH_TO_READ })
      if (!(yield* take(yield* matching(filter, chunk)))) return false
      if (!mayGoOn(chunk, size)) break
      high = (chunk.at(-1)?.sequence ?? from) - 1
      yield* Effect.yieldNow
    }
    return true
  })

  /**
   * Gives the entries of sequences, newest first, so many of them at first; fewer are read at once where they
   * are large.
   */
  const each = Effect.fnUntraced(function* (
    workspace: number,
    sequences: ReadonlyArray<number>,
    take: TakeEntries,
    first = FIRST_CHUNK
  ) {
    let size = first
    for (let left = sequences; left.length > 0; size = Math.min(2 * size, LAST_CHUNK)) {
      const some = left.slice(0, size)
      const limits = { limit: some.length, enough: ENOUGH_TO_READ }
      const chunk = yield* entries(among(workspace, some), limits)
      if (!(yield* take(chunk))) return false
      const last = chunk.at(-1)
      left =
        last !== undefined && mayGoOn(chunk, some.length)
          ? left.filter((sequence) => sequence < last.sequence)
          : left.slice(some.length)
      yield* Effect.yieldNow
    }
    return true
  })

  const timesWhere = (conditions: Parameters<ReadNewest>[0], limit: number) =>
    Effect.map(
      sql<{ readonly created_at: Micros.Micros }>`
        SELECT e.created_at FROM event e WHERE ${conditions} ORDER BY e.sequence DESC LIMIT ${limit}`,
      (rows) => rows.map(({ created_at }) => created_at)
    )

  /**
   * How many of a range have a content: all, without those whose contents were removed, which have an index.
   */
  const count = (workspace: number, range: SequenceRange) =>
    Effect.map(
      sql<{ readonly count: number }>`
        SELECT (SELECT count(*) FROM event e WHERE ${within(workspace, range)})
          - (SELECT count(*) FROM event e WHERE ${within(workspace, range)} AND e.content IS NULL) AS count`,
      ([row]) => row?.count ?? 0
    )

  /**
   * The sequence of the event of a range before which there are some newer ones; the range's first if none
   * is.
   */
  const startOfNewest = (workspace: number, range: SequenceRange, some: number) =>
    Effect.map(
      sql<{ readonly sequence: number }>`
        SELECT e.sequence FROM event e WHERE ${within(workspace, range)}
        ORDER BY e.sequence DESC LIMIT 1 OFFSET ${some - 1}`,
      ([oldest]) => oldest?.sequence ?? range.from
    )

  /** The last event of a log, and when the one with a sequence was recorded, if there is one. */
  const end = (workspace: number, sequence: number) =>
    Effect.map(
      sql<{
        readonly sequence: number
        readonly created_at: Micros.Micros
        readonly seen_at: Micros.Micros | null
      }>`
        SELECT e.sequence, e.created_at,
          (SELECT s.created_at FROM event s WHERE s.workspace = ${workspace} AND s.sequence = ${sequence}) AS seen_at
        FROM event e WHERE e.workspace = ${workspace} ORDER BY e.sequence DESC LIMIT 1`,
      ([row]) => row
    )

  const lastBefore = (workspace: number, sequence: number) =>
    Effect.map(
      sql<{ readonly last: number | null }>`
        SELECT max(e.sequence) AS last FROM event e
        WHERE e.workspace = ${workspace} AND e.sequence < ${sequence}`,
      ([row]) => row?.last ?? undefined
    )

  /** How many of a range have no content, for each 1,024 sequences. */
  const removedIn = (workspace: number, range: SequenceRange) =>
    Effect.map(
      sql<{ readonly block: number; readonly removed: number }>`
        SELECT e.sequence >> 10 AS block, count(*) AS removed FROM event e
        WHERE ${within(workspace, range)} AND e.content IS NULL GROUP BY e.sequence >> 10`,
      (rows) => new Map(rows.map(({ block, removed }) => [block, removed]))
    )

  return {
    newest,
    end,
    lastBefore,
    removedIn,
    matching,
    scan,
    each,
    count,
    startOfNewest,
    /** The times of the newest events of a range. */
    timesWithin: (workspace: number, range: SequenceRange, limit: number) =>
      timesWhere(sql`${within(workspace, range)} AND e.content IS NOT NULL`, limit),
    /** The times of sequences. */
    timesOf: (workspace: number, sequences: ReadonlyArray<number>) =>
      timesWhere(among(workspace, sequences), sequences.length)
  }
}
