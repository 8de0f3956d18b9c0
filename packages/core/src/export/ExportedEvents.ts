/**
 * The contents of an export's file: the events of a filter at the time it begins, oldest first by when they
 * were recorded or by when they occurred, as a stream.
 */
import { Effect, Option, Stream } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { contentSize, makePace, type Pace } from "../encoding/Pace.ts"
import { parseContent } from "../event/EventContent.ts"
import { conditionsOf, type EventFilter, matches } from "../event/EventFilter.ts"
import type { EventTime } from "../event/EventTime.ts"
import {
  type EventLogShape,
  FIRST_LEGACY_SEQUENCE,
  type LogEntry,
  type SequenceRange
} from "../log/EventLog.ts"
import { columnFilter } from "../log/frame/FrameFilter.ts"
import { visibleRange } from "../log/OccurrencePage.ts"
import { ENOUGH_TO_LIST, mayGoOn } from "../log/ReadingBound.ts"
import type { ExportFilters } from "../outbound/Export.ts"
import type { LineFormat } from "./LineFormat.ts"
import { occurredEvents } from "./OccurredEvents.ts"

/**
 * Rows of the log read at once: with more, finished rows would still be in use when memory is collected, and
 * would be kept for long.
 */
const CHUNK = 250

/** The conditions of an export's filters, which come from a valid request. */
const exportFilter = (filters: ExportFilters): EventFilter => {
  const { from, to } = filters
  const moment = (text: string) => Micros.parse(text) ?? 0
  return {
    ...(from === undefined ? {} : { from: moment(from) }),
    ...(to === undefined ? {} : { to: moment(to) }),
    ...conditionsOf((name) => filters[name])
  }
}

/** A piece of a file, and the progress so far. */
interface ExportPiece {
  readonly bytes: Uint8Array
  /** Events in it. */
  readonly rows: number
  /** Percent of the events to be examined. */
  readonly progress: number
}

const utf8 = new TextEncoder()

/** Whether a row satisfies the filter; its content is parsed only if a condition needs it. */
const satisfies = (filter: EventFilter): ((content: string, createdAt: Micros.Micros) => boolean) => {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, ...asked } = filter
  if (Object.keys(asked).length === 0) return (_, createdAt) => from <= createdAt && createdAt <= to
  return (text, createdAt) => {
    const content = parseContent(text)
    return content !== undefined && matches(filter, content, createdAt)
  }
}

/**
 * The lines of those events of a chunk that satisfy the filter, written in turns of the event loop if they
 * are large.
 */
const lines = (
  { pace, lineFormat, filter }: Pick<Plan, "pace" | "lineFormat" | "filter">,
  chunk: ReadonlyArray<LogEntry>
) => {
  const wanted = satisfies(filter)
  const line = (row: LogEntry) =>
    row.content === null || !wanted(row.content, row.createdAt)
      ? undefined
      : lineFormat.line(row.content, row)
  return Effect.map(pace.map(chunk, contentSize, line), (all) => {
    const found = all.filter((one) => one !== undefined)
    return { bytes: utf8.encode(found.join("")), rows: found.length }
  })
}

type Log = Pick<
  EventLogShape,
  "count" | "entries" | "entriesOf" | "head" | "occurrenceCounts" | "occurrences" | "page" | "sequenceAt"
>

/** What an export reads. */
interface Plan {
  readonly log: Log
  readonly pace: Pace
  readonly workspaceId: string
  readonly filter: EventFilter
  readonly lineFormat: LineFormat
  /** Ranges of sequences in ascending order. */
  readonly ranges: ReadonlyArray<SequenceRange>
  /** Events to be examined. */
  readonly total: number
}

const percent = (seen: number, total: number): number =>
  total === 0 ? 100 : Math.min(100, Math.floor((seen * 100) / total))

/** Every event of the ranges, in chunks. */
const scanned = (plan: Plan) => {
  const { log, workspaceId, ranges, total } = plan
  let seen = 0
  return Stream.fromIterable(ranges).pipe(
    Stream.flatMap(({ from, to }) =>
      Stream.paginate(from, (next: number) =>
        Effect.gen(function* () {
          const found = yield* log.entries(workspaceId, next, CHUNK)
          const chunk = found.filter(({ sequence }) => sequence <= to)
          seen += chunk.length
          const piece: ExportPiece = { ...(yield* lines(plan, chunk)), progress: percent(seen, total) }
          const last = chunk.at(-1)
          const more = last !== undefined && chunk.length === found.length && mayGoOn(found, CHUNK)
          return [[piece], more ? Option.some(last.sequence + 1) : Option.none()] as const
        })
      )
    )
  )
}

/** A range, and how many of its events the indexes find. */
interface Counted extends SequenceRange {
  readonly count: number
}

/**
 * Only what the filter's index finds, oldest first. A page is newest first, so ranges are halved until the
 * results in one fit in a page and are not too large. Costs a count of each range, which the index provides,
 * and reading the results.
 */
