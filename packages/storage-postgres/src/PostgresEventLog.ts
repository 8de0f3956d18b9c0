/** The append-only log on PostgreSQL. */

import type { EventFilter } from "@cairn/core/event"
import {
  type Append,
  type AppendRequest,
  ChainStarted,
  ENOUGH_TO_READ,
  EventLog,
  type FacetQuery,
  FIRST_LEGACY_SEQUENCE,
  type Head,
  type OccurrenceCounts,
  type OccurrenceFacets,
  type OccurrenceRequest,
  type PageRequest,
  type SequenceRange
} from "@cairn/core/log"
import {
  consecutiveHashes,
  ENTRY_COLUMNS,
  EntryRow,
  HEAD_COLUMNS,
  isStorable,
  readableHead,
  readEntry,
  toEntry,
  unavailable
} from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Schema } from "effect"
import type { AcceptPlace } from "./Accept.ts"
import { appendRows, holdHead, readHead, writeAppend } from "./Append.ts"
import { enoughOf } from "./EnoughRows.ts"
import { within } from "./Patience.ts"
import { Places } from "./Places.ts"
import { SearchIndex } from "./SearchIndex.ts"
import { SeenHeads } from "./SeenHeads.ts"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(EntryRow))

interface Waiting {
  readonly workspace: number
}

/** How long one machine of several may take to append. */
const PATIENCE = "10 seconds"

/**
 * The workspaces with waiting rows. In one database each is found by one step through the index; DISTINCT
 * would walk over every waiting row. Where the log is spread, each machine looks for its own; Citus leaves
 * out a machine only if each table's condition says so.
 */
const waitingWorkspaces = ({ sql, places }: AcceptPlace) =>
  Effect.suspend(() =>
    places.spread
      ? sql<Waiting>`
          SELECT h.workspace FROM head h
          WHERE ${places.within("h.workspace")} AND EXISTS (
            SELECT FROM inbox i WHERE i.workspace = h.workspace AND ${places.within("i.workspace")})`
      : sql<Waiting>`
          WITH RECURSIVE waiting (workspace) AS (
            SELECT min(workspace) FROM inbox
            UNION ALL
            SELECT (SELECT min(workspace) FROM inbox WHERE workspace > waiting.workspace) FROM waiting
            WHERE waiting.workspace IS NOT NULL
          )
          SELECT workspace FROM waiting WHERE workspace IS NOT NULL`
  )

