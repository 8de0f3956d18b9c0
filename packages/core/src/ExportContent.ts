/** What goes into an export's file: the events of a filter as they are when it begins, oldest first, as a stream. */
import { Effect, Option, Stream } from "effect"
import { eventsAfter } from "./ConsumerRunner.ts"
import { parseContent, toEvent } from "./EventContent.ts"
import { type EventFilter, matches } from "./EventFilter.ts"
import { type EventLogShape, FIRST_LEGACY_SEQUENCE, type StoredEvent } from "./EventLog.ts"
import type { EventTable } from "./EventTable.ts"
import type { ExportFilters } from "./Export.ts"
import * as Micros from "./Micros.ts"

/** Rows of the log read at a time, so that the store's snapshot is short. */
const HELPING = 1_000

/** The conditions of an export's filters, which must be those of a valid request. */
export const exportFilter = (filters: ExportFilters): EventFilter => {
  const { from, to, actor_id, action, resource, tenant_id, session_id, search } = filters
  const moment = (text: string) => Micros.parse(text) ?? 0
  return {
    ...(from === undefined ? {} : { from: moment(from) }),
    ...(to === undefined ? {} : { to: moment(to) }),
    ...(actor_id === undefined ? {} : { actorId: actor_id }),
    ...(action === undefined ? {} : { action }),
    ...(resource === undefined ? {} : { resource }),
    ...(tenant_id === undefined ? {} : { tenantId: tenant_id }),
    ...(session_id === undefined ? {} : { sessionId: session_id }),
    ...(search === undefined ? {} : { search })
  }
}

/** A piece of a file, and how far the making of it has come. */
export interface ExportPiece {
  readonly bytes: Uint8Array
  /** Rows of the table in it. */
  readonly rows: number
  /** Percent of the events that were to be looked at. */
  readonly progress: number
}

const utf8 = new TextEncoder()

/** The lines of those events of a helping that satisfy the filter. */
const lines = (table: EventTable, filter: EventFilter, helping: ReadonlyArray<StoredEvent>) => {
  let text = ""
  let rows = 0
  for (const row of helping) {
    const content = row.content === null ? undefined : parseContent(row.content)
    if (content === undefined || !matches(filter, content, row.createdAt)) continue
    text += table.line(toEvent(content, row))
    rows++
  }
  return { text, rows }
}

/**
 * The file of a table, in pieces of a thousand events looked at. `visibleFrom` is where the retention window begins, or null. Costs a look at
 * every event between the filter's times; memory holds one piece.
 */
export const exportContent = (
  log: Pick<EventLogShape, "head" | "scan" | "sequenceAt">,
  workspaceId: string,
  table: EventTable,
  filters: ExportFilters,
  visibleFrom: Micros.Micros | null
) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const asked = exportFilter(filters)
      const from = Math.max(asked.from ?? Number.NEGATIVE_INFINITY, visibleFrom ?? Number.NEGATIVE_INFINITY)
      const filter: EventFilter = from === Number.NEGATIVE_INFINITY ? asked : { ...asked, from }
      const head = yield* log.head(workspaceId)
      const start =
        filter.from === undefined
          ? FIRST_LEGACY_SEQUENCE
          : ((yield* log.sequenceAt(workspaceId, filter.from)) ?? head.sequence + 1)
      const until = filter.to ?? Number.POSITIVE_INFINITY
      const total = eventsAfter(start - 1, head)
      let seen = 0

      const header: ExportPiece = { bytes: utf8.encode(table.header), rows: 0, progress: 0 }
      const pieces = Stream.paginate(start, (next) =>
        Effect.map(log.scan(workspaceId, next, HELPING), (found) => {
          const helping = found.filter(
            ({ sequence, createdAt }) => sequence <= head.sequence && createdAt <= until
          )
          seen += helping.length
          const { text, rows } = lines(table, filter, helping)
          const progress = total === 0 ? 100 : Math.min(100, Math.floor((seen * 100) / total))
          const last = helping.at(-1)
          const more = helping.length === HELPING && last !== undefined
          const piece: ExportPiece = { bytes: utf8.encode(text), rows, progress }
          return [[piece], more ? Option.some(last.sequence + 1) : Option.none()] as const
        })
      )
      return Stream.concat(Stream.make(header), pieces)
    })
  )