const found = (plan: Plan, counted: ReadonlyArray<Counted>) => {
  const { log, workspaceId, filter, total } = plan
  // A condition without an index is checked on what the others find.
  const { search: _, ...indexed } = filter
  let seen = 0

  /** The results in a range; undefined if they are too large for one page. */
  const read = Effect.fnUntraced(function* ({ from, to, count }: Counted) {
    const [first] = yield* log.entries(workspaceId, from, 1)
    if (first === undefined) return []
    const [after] = yield* log.entries(workspaceId, to + 1, 1)
    const page = yield* log.page(workspaceId, {
      filter: { ...indexed, from: Math.max(indexed.from ?? first.createdAt, first.createdAt) },
      before: after?.createdAt ?? null,
      limit: CHUNK
    })
    const within = page.filter(({ sequence }) => sequence >= from && sequence <= to)
    const isCut = within.length < count && page.length < CHUNK && mayGoOn(page, CHUNK, ENOUGH_TO_LIST)
    return isCut && from < to ? undefined : within.toReversed()
  })

  const halves = Effect.fnUntraced(function* ({ from, to, count }: Counted) {
    const middle = Math.floor((from + to) / 2)
    const left = yield* log.count(workspaceId, indexed, { from, to: middle })
    return [
      { from, to: middle, count: left },
      { from: middle + 1, to, count: count - left }
    ] satisfies ReadonlyArray<Counted>
  })

  return Stream.paginate(counted, (ranges: ReadonlyArray<Counted>) =>
    Effect.gen(function* () {
      let [range, ...rest] = ranges.filter(({ count }) => count > 0)
      while (range !== undefined && range.count > CHUNK && range.from < range.to)
        [range, ...rest] = [...(yield* halves(range)), ...rest].filter(({ count }) => count > 0)
      if (range === undefined) return [[], Option.none<ReadonlyArray<Counted>>()] as const
      const chunk = yield* read(range)
      if (chunk === undefined) return [[], Option.some([...(yield* halves(range)), ...rest])] as const
      seen += range.count
      const piece: ExportPiece = { ...(yield* lines(plan, chunk)), progress: percent(seen, total) }
      return [[piece], rest.length > 0 ? Option.some(rest) : Option.none()] as const
    })
  )
}

/** The events that the filter selects by when they occurred, read in that order. */
const occurred = Effect.fnUntraced(function* (
  plan: Pick<Plan, "log" | "workspaceId" | "filter" | "pace" | "lineFormat">,
  visibleFrom: Micros.Micros | null
) {
  const { log, workspaceId, filter } = plan
  const { sequence: to } = yield* log.head(workspaceId)
  const range = { ...(yield* visibleRange(log, workspaceId, visibleFrom)), to }
  const { total, chunks } = yield* occurredEvents({ log, workspaceId, filter, range, chunk: CHUNK })
  const { search } = filter
  // The times and the other conditions hold already.
  const rest = { ...plan, filter: search === undefined ? {} : { search } }
  let seen = 0
  return Stream.mapEffect(chunks, ({ rows, places }) =>
    Effect.map(lines(rest, rows), (written): ExportPiece => {
      seen += places
      return { ...written, progress: percent(seen, total) }
    })
  )
})

/**
 * The file of a format of single events, in pieces of a few hundred events. `visibleFrom` is where the
 * retention window begins, or null. If at most half of the events in the time range satisfy the filter, the
 * cost is that of those events; a filter with only a text, or with no condition, examines every event. Memory
 * holds one piece.
 */
export const exportContent = (
  log: Log,
  workspaceId: string,
  lineFormat: LineFormat,
  filters: ExportFilters,
  visibleFrom: Micros.Micros | null
) =>
  filteredContent(
    log,
    workspaceId,
    lineFormat,
    { filter: exportFilter(filters), time: filters.time },
    visibleFrom
  )

/** The same for a filter, in the order of a time; of recording unless given. */
export const filteredContent = (
  log: Log,
  workspaceId: string,
  lineFormat: LineFormat,
  { filter: asked, time }: { readonly filter: EventFilter; readonly time?: EventTime | undefined },
  visibleFrom: Micros.Micros | null
) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const header: ExportPiece = { bytes: utf8.encode(lineFormat.header), rows: 0, progress: 0 }
      if (time === "occurred") {
        const plan = { log, pace: makePace(), workspaceId, filter: asked, lineFormat }
        return Stream.concat(Stream.make(header), yield* occurred(plan, visibleFrom))
      }
      const from = Math.max(asked.from ?? Number.NEGATIVE_INFINITY, visibleFrom ?? Number.NEGATIVE_INFINITY)
      const filter: EventFilter = from === Number.NEGATIVE_INFINITY ? asked : { ...asked, from }
      const head = yield* log.head(workspaceId)
      const start =
        filter.from === undefined
          ? FIRST_LEGACY_SEQUENCE
          : ((yield* log.sequenceAt(workspaceId, filter.from)) ?? head.sequence + 1)
      const after = filter.to === undefined ? null : yield* log.sequenceAt(workspaceId, filter.to + 1)
      const end = after === null ? head.sequence : Math.min(head.sequence, after - 1)
      const lastLegacy = FIRST_LEGACY_SEQUENCE + (head.legacy?.count ?? 0) - 1
      const ranges = [
        { from: start, to: Math.min(end, lastLegacy) },
        { from: Math.max(start, 1), to: end }
      ].filter((range) => range.from <= range.to)
      const total = ranges.reduce((sum, range) => sum + range.to - range.from + 1, 0)
      const plan: Plan = { log, pace: makePace(), workspaceId, filter, lineFormat, ranges, total }

      // Without a condition that the log has an index for.
      if (columnFilter(filter).values.length === 0) return Stream.concat(Stream.make(header), scanned(plan))
      const { search: _, ...indexed } = filter
      const counted = yield* Effect.forEach(ranges, (range) =>
        Effect.map(log.count(workspaceId, indexed, range), (count): Counted => ({ ...range, count }))
      )
      const matching = counted.reduce((sum, { count }) => sum + count, 0)
      const pieces = matching * 2 > total ? scanned(plan) : found({ ...plan, total: matching }, counted)
      return Stream.concat(Stream.make(header), pieces)
    })
  )