/** The log. */
export const layer = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const numbers = yield* WorkspaceNumbers
    const search = yield* SearchIndex
    const seen = yield* SeenHeads
    const places = yield* Places
    const columns = sql.literal(ENTRY_COLUMNS)

    const append = Effect.fnUntraced(function* (requests: ReadonlyArray<AppendRequest>, maxEvents: number) {
      const [first] = requests
      if (first === undefined) return []
      const { workspaceId, chain } = first
      const workspace = yield* numbers.number(workspaceId)
      const place = { sql, seen, workspaceId, workspace }
      const appended = appendRows(place, maxEvents, chain).pipe(seen.noted, unavailable("append events"))
      // The machine of one workspace holds up no other's.
      const { count, more, parked } = yield* places.spread
        ? within(PATIENCE, "append events")(appended)
        : appended
      for (const { inboxId, reason } of parked) {
        yield* Effect.logError("A request could not be appended and was parked").pipe(
          Effect.annotateLogs({ workspaceId, inboxId, reason })
        )
      }
      return [{ count, more }]
    })

    const waiting = places.everywhere(waitingWorkspaces({ sql, places })).pipe(
      unavailable("find waiting workspaces"),
      Effect.flatMap((rows) => numbers.ids(rows.map(({ workspace }) => workspace)))
    )

    const importLegacy = Effect.fnUntraced(function* (workspaceId: string, legacy: (head: Head) => Append) {
      const workspace = yield* numbers.number(workspaceId)
      const started = yield* sql
        .withTransaction(
          Effect.gen(function* () {
            const place = { sql, seen, workspaceId, workspace }
            const locked = yield* holdHead(place)
            const { head } = locked
            if (head.sequence > 0) return new ChainStarted({ workspaceId, sequence: head.sequence })
            yield* writeAppend(place, locked, legacy(head), [])
            return undefined
          })
        )
        .pipe(seen.noted, unavailable("import legacy events"))
      if (started !== undefined) return yield* started
    })

    const head = (workspaceId: string) =>
      Effect.flatMap(numbers.number(workspaceId), (workspace) =>
        readHead({ sql, seen, workspaceId, workspace }).pipe(unavailable("read the head"))
      )

    const newestTime = places
      .everywhere(
        Effect.suspend(
          () => sql<{ readonly newest: number }>`
            SELECT coalesce(max(created_at), 0) AS newest FROM head WHERE ${places.within("workspace")}`
        )
      )
      .pipe(
        Effect.map(([row]) => row?.newest ?? 0),
        unavailable("read the newest time")
      )

    const unreachable = Effect.map(
      Effect.suspend(() => numbers.ids(places.unreachable())),
      (ids): ReadonlySet<string> => new Set(ids)
    )

    const storedHead = Effect.fnUntraced(function* (workspaceId: string) {
      const workspace = yield* numbers.number(workspaceId)
      const [row] = yield* sql`SELECT ${sql.literal(HEAD_COLUMNS)} FROM head WHERE workspace = ${workspace}`
      // Read again, together with what was seen of it.
      return Option.isNone(readableHead(row)) ? Option.none() : Option.some(yield* head(workspaceId))
    }, unavailable("read the head"))

    const get = Effect.fnUntraced(function* (workspaceId: string, eventId: string) {
      const workspace = yield* numbers.number(workspaceId)
      if (!isStorable(eventId)) return Option.none()
      const [row] = yield* Effect.flatMap(
        sql`SELECT ${columns} FROM event e WHERE e.workspace = ${workspace} AND e.id = ${eventId}`,
        decodeEntries
      )
      return Option.map(Option.fromNullishOr(row), toEntry)
    }, unavailable("read an event"))

    const firstAt = Effect.fnUntraced(function* (workspace: number, micros: number) {
      const [row] = yield* sql<{ readonly sequence: number }>`
        SELECT sequence FROM event WHERE workspace = ${workspace} AND created_at >= ${micros}
        ORDER BY created_at LIMIT 1`
      return row?.sequence ?? null
    })

    /** The highest sequence of the last few events by time. */
    const lastBefore = Effect.fnUntraced(function* (workspace: number, micros: number, among: number) {
      const [row] = yield* sql<{ readonly sequence: number | null }>`
        SELECT max(sequence) AS sequence FROM (
          SELECT sequence FROM event WHERE workspace = ${workspace} AND created_at < ${micros}
          ORDER BY created_at DESC LIMIT ${among}
        ) AS last`
      return row?.sequence ?? null
    })

    /** The range of sequences within a filter's times, from `event_created_at`. */
    const rangeOf = Effect.fnUntraced(function* (
      workspace: number,
      filter: EventFilter,
      before: number | null
    ) {
      const from =
        filter.from === undefined
          ? FIRST_LEGACY_SEQUENCE
          : ((yield* firstAt(workspace, filter.from)) ?? Number.MAX_SAFE_INTEGER)
      if (filter.to === undefined && before === null) return { from, to: Number.MAX_SAFE_INTEGER }
      const end = Math.min(
        filter.to === undefined ? Number.MAX_SAFE_INTEGER : filter.to + 1,
        before ?? Number.MAX_SAFE_INTEGER
      )
      return { from, to: (yield* lastBefore(workspace, end, 1)) ?? Number.MIN_SAFE_INTEGER }
    })

    const page = Effect.fnUntraced(function* (workspaceId: string, { filter, before, limit }: PageRequest) {
      const workspace = yield* numbers.number(workspaceId)
      const range = yield* rangeOf(workspace, filter, before)
      return range.from > range.to ? [] : yield* search.page(workspace, filter, range, limit)
    }, unavailable("list events"))

    const moments = Effect.fnUntraced(function* (
      workspaceId: string,
      { filter, before, limit }: PageRequest
    ) {
      const workspace = yield* numbers.number(workspaceId)
      const range = yield* rangeOf(workspace, filter, before)
      return range.from > range.to ? [] : yield* search.moments(workspace, filter, range, limit)
    }, unavailable("list moments"))

    const count = Effect.fnUntraced(function* (
      workspaceId: string,
      filter: EventFilter,
      range: SequenceRange
    ) {
      const workspace = yield* numbers.number(workspaceId)
      const bounds = yield* rangeOf(workspace, filter, null)
      const both = { from: Math.max(range.from, bounds.from), to: Math.min(range.to, bounds.to) }
      return both.from > both.to ? 0 : yield* search.count(workspace, filter, both)
    }, unavailable("count events"))

    const facets = Effect.fnUntraced(function* (workspaceId: string, filter: EventFilter, query: FacetQuery) {
      const workspace = yield* numbers.number(workspaceId)
      return yield* search.facets(workspace, filter, yield* rangeOf(workspace, filter, null), query)
    }, unavailable("count facets"))
    const occurrences = (workspaceId: string, request: OccurrenceRequest) =>
      Effect.flatMap(numbers.number(workspaceId), (workspace) => search.occurrences(workspace, request)).pipe(
        unavailable("list occurrences")
      )

    const occurrenceCounts = (workspaceId: string, request: OccurrenceCounts) =>
      Effect.flatMap(numbers.number(workspaceId), (workspace) =>
        search.occurrenceCounts(workspace, request)
      ).pipe(unavailable("count occurrences"))

    const occurrenceFacets = (workspaceId: string, request: OccurrenceFacets) =>
      Effect.flatMap(numbers.number(workspaceId), (workspace) =>
        search.occurrenceFacets(workspace, request)
      ).pipe(unavailable("count facets"))

    const entriesOf = (workspaceId: string, sequences: ReadonlyArray<number>) =>
      Effect.flatMap(numbers.number(workspaceId), (workspace) => search.entriesOf(workspace, sequences)).pipe(
        unavailable("list events")
      )

    /** The events from a sequence on, as many as may be read at once. */
    const eldest = (workspace: number, from: number, limit: number) => {
      const rows = sql`
        SELECT * FROM event WHERE workspace = ${workspace} AND sequence >= ${from} ORDER BY sequence LIMIT ${limit}`
      return enoughOf(sql, rows, "ASC", ENOUGH_TO_READ)
    }

    const entries = Effect.fnUntraced(function* (workspaceId: string, from: number, limit: number) {
      const workspace = yield* numbers.number(workspaceId)
      const rows = yield* sql`
        SELECT ${columns} FROM ${eldest(workspace, from, limit)} ORDER BY e.sequence`.values
      return rows.map(readEntry)
    }, unavailable("read events"))

    const hashes = Effect.fnUntraced(function* (workspaceId: string, from: number, to: number) {
      const workspace = yield* numbers.number(workspaceId)
      const range = sql`FROM event WHERE workspace = ${workspace} AND sequence BETWEEN ${from} AND ${to}`
      // One text for all of them: one row for each takes three times as long.
      const [row] = yield* sql`
        SELECT max(sequence), string_agg(coalesce(event_hash, ''), ',' ORDER BY sequence) ${range}`.values
      const [last, text] = row ?? []
      if (typeof text !== "string") return []
      const found = text.split(",")
      if (found.length === Number(last) - from + 1) return found
      const rows = yield* sql`SELECT sequence, event_hash ${range} ORDER BY sequence`.values
      return consecutiveHashes(from, rows)
    }, unavailable("read hashes"))

    const sequenceAt = (workspaceId: string, micros: number) =>
      Effect.flatMap(numbers.number(workspaceId), (workspace) => firstAt(workspace, micros)).pipe(
        unavailable("find a moment")
      )

    const sequenceBefore = (workspaceId: string, micros: number, among: number) =>
      Effect.flatMap(numbers.number(workspaceId), (workspace) => lastBefore(workspace, micros, among)).pipe(
        unavailable("find a moment")
      )

    return EventLog.of({
      append,
      waiting,
      importLegacy,
      head,
      newestTime,
      unreachable,
      storedHead,
      get,
      page,
      moments,
      count,
      occurrences,
      occurrenceCounts,
      occurrenceFacets,
      entriesOf,
      facets,
      entries,
      hashes,
      sequenceAt,
      sequenceBefore
    })
  })
)
