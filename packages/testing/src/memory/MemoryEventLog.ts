import { contentSize, Micros } from "@cairn/core/encoding"
import { type EventContent, type EventFilter, matches, occurrenceOf, parseContent } from "@cairn/core/event"
import {
  type Append,
  type Appended,
  ChainStarted,
  ENOUGH_TO_APPEND,
  ENOUGH_TO_LIST,
  ENOUGH_TO_READ,
  EventLog,
  type Head,
  type InboxRow,
  type LogEntry,
  MOST_WORKSPACES,
  newestOccurrence,
  type Occurrence,
  type OccurrenceRequest,
  occurrenceBucket,
  type PageRequest,
  upToEnough
} from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import { Effect, Layer, Option } from "effect"
import { countFacets } from "./MemoryFacets.ts"
import { type MemoryInbox, type MemoryLog, MemoryTables } from "./MemoryTables.ts"

/** The oldest rows that together hold `maxEvents` events or a little more; at least one. */
const oldest = (rows: ReadonlyArray<InboxRow>, maxEvents: number): ReadonlyArray<InboxRow> => {
  let count = 0
  let events = 0
  let size = 0
  for (const row of rows) {
    if (count > 0 && (events >= maxEvents || size >= ENOUGH_TO_APPEND)) break
    count++
    events += row.events.length
    for (const { content } of row.events) size += content.head.length + content.tail.length
  }
  return rows.slice(0, count)
}

/** Finds events by filter, and reads each event's content only once. */
const eventFinder = () => {
  const contents = new WeakMap<LogEntry, EventContent>()

  const contentOf = (event: LogEntry): EventContent | undefined => {
    const known = contents.get(event)
    if (known !== undefined || event.content === null) return known
    const content = parseContent(event.content)
    if (content !== undefined) contents.set(event, content)
    return content
  }

  const satisfies = (event: LogEntry, filter: EventFilter): boolean => {
    const content = contentOf(event)
    return content !== undefined && matches(filter, content, event.createdAt)
  }

  /** The newest events of a filter. */
  const newest = (log: MemoryLog, { filter, before, limit }: PageRequest): ReadonlyArray<LogEntry> =>
    log.events
      .filter((event) => (before === null || event.createdAt < before) && satisfies(event, filter))
      .toReversed()
      .slice(0, limit)

  /** The places of the events of a range that a filter selects by when they occurred, newest first. */
  const occurred = (
    log: MemoryLog,
    { filter, range }: Pick<OccurrenceRequest, "filter" | "range">
  ): ReadonlyArray<Occurrence> =>
    log.events
      .filter(({ sequence }) => sequence >= range.from && sequence <= range.to)
      .flatMap((event) => {
        const content = contentOf(event)
        if (content === undefined || event.content === null) return []
        const occurredAt = occurrenceOf(content.occurred_at, event.createdAt)
        return matches(filter, content, occurredAt) ? [{ occurredAt, sequence: event.sequence }] : []
      })
      .sort(newestOccurrence)

  return { satisfies, newest, occurred, contentOf }
}

/** Puts events at the end of the log; what is there already is never replaced. */
const extend = (log: MemoryLog, events: ReadonlyArray<LogEntry>, head: Head): void => {
  let last = log.events.at(-1)
  for (const event of events) {
    if (log.ids.has(event.id)) throw new Error(`there is an event ${event.id} already`)
    if (last !== undefined && (event.sequence <= last.sequence || event.createdAt <= last.createdAt)) {
      throw new Error(`event ${event.id} does not come after event ${last.id}`)
    }
    last = event
  }
  log.events = [...log.events, ...events]
  for (const { id } of events) log.ids.add(id)
  log.head = head
}

const enoughToRead = (events: ReadonlyArray<LogEntry>): ReadonlyArray<LogEntry> =>
  upToEnough(events, contentSize, ENOUGH_TO_READ)

type Tables = MemoryTables["Service"]

/** Appends the oldest rows of one workspace. */
const appendOwn = (
  log: MemoryLog,
  table: MemoryInbox,
  rows: ReadonlyArray<InboxRow>,
  chain: (head: Head) => Append
): Appended => {
  if (rows.length === 0) return { count: 0, more: false }
  const { events, head } = chain(log.head)
  extend(log, events, head)
  table.rows = table.rows.slice(rows.length)
  return { count: events.length, more: table.rows.length > 0 }
}

