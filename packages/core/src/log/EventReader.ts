/** Reading: one event by id, lists with an exact total or without, and the total alone. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import { contentSize, makePace } from "../encoding/Pace.ts"
import { contentText } from "../event/ContentWriter.ts"
import type { Event } from "../event/Event.ts"
import { parseContent, toEvent } from "../event/EventContent.ts"
import { EventFilter } from "../event/EventFilter.ts"
import { EventTime } from "../event/EventTime.ts"
import { nowhere } from "../event/GeoIp.ts"
import * as Cursor from "./Cursor.ts"
import { EventCounts } from "./EventCounts.ts"
import { EventLog, type LogEntry } from "./EventLog.ts"
import { Inbox, type WaitingEvent } from "./Inbox.ts"
import { withTotal } from "./ListTotal.ts"
import { Occurrence } from "./Occurrence.ts"
import { pageByOccurrence } from "./OccurrencePage.ts"
import type { EventPage } from "./Page.ts"
import { ENOUGH_TO_LIST, mayGoOn } from "./ReadingBound.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** A page to read, newest first. */
export const ListRequest = Schema.Struct({
  workspaceId: Schema.String,
  filter: EventFilter,
  /** By which time the page is ordered, and its filter's times compare: `recorded` unless given. */
  time: Schema.optionalKey(EventTime),
  /** Only events recorded before this time: a decoded cursor. */
  before: Schema.NullOr(Schema.Number),
  /** The same of a page in the order of occurrence: only what comes after this place. */
  beyond: Schema.optionalKey(Schema.NullOr(Occurrence)),
  /** 1 to 100. */
  limit: Schema.Number,
  /** Where the retention window begins; null if nothing expires. */
  visibleFrom: Schema.NullOr(Schema.Number),
  /** `none`: the page has no total, and nothing is counted. */
  total: Schema.optionalKey(Schema.Literal("none"))
})
export type ListRequest = typeof ListRequest.Type

/** What to count: everything that such a list has on all its pages. */
export const CountRequest = Schema.Struct({
  workspaceId: ListRequest.fields.workspaceId,
  filter: ListRequest.fields.filter,
  time: ListRequest.fields.time,
  visibleFrom: ListRequest.fields.visibleFrom
})
export type CountRequest = typeof CountRequest.Type

/** The use case *read*. */
interface EventReaderShape {
  /**
   * One event, also while it waits to be sequenced; none if it does not exist or is outside the retention
   * window.
   */
  readonly get: (
    workspaceId: string,
    eventId: string,
    visibleFrom: Micros | null
  ) => Effect.Effect<Option.Option<Event>, StorageUnavailable>
  /** Contents beyond some hundred thousand characters are parsed in turns of the event loop, see `Pace`. */
  readonly list: (request: ListRequest) => Effect.Effect<EventPage<Event>, StorageUnavailable>
  /** The same with each event as JSON, which is written in the same turn in which its content is parsed. */
  readonly texts: (request: ListRequest) => Effect.Effect<EventPage<string>, StorageUnavailable>
  /**
   * The exact number of events on all pages of a list. Takes as long as `EventCounts` does; a caller that is
   * interrupted ends the counting.
   */
  readonly count: (request: CountRequest) => Effect.Effect<number, StorageUnavailable>
}

const fromStored = (stored: LogEntry): Option.Option<Event> =>
  Option.map(Option.fromNullishOr(stored.content === null ? null : parseContent(stored.content)), (content) =>
    toEvent(content, stored)
  )

/** An event that is not sequenced yet: its time is that of acceptance, its hashes are null. */
const fromWaiting = ({ event, acceptedAt, offset }: WaitingEvent): Option.Option<Event> =>
  Option.map(Option.fromNullishOr(parseContent(contentText(event.content, nowhere))), (content) =>
    toEvent(content, {
      id: event.id,
      createdAt: acceptedAt + offset,
      eventHash: null,
      previousEventHash: null
    })
  )

/** The filter, restricted to the retention window. */
const visible = (filter: EventFilter, from: Micros | null): EventFilter =>
  from === null || (filter.from !== undefined && filter.from >= from) ? filter : { ...filter, from }

/** Reading over a log and an inbox. */
export class EventReader extends Context.Service<EventReader, EventReaderShape>()("@cairn/core/EventReader") {
  static readonly layer = Layer.effect(
    EventReader,
    Effect.gen(function* () {
      const log = yield* EventLog
      const inbox = yield* Inbox
      const counts = yield* EventCounts
      const pace = makePace()

      const get = Effect.fn("EventReader.get")(function* (
        workspaceId: string,
        eventId: string,
        visibleFrom: Micros | null
      ) {
        const shown = (stored: LogEntry) =>
          visibleFrom !== null && stored.createdAt < visibleFrom ? Option.none<Event>() : fromStored(stored)
        const stored = yield* log.get(workspaceId, eventId)
        if (Option.isSome(stored)) return shown(stored.value)
        const waiting = yield* inbox.find(workspaceId, eventId)
        if (Option.isSome(waiting)) return fromWaiting(waiting.value)
        // It may have been sequenced between the two look-ups.
        return Option.flatMap(yield* log.get(workspaceId, eventId), shown)
      })

      const count = ({ workspaceId, filter, visibleFrom, time }: CountRequest) =>
        counts.total(workspaceId, filter, visibleFrom, time)

      const readRows = Effect.fnUntraced(function* (request: ListRequest) {
        const { workspaceId, before, limit } = request
        const filter = visible(request.filter, request.visibleFrom)
        const rows = yield* log.page(workspaceId, { filter, before, limit: limit + 1 })
        const shown = rows.slice(0, limit)
        const last = shown.at(-1)
        // If events are large, a page may have fewer than requested.
        const isCut = rows.length <= limit && mayGoOn(rows, limit + 1, ENOUGH_TO_LIST)
        const more =
          last !== undefined &&
          (isCut
            ? (yield* log.moments(workspaceId, { filter, before: last.createdAt, limit: 1 })).length > 0
            : rows.length > limit)
        return { rows: shown, next: more ? Cursor.encode(last.createdAt) : null }
      })

      const readPage = Effect.fnUntraced(function* <A>(request: ListRequest, read: (event: Event) => A) {
        const { rows, next } = yield* request.time === "occurred"
          ? pageByOccurrence(log, request)
          : readRows(request)
        const events = yield* pace.map(rows, contentSize, (row) => Option.map(fromStored(row), read))
        const data = events.flatMap(Option.toArray)
        return { data, length: data.length, pagination: { has_more: next !== null, next_cursor: next } }
      })

      const pageOf = Effect.fn("EventReader.list")(function* <A>(
        request: ListRequest,
        read: (event: Event) => A
      ): Effect.fn.Return<EventPage<A>, StorageUnavailable> {
        const counting = request.total === "none" ? null : count(request)
        const { page, total } = yield* withTotal(counting, readPage(request, read))
        return { data: page.data, pagination: { ...page.pagination, total } }
      })

      return EventReader.of({
        get,
        count,
        list: (request) => pageOf(request, (event) => event),
        texts: (request) => pageOf(request, (event) => JSON.stringify(event))
      })
    })
  )
}
