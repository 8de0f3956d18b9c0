/**
 * Searching a log over the frames of its index: the same on every database.
 *
 * A term is found in frames exactly where `matches` of the core finds it. Events that are in no frame yet,
 * fewer than one as a rule, are read one by one, and so are the events of a filter that selects few. A term
 * of one or two characters is looked for in the newest {@link SHORT_TERM_WINDOW} events.
 */
import { contentSize, type Micros, makePace } from "@cairn/core/encoding"
import type { EventFilter } from "@cairn/core/event"
import {
  ENOUGH_TO_LIST,
  ENOUGH_TO_READ,
  type LogEntry,
  mayGoOn,
  type SearchTerm,
  type SequenceRange,
  searchTerm,
  upToEnough
} from "@cairn/core/log"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { EntryRow, toEntry } from "../EventRows.ts"
import { filteredEvents, type Leader, selectsAll } from "../FilteredEvents.ts"
import { filteredPage, type ReadNewest } from "../FilteredPage.ts"
import type { SearchIndexShape } from "../SearchIndexShape.ts"
import { matching, SHORT_TERM_WINDOW } from "../SearchMatch.ts"
import { unavailable } from "../StorageFailure.ts"
import { searchFrames } from "./FrameSearch.ts"
import type { FrameStore } from "./FrameStore.ts"

/** Entries read together: about two pages of the newest at first, and more the longer it takes. */
const FIRST_CHUNK = 50
const LAST_CHUNK = 800

const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(EntryRow))

/** Takes a chunk of entries; returns false if no more are needed. */
type Take = (chunk: ReadonlyArray<LogEntry>) => Effect.Effect<boolean>

/** What a search works with. */
interface SearchSources {
  /** The log. */
  readonly sql: SqlClient.SqlClient
  readonly store: FrameStore
  readonly readNewest: ReadNewest
  /** How a filter is followed: undefined where the database chooses; and whether it selects few events. */
  readonly leaderOf: (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange
  ) => Effect.Effect<{ readonly leader: Leader | null | undefined; readonly few: boolean }, SqlError.SqlError>
}