/** What extends a log. */
const writing = ({
  log,
  inbox,
  inboxes
}: Tables): Pick<EventLog["Service"], "append" | "waiting" | "importLegacy"> => ({
  append: (requests, maxEvents) =>
    Effect.map(Micros.now, (now) => {
      const done: Array<Appended> = []
      let room = maxEvents
      for (const { workspaceId, chain } of requests.slice(0, MOST_WORKSPACES)) {
        const table = inbox(workspaceId)
        const rows = oldest(table.rows, maxEvents)
        const size = rows.reduce((sum, { events }) => sum + events.length, 0)
        if (done.length > 0 && size > room) break
        room -= size
        try {
          done.push(appendOwn(log(workspaceId), table, rows, (head) => chain(head, rows, now)))
        } catch (error) {
          // It has its turn first in the next append, and fails alone.
          if (done.length === 0) throw error
          break
        }
      }
      return done
    }),
  waiting: Effect.sync(() =>
    Array.from(inboxes).flatMap(([workspaceId, { rows }]) => (rows.length > 0 ? [workspaceId] : []))
  ),
  importLegacy: (workspaceId, legacy) =>
    Effect.suspend(() => {
      const { head: before } = log(workspaceId)
      if (before.sequence > 0)
        return Effect.fail(new ChainStarted({ workspaceId, sequence: before.sequence }))
      const { events, head } = legacy(before)
      extend(log(workspaceId), events, head)
      return Effect.void
    })
})

/** Counts the values of fields. */
const facetReads = (
  log: Tables["log"],
  { newest, occurred, contentOf }: ReturnType<typeof eventFinder>
): Pick<EventLog["Service"], "facets" | "occurrenceFacets"> => {
  const contentsOf = (events: ReadonlyArray<LogEntry>) => events.flatMap((event) => contentOf(event) ?? [])
  return {
    facets: (workspaceId, filter, query) =>
      Effect.sync(() => {
        const all = newest(log(workspaceId), { filter, before: null, limit: Number.POSITIVE_INFINITY })
        return countFacets(contentsOf(all), query)
      }),
    occurrenceFacets: (workspaceId, { filter, range, ...query }) =>
      Effect.sync(() => {
        const places = occurred(log(workspaceId), { filter, range })
        const wanted = new Set(places.slice(0, query.most).map(({ sequence }) => sequence))
        const events = log(workspaceId).events.filter(({ sequence }) => wanted.has(sequence))
        const found = countFacets(contentsOf(events.toReversed()), query)
        return { ...found, complete: places.length <= query.most }
      })
  }
}

