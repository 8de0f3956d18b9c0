/** The append-only log on SQLite. */

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
  type InboxRow,
  type OccurrenceCounts,
  type OccurrenceFacets,
  type OccurrenceRequest,
  type PageRequest,
  type SequenceRange,
  type StorageUnavailable,
  upToEnough
} from "@cairn/core/log"
import {
  CONTENT_AT,
  consecutiveHashes,
  ENTRY_COLUMNS,
  EntryRow,
  HEAD_COLUMNS,
  readableHead,
  readEntry,
  toEntry,
  toHead,
  unavailable
} from "@cairn/storage-sql"
import { Clock, Effect, Layer, Option, Schema } from "effect"
import { appendRows, insertEvents, readHead, transaction, writeHead } from "./Append.ts"
import { inboxCheckpoint } from "./InboxCheckpoint.ts"
import { moveKeysInBackground } from "./KeyMove.ts"
import { contentLength } from "./NewestRows.ts"
import { SearchIndex } from "./SearchIndex.ts"
import { SqliteFiles } from "./SqliteFiles.ts"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(EntryRow))

/** Finds each workspace by one step through the index; `DISTINCT` would walk over every waiting row. */
const WAITING = `
  WITH RECURSIVE waiting (workspace) AS (
    SELECT min(workspace) FROM inbox
    UNION ALL
    SELECT (SELECT min(workspace) FROM inbox WHERE workspace > waiting.workspace) FROM waiting
    WHERE waiting.workspace IS NOT NULL
  )
  SELECT workspace FROM waiting WHERE workspace IS NOT NULL`

const sizeOfRow = (row: ReadonlyArray<unknown>): number => contentLength(row[CONTENT_AT])