/** Searches. */
export const searchOverFrames = ({
  sql,
  store,
  readNewest,
  leaderOf
}: SearchSources): Omit<SearchIndexShape, "advance"> => {
  const pace = makePace()

  /**
   * Entries of a range that meet the filter's other conditions, newest first, in chunks, as long as
   * `take` returns true.
   */
  const scan = Effect.fnUntraced(function* (
    workspace: number,
    filter: EventFilter,
    { from, to }: SequenceRange,
    leader: Leader | null | undefined,
    take: Take
  ) {
    let high = to
    for (let size = FIRST_CHUNK; high >= from; size = Math.min(2 * size, LAST_CHUNK)) {
      const limits = { limit: size, enough: ENOUGH_TO_READ }
      const within = { from, to: high }
      const chunk = yield* filteredPage(sql, readNewest, workspace, filter, within, limits, leader)
      if (!(yield* take(chunk))) return false
      if (!mayGoOn(chunk, size)) break
      high = (chunk.at(-1)?.sequence ?? from) - 1
      yield* Effect.yieldNow
    }
    return true
  })

  // One parameter, so that the text of the statement is always the same.
  const isOneOf = (sequences: ReadonlyArray<number>) =>
    sql.onDialectOrElse({
      sqlite: () => sql`e.sequence IN (SELECT value FROM json_each(${JSON.stringify(sequences)}))`,
      orElse: () => sql`e.sequence = ANY (${`{${sequences.join()}}`}::bigint[])`
    })

  /** Those of some events, newest first, that meet the filter's other conditions. */
  const among = (workspace: number, filter: EventFilter, sequences: ReadonlyArray<number>) => {
    const range = { from: sequences.at(-1) ?? 0, to: sequences.at(0) ?? 0 }
    const { from } = filteredEvents(sql, workspace, filter, range, null)
    return sql`${from} AND ${isOneOf(sequences)}`
  }

  const entriesAt = (workspace: number, filter: EventFilter, sequences: ReadonlyArray<number>) => {
    const from = among(workspace, filter, sequences)
    const rows = readNewest(
      { from, sequence: sql`e.sequence` },
      { limit: sequences.length, enough: ENOUGH_TO_READ }
    )
    return Effect.map(Effect.flatMap(rows, decodeEntries), (entries) => entries.map(toEntry))
  }

  /** What a search reads: events one by one, and below them frames; each part may be empty. */
  const partsOf = Effect.fnUntraced(function* (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    term: SearchTerm
  ) {
    const { leader, few } = yield* leaderOf(workspace, filter, range)
    if (term.isShort)
      return {
        leader,
        read: { from: yield* windowStart(workspace, range), to: range.to },
        framed: undefined
      }
    if (few) return { leader, read: range, framed: undefined }
    const { sequence: indexed } = yield* store.position(workspace)
    return {
      leader,
      read: { from: Math.max(range.from, indexed + 1), to: range.to },
      framed: { from: range.from, to: Math.min(range.to, indexed) }
    }
  })

  /** The sequence from which on a short term is searched. */
  const windowStart = (workspace: number, { from, to }: SequenceRange) =>
    Effect.map(
      sql<{ readonly sequence: number }>`
        SELECT sequence FROM event WHERE workspace = ${workspace} AND sequence <= ${to}
        ORDER BY sequence DESC LIMIT 1 OFFSET ${SHORT_TERM_WINDOW - 1}`,
      ([oldest]) => Math.max(from, oldest?.sequence ?? Number.MIN_SAFE_INTEGER)
    )

  /** Every entry that matches, newest first, in pieces, as long as `take` wants more. */
  const eachMatch = Effect.fnUntraced(function* (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    take: Take
  ) {
    const term = searchTerm(filter.search ?? "")
    const { leader, read, framed } = yield* partsOf(workspace, filter, range, term)
    const readEach = (part: SequenceRange) =>
      scan(workspace, filter, part, leader, (chunk) => Effect.flatMap(matching(pace, filter, chunk), take))
    if (!(yield* readEach(read)) || framed === undefined) return
    yield* searchFrames(
      { store, workspace, range: framed, term },
      { take: (sequences) => entriesOf(workspace, filter, sequences, take), read: readEach }
    )
  })

  /** The entries of sequences, newest first; fewer are read at once where they are large. */
  const entriesOf = Effect.fnUntraced(function* (
    workspace: number,
    filter: EventFilter,
    sequences: ReadonlyArray<number>,
    take: Take
  ) {
    let size = FIRST_CHUNK
    for (let left = sequences; left.length > 0; size = Math.min(2 * size, LAST_CHUNK)) {
      const some = left.slice(0, size)
      const entries = yield* entriesAt(workspace, filter, some)
      if (!(yield* take(entries))) return false
      const last = entries.at(-1)
      left =
        last !== undefined && mayGoOn(entries, some.length)
          ? left.filter((sequence) => sequence < last.sequence)
          : left.slice(some.length)
      yield* Effect.yieldNow
    }
    return true
  })

  const page = Effect.fnUntraced(function* (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    limit: number
  ) {
    const found: Array<LogEntry> = []
    let size = 0
    yield* eachMatch(workspace, filter, range, (entries) =>
      Effect.sync(() => {
        found.push(...entries)
        for (const entry of entries) size += contentSize(entry)
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
    yield* eachMatch(workspace, filter, range, (entries) =>
      Effect.sync(() => {
        for (const { createdAt } of entries) found.push(createdAt)
        return found.length < limit
      })
    )
    return found.slice(0, limit)
  }, unavailable("search moments"))

  /** How many of some events meet the filter's other conditions. */
  const countAmong = (workspace: number, filter: EventFilter, sequences: ReadonlyArray<number>) =>
    selectsAll(filter)
      ? Effect.succeed(sequences.length)
      : Effect.map(
          sql<{
            readonly count: number
          }>`SELECT count(*) AS count ${among(workspace, filter, sequences)}`,
          ([row]) => row?.count ?? 0
        )

  const count = Effect.fnUntraced(function* (workspace: number, filter: EventFilter, range: SequenceRange) {
    const term = searchTerm(filter.search ?? "")
    const { leader, read, framed } = yield* partsOf(workspace, filter, range, term)
    let total = 0
    const add = (more: number) => {
      total += more
      return true
    }
    const readEach = (part: SequenceRange) =>
      scan(workspace, filter, part, leader, (chunk) =>
        Effect.map(matching(pace, filter, chunk), (entries) => add(entries.length))
      )
    yield* readEach(read)
    if (framed === undefined) return total
    yield* searchFrames(
      { store, workspace, range: framed, term },
      { take: (sequences) => Effect.map(countAmong(workspace, filter, sequences), add), read: readEach }
    )
    return total
  }, unavailable("count a search"))

  return { page, moments, count }
}