/** What only reads. */
const reading = ({ log, logs }: Tables): Omit<EventLog["Service"], "append" | "waiting" | "importLegacy"> => {
  const finder = eventFinder()
  const { satisfies, newest, occurred } = finder
  return {
    head: (workspaceId) => Effect.sync(() => log(workspaceId).head),
    unreachable: Effect.succeed(new Set()),
    newestTime: Effect.sync(() => Math.max(0, ...logs().map(({ head }) => head.createdAt))),
    storedHead: (workspaceId) => Effect.sync(() => Option.some(log(workspaceId).head)),
    get: (workspaceId, eventId) =>
      Effect.sync(() => Option.fromNullishOr(log(workspaceId).events.find(({ id }) => id === eventId))),
    page: (workspaceId, request) =>
      Effect.sync(() => upToEnough(newest(log(workspaceId), request), contentSize, ENOUGH_TO_LIST)),
    moments: (workspaceId, request) =>
      Effect.sync(() => newest(log(workspaceId), request).map(({ createdAt }) => createdAt)),
    count: (workspaceId, filter, { from, to }) =>
      Effect.sync(
        () =>
          log(workspaceId).events.filter(
            (event) => event.sequence >= from && event.sequence <= to && satisfies(event, filter)
          ).length
      ),
    ...facetReads(log, finder),
    occurrences: (workspaceId, { first, beyond, limit, ...request }) =>
      Effect.sync(() => {
        const newestFirst = occurred(log(workspaceId), request)
        const places = first === "newest" ? newestFirst : newestFirst.toReversed()
        const sign = first === "newest" ? 1 : -1
        return places
          .filter((place) => beyond === null || sign * newestOccurrence(beyond, place) < 0)
          .slice(0, limit)
      }),
    occurrenceCounts: (workspaceId, { bucket, ...request }) =>
      Effect.sync(() => {
        const places = occurred(log(workspaceId), request)
        const buckets = Map.groupBy(places, ({ occurredAt }) => occurrenceBucket(occurredAt, bucket))
        return new Map(Array.from(buckets, ([start, { length }]) => [start, length]))
      }),
    entriesOf: (workspaceId, sequences) =>
      Effect.sync(() => {
        const entries = new Map(log(workspaceId).events.map((event) => [event.sequence, event]))
        const wanted = sequences.flatMap((sequence) => entries.get(sequence) ?? [])
        return upToEnough(
          wanted.filter(({ content }) => content !== null),
          contentSize,
          ENOUGH_TO_LIST
        )
      }),
    entries: (workspaceId, from, limit) =>
      Effect.sync(() =>
        log(workspaceId)
          .events.filter(({ sequence }) => sequence >= from)
          .slice(0, limit)
      ).pipe(Effect.map(enoughToRead)),
    hashes: (workspaceId, from, to) =>
      Effect.sync(() => {
        const found = log(workspaceId).events.filter(({ sequence }) => sequence >= from && sequence <= to)
        const gap = found.findIndex(({ sequence }, index) => sequence !== from + index)
        return (gap < 0 ? found : found.slice(0, gap)).map(({ eventHash }) => eventHash ?? "")
      }),
    // By time and not by place, as an index finds it: in a log that was tampered with the two may differ.
    sequenceAt: (workspaceId, micros) =>
      Effect.sync(() => {
        const later = log(workspaceId).events.filter(({ createdAt }) => createdAt >= micros)
        return later.length === 0
          ? null
          : later.reduce((first, event) => (event.createdAt < first.createdAt ? event : first)).sequence
      }),
    sequenceBefore: (workspaceId, micros, among) =>
      Effect.sync(() => {
        const earlier = log(workspaceId).events.filter(({ createdAt }) => createdAt < micros)
        const last = earlier.toSorted((one, other) => one.createdAt - other.createdAt).slice(-among)
        return last.length === 0 ? null : Math.max(...last.map(({ sequence }) => sequence))
      })
  }
}

/** The log. */
export const layerEventLog = Layer.effect(
  EventLog,
  Effect.map(MemoryTables, (tables) => EventLog.of({ ...writing(tables), ...reading(tables) }))
)
/** Of the log and the idempotency keys; alerts and messages stay as they are. */
export const layerContentRemoval = Layer.effect(
  ContentRemoval,
  Effect.map(MemoryTables, ({ log, inbox }) => {
    let unfinished = false
    return ContentRemoval.of({
      remove: (workspaceId, events, record) =>
        Effect.map(Micros.now, (now) => {
          unfinished ||= events.length > 0
          const table = log(workspaceId)
          const hashes = new Map(events.map(({ sequence, contentHash }) => [sequence, contentHash]))
          if (record !== null) {
            const appended = record(table.head, now)
            extend(table, appended.events, appended.head)
          }
          table.events = table.events.map((event) => {
            const contentHash = hashes.get(event.sequence)
            return contentHash === undefined || event.content === null
              ? event
              : { ...event, content: null, salt: null, contentHash }
          })
          const ids = new Set(events.map(({ id }) => id))
          const { keys } = inbox(workspaceId)
          for (const [key, { eventId }] of keys) if (ids.has(eventId)) keys.delete(key)
        }),
      // Nothing is ever parked here.
      discardParked: () => Effect.succeed(0),
      forget: () => Effect.succeed(0),
      forgetActors: () => Effect.void,
      unfinished: Effect.sync(() => unfinished),
      scrub: Effect.sync(() => {
        unfinished = false
      })
    })
  })
)