/** The log. */
export const layer = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const { log, sequenced, consumers } = yield* SqliteFiles
    const numbers = yield* WorkspaceNumbers
    const search = yield* SearchIndex
    const files = { log: log.database, inbox: sequenced.database, consumers: consumers.database }
    const checkpointInbox = inboxCheckpoint(files.inbox)
    const { values, eachValues } = log.database

    const numberOf = (workspaceId: string): number => {
      const number = numbers.number(workspaceId)
      if (number === undefined) throw new Error(`there is no workspace ${workspaceId}`)
      return number
    }

    const append = Effect.fnUntraced(function* (requests: ReadonlyArray<AppendRequest>, maxEvents: number) {
      const clock = yield* Clock.Clock
      const now = () => Number(clock.currentTimeNanosUnsafe() / 1000n)
      const outcomes = yield* log
        .use("append events", () => {
          const turns = requests.map(({ workspaceId, chain }) => ({
            workspace: numberOf(workspaceId),
            chain: (head: Head, rows: ReadonlyArray<InboxRow>) => chain(head, rows, now())
          }))
          const outcomes = appendRows(files, turns, maxEvents)
          checkpointInbox()
          return outcomes
        })
        .pipe(unavailable("append events"))
      for (const [index, { parked }] of outcomes.entries()) {
        for (const { inboxId, reason } of parked) {
          yield* Effect.logError("A request could not be appended and was parked").pipe(
            Effect.annotateLogs({ workspaceId: requests[index]?.workspaceId, inboxId, reason })
          )
        }
      }
      return outcomes.map(({ count, more }) => ({ count, more }))
    })

    const scope = yield* Effect.scope
    let isMoving = false
    /** Begins to move former idempotency keys: the process that asks what waits is the one that appends. */
    const moveKeys = Effect.suspend(() => {
      if (isMoving) return Effect.void
      isMoving = true
      return Effect.forkIn(moveKeysInBackground(sequenced), scope)
    })

    const waiting = sequenced
      .use("find waiting workspaces", () =>
        sequenced.database
          .prepare(WAITING)
          .all()
          .map((row) => numbers.id(Number(row.workspace)))
          .filter((id) => id !== undefined)
      )
      .pipe(Effect.tap(moveKeys), unavailable("find waiting workspaces"))

    const importLegacy = (
      workspaceId: string,
      legacy: (head: Head) => Append
    ): Effect.Effect<void, ChainStarted | StorageUnavailable> =>
      log
        .use("import legacy events", () =>
          transaction(log.database, () => {
            const workspace = numberOf(workspaceId)
            const before = toHead(readHead(log.database, workspace))
            if (before.sequence > 0)
              return Option.some(new ChainStarted({ workspaceId, sequence: before.sequence }))
            const { events, head } = legacy(before)
            insertEvents(log.database, workspace, events)
            writeHead(log.database, workspace, head)
            return Option.none()
          })
        )
        .pipe(
          unavailable("import legacy events"),
          Effect.flatMap(Option.match({ onNone: () => Effect.void, onSome: Effect.fail }))
        )

    const head = (workspaceId: string) =>
      log
        .use("read the head", () => toHead(readHead(log.database, numberOf(workspaceId))))
        .pipe(unavailable("read the head"))

    const newestRow = values("SELECT max(created_at) FROM head")
    const newestTime = log
      .use("read the newest time", () => Number(newestRow()[0]?.[0] ?? 0))
      .pipe(unavailable("read the newest time"))

    const headRow = values(`SELECT ${HEAD_COLUMNS} FROM head WHERE workspace = ?`)
    const storedHead = (workspaceId: string) =>
      log
        .use("read the head", () => {
          const row = headRow(numberOf(workspaceId))[0] ?? []
          return readableHead(Object.fromEntries(HEAD_COLUMNS.split(", ").map((name, at) => [name, row[at]])))
        })
        .pipe(unavailable("read the head"))

    const get = (workspaceId: string, eventId: string) =>
      log`SELECT ${log.literal(ENTRY_COLUMNS)} FROM event e
          WHERE e.id = ${eventId} AND e.workspace = ${numberOf(workspaceId)}`.pipe(
        Effect.flatMap(decodeEntries),
        Effect.map(([row]) => Option.map(Option.fromNullishOr(row), toEntry)),
        unavailable("read an event")
      )

    /** The range of sequences within a filter's times, from `event_created_at`. */
    const rangeOf = (workspace: number, filter: EventFilter, before: number | null): SequenceRange => {
      const end = Math.min(
        filter.to === undefined ? Number.MAX_SAFE_INTEGER : filter.to + 1,
        before ?? Number.MAX_SAFE_INTEGER
      )
      const last = lastBefore(workspace, end, 1)
      const from =
        filter.from === undefined
          ? FIRST_LEGACY_SEQUENCE
          : (firstAt(workspace, filter.from) ?? Number.MAX_SAFE_INTEGER)
      return { from, to: last ?? Number.MIN_SAFE_INTEGER }
    }

    const numberIn = (rows: ReadonlyArray<ReadonlyArray<unknown>>): number | null => {
      const value = rows[0]?.[0]
      return typeof value === "number" ? value : null
    }

    const firstRow = values(
      "SELECT sequence FROM event WHERE workspace = ? AND created_at >= ? ORDER BY created_at LIMIT 1"
    )
    const firstAt = (workspace: number, micros: number) => numberIn(firstRow(workspace, micros))

    const lastRow = values(
      "SELECT max(sequence) FROM (SELECT sequence FROM event WHERE workspace = ? AND created_at < ? ORDER BY created_at DESC LIMIT ?)"
    )
    /** The highest sequence of the last few events by time. */
    const lastBefore = (workspace: number, micros: number, among: number) =>
      numberIn(lastRow(workspace, micros, among))

    const page = Effect.fnUntraced(function* (workspaceId: string, { filter, before, limit }: PageRequest) {
      const workspace = numberOf(workspaceId)
      const range = rangeOf(workspace, filter, before)
      return range.from > range.to ? [] : yield* search.page(workspace, filter, range, limit)
    }, unavailable("list events"))

    const moments = Effect.fnUntraced(function* (
      workspaceId: string,
      { filter, before, limit }: PageRequest
    ) {
      const workspace = numberOf(workspaceId)
      const range = rangeOf(workspace, filter, before)
      return range.from > range.to ? [] : yield* search.moments(workspace, filter, range, limit)
    }, unavailable("list moments"))

    const count = Effect.fnUntraced(function* (
      workspaceId: string,
      filter: EventFilter,
      range: SequenceRange
    ) {
      const workspace = numberOf(workspaceId)
      const bounds = rangeOf(workspace, filter, null)
      const within = { from: Math.max(range.from, bounds.from), to: Math.min(range.to, bounds.to) }
      return within.from > within.to ? 0 : yield* search.count(workspace, filter, within)
    }, unavailable("count events"))

    const facets = Effect.fnUntraced(function* (workspaceId: string, filter: EventFilter, query: FacetQuery) {
      const workspace = numberOf(workspaceId)
      return yield* search.facets(workspace, filter, rangeOf(workspace, filter, null), query)
    }, unavailable("count facets"))
    const occurrences = (workspaceId: string, request: OccurrenceRequest) =>
      Effect.suspend(() => search.occurrences(numberOf(workspaceId), request))
    const occurrenceCounts = (workspaceId: string, request: OccurrenceCounts) =>
      Effect.suspend(() => search.occurrenceCounts(numberOf(workspaceId), request))
    const occurrenceFacets = (workspaceId: string, request: OccurrenceFacets) =>
      Effect.suspend(() => search.occurrenceFacets(numberOf(workspaceId), request))
    const entriesOf = (workspaceId: string, sequences: ReadonlyArray<number>) =>
      Effect.suspend(() => search.entriesOf(numberOf(workspaceId), sequences))

    const entryRows = eachValues(
      `SELECT ${ENTRY_COLUMNS} FROM event e WHERE workspace = ? AND sequence >= ? ORDER BY sequence LIMIT ?`
    )
    const entries = (workspaceId: string, from: number, limit: number) =>
      log
        .use("read events", () =>
          upToEnough(entryRows(numberOf(workspaceId), from, limit), sizeOfRow, ENOUGH_TO_READ).map(readEntry)
        )
        .pipe(unavailable("read events"))

    const hashRows = values(
      "SELECT sequence, event_hash FROM event WHERE workspace = ? AND sequence BETWEEN ? AND ? ORDER BY sequence"
    )
    const hashes = (workspaceId: string, from: number, to: number) =>
      log
        .use("read hashes", () => consecutiveHashes(from, hashRows(numberOf(workspaceId), from, to)))
        .pipe(unavailable("read hashes"))

    const sequenceAt = (workspaceId: string, micros: number) =>
      log
        .use("find a moment", () => firstAt(numberOf(workspaceId), micros))
        .pipe(unavailable("find a moment"))

    const sequenceBefore = (workspaceId: string, micros: number, among: number) =>
      log
        .use("find a moment", () => lastBefore(numberOf(workspaceId), micros, among))
        .pipe(unavailable("find a moment"))

    return EventLog.of({
      append,
      waiting,
      importLegacy,
      head,
      newestTime,
      unreachable: Effect.succeed(new Set()),
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
