/** What is behind the frames of a log: whether it is enough for another, and which text it has. */

import { eventsAfter } from "@cairn/core/consumer"
import type { Micros } from "@cairn/core/encoding"
import {
  ENOUGH_TO_INDEX,
  type FrameEvent,
  frameEvent,
  LOG_METRICS,
  Meters,
  type SequenceRange
} from "@cairn/core/log"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"

/** The end of a log, and of its index. */
export interface LogEnd {
  readonly workspace: number
  /** The sequence of the last event; 0 for none. */
  readonly sequence: number
  /** Events from before the chain. */
  readonly legacyCount: number
  /** The index's position. */
  readonly indexed: number
}

/** How many events of a log are in no frame. */
const notIndexed = ({ sequence, legacyCount, indexed }: LogEnd): number =>
  eventsAfter(indexed, { sequence, legacy: { count: legacyCount } })

/** Meters the index: what it still lacks, as the last look at all logs found it, and what it takes. */
export const indexMeters = Effect.map(Meters, (meters) => {
  let backlog: number | undefined
  meters.observed(LOG_METRICS.searchBacklog, () => backlog)
  const indexed = meters.counter(LOG_METRICS.indexed)
  return {
    looked: (ends: ReadonlyArray<LogEnd>): void => {
      backlog = ends.reduce((sum, end) => sum + notIndexed(end), 0)
    },
    took: (count: number): void => {
      indexed.value += count
      if (backlog !== undefined) backlog = Math.max(0, backlog - count)
    }
  }
})

/** Events of a log that are in no frame yet. */
interface Tail {
  /** The index's position. */
  readonly after: number
  /** The last one that is counted. */
  readonly to: number
  readonly events: number
  /** Bytes of their contents. */
  readonly size: number
}

const NO_TAIL = { events: 0, size: 0 }

/**
 * Makes what tells whether the events behind a log's position are enough for a frame. Each event is counted
 * once by a process, by the size of its content, which is not read; a log that has not grown since, and whose
 * index was not emptied, is not looked at.
 */
export const frameTails = (sql: SqlClient.SqlClient, frameEvents: number) => {
  const tails = new Map<number, Tail>()
  /** Where logs ended that had too little. */
  const small = new Map<number, LogEnd>()

  const grow = Effect.fnUntraced(function* (workspace: number, after: number) {
    const known = tails.get(workspace)
    const before = known?.after === after ? known : { ...NO_TAIL, after, to: after }
    const [more] = yield* sql<{
      readonly events: number
      readonly size: number | null
      readonly last: number | null
    }>`
      SELECT count(*) AS events, sum(size) AS size, max(sequence) AS last FROM (
        SELECT sequence, octet_length(content) AS size FROM event
        WHERE workspace = ${workspace} AND sequence > ${before.to} ORDER BY sequence LIMIT ${frameEvents}
      ) t`
    const tail = {
      after,
      to: more?.last ?? before.to,
      events: before.events + (more?.events ?? 0),
      size: before.size + (more?.size ?? 0)
    }
    tails.set(workspace, tail)
    return tail
  })

  const isKnown = ({ workspace, sequence, legacyCount, indexed }: LogEnd): boolean => {
    const known = small.get(workspace)
    return known?.sequence === sequence && known.legacyCount === legacyCount && known.indexed === indexed
  }

  return Effect.fnUntraced(function* (end: LogEnd) {
    if (isKnown(end)) return false
    const { workspace, indexed } = end
    const { events, size } = yield* grow(workspace, indexed)
    const isEnough = events >= frameEvents || size >= ENOUGH_TO_INDEX
    if (isEnough) small.delete(workspace)
    else small.set(workspace, end)
    return isEnough
  })
}

/** An event of the log, as far as the index needs it. */
export interface ContentRow {
  readonly sequence: number
  readonly createdAt: Micros.Micros
  readonly content: string | null
}

/** Reads the oldest events of a range of a log. */
export type ReadContents = (
  workspace: number,
  range: SequenceRange,
  most: number
) => Effect.Effect<ReadonlyArray<ContentRow>, SqlError.SqlError>

/** Reads them from the log's table. */
export const contentsOf =
  (sql: SqlClient.SqlClient): ReadContents =>
  (workspace, { from, to }, most) =>
    sql<ContentRow>`
      SELECT sequence, created_at AS ${sql("createdAt")}, content FROM event
      WHERE workspace = ${workspace} AND sequence BETWEEN ${from} AND ${to} ORDER BY sequence LIMIT ${most}`

/** What frames hold of events; of one without content, nothing. */
export const frameEventsOf = (rows: ReadonlyArray<ContentRow>): ReadonlyArray<FrameEvent> =>
  rows.flatMap(({ sequence, createdAt, content }) => {
    const event = content === null ? undefined : frameEvent(sequence, createdAt, content)
    return event === undefined ? [] : [event]
  })

/**
 * The events of a frame: as many as have consecutive sequences, since an event's place follows from its
 * sequence.
 */
export const consecutive = (rows: ReadonlyArray<ContentRow>): ReadonlyArray<ContentRow> => {
  const jump = rows.findIndex(({ sequence }, at) => at > 0 && sequence !== (rows[at - 1]?.sequence ?? 0) + 1)
  return jump < 0 ? rows : rows.slice(0, jump)
}
