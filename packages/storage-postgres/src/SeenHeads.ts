/**
 * What this process has seen of the database: the newest timeline, where each log ended, and which losses
 * were accepted. It is compared with the database in the statement that locks a head, so it costs an index
 * look-up and no round trip.
 *
 * A database on an older timeline is a primary that was replaced. One that lacks an event that was seen is a
 * copy that is behind, or was promoted without the last events.
 *
 * A log is only signed at a size that was read here, so nothing that was signed is larger than what was seen.
 */
import { type Head, StoreBehind } from "@cairn/core/log"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { openLosses, type Seen, STANDING, type Standing } from "./LossRows.ts"
import { Places } from "./Places.ts"
import { learn, look, type SeenDatabase, standing, takeStock, tell } from "./SeenLosses.ts"
import { SeenMemory } from "./SeenMemory.ts"
import { timelineColumn } from "./Timeline.ts"

/** How the threads of a process share what they have seen. */
export interface SeenConfig {
  /** Eight bytes: the newest timeline that any of them has seen; 0 before the first. */
  readonly timeline: SharedArrayBuffer
  /** Whether this one reports a new timeline to the operator. */
  readonly tells: boolean
}

/** What a statement that reads a head also reads. */
export interface ReadRow {
  /** The database's present timeline; null if it cannot be read. */
  readonly timeline: number | null
  /** The present hash of the event that was seen last; null if there is none. */
  readonly seen_hash: string | null
}

/** The same for a statement that locks it, but for what is known before. */
export interface LockedRow extends ReadRow, Partial<Standing> {
  /** The timeline on which the head was written; null before the first append that records it. */
  readonly written_on: number | null
}

/** The columns for a statement that reads the head of a workspace, and what they are compared with. */
const reading = ({ memory, column }: SeenDatabase, workspaceId: string, workspace: number) => {
  const seen = memory.head(workspaceId)
  const columns = `${column} AS timeline,
    (SELECT e.event_hash FROM event e WHERE e.workspace = ${workspace} AND e.sequence = ${seen?.sequence ?? 0}) AS seen_hash`
  return { columns, seen }
}

/**
 * The same for one that locks it, with what recorded losses mean if that is read before: losses are not where
 * the head is.
 */
const locking = (database: SeenDatabase, workspaceId: string, workspace: number) =>
  Effect.map(database.places.spread ? standing(database) : Effect.succeed(undefined), (before) => {
    const { columns, seen } = reading(database, workspaceId, workspace)
    const also = before === undefined ? `${STANDING}, ` : ""
    return { columns: `timeline AS written_on, ${also}${columns}`, seen, before }
  })

const isHeld = (seen: Seen | undefined, { seen_hash }: ReadRow): boolean =>
  seen === undefined || seen.sequence === 0 || seen_hash === seen.eventHash

/** Fails if the locked head is not one that this process may append to. */
const admit = Effect.fnUntraced(function* (
  database: SeenDatabase,
  workspaceId: string,
  before: Seen | undefined,
  head: Head,
  row: LockedRow & Standing
): Effect.fn.Return<void, StoreBehind | SqlError> {
  const { sql, memory } = database
  if (row.open > 0) {
    const [open] = yield* openLosses(sql)
    if (open !== undefined) return yield* new StoreBehind({ loss: open })
  }
  if (memory.isNews(row.acceptance)) yield* learn(database)
  const seen = memory.head(workspaceId) === undefined ? undefined : before
  const { written_on, timeline } = row
  if (seen !== undefined && !isHeld(seen, row)) {
    const found = { timeline, sequence: head.sequence, event_hash: head.eventHash }
    return yield* new StoreBehind({ loss: memory.lossOf(seen, found) })
  }
  if (timeline !== null && timeline < memory.newest) {
    return yield* new StoreBehind({ loss: memory.olderTimeline(timeline) })
  }
  memory.seeTimeline(timeline)
  if (written_on === null || timeline === null || written_on === timeline) return
  if (!memory.tellOnce(`${workspaceId} ${timeline}`)) return
  yield* Effect.logWarning("A log continues on another timeline of the database").pipe(
    Effect.annotateLogs({
      workspaceId,
      written: `event ${head.sequence} on timeline ${written_on}`,
      seen: seen === undefined ? "nothing" : `event ${seen.sequence} (${seen.eventHash})`,
      found: `event ${head.sequence} (${head.eventHash}) on timeline ${timeline}`
    })
  )
})

/**
 * Records a loss that was found within a transaction outside of it, because the transaction is rolled back.
 */
const noted = <A, E, R>(database: SeenDatabase, effect: Effect.Effect<A, E | StoreBehind, R>) =>
  Effect.tapError(effect, (error) =>
    error instanceof StoreBehind
      ? Effect.andThen(tell(database, error.loss), Effect.ignore(takeStock(database)))
      : Effect.void
  )

const make = Effect.fnUntraced(function* (config: SeenConfig | undefined, timeline: SharedArrayBuffer) {
  const sql = yield* PgClient.PgClient
  const places = yield* Places
  const column = yield* timelineColumn(sql, places.spread)
  const memory = new SeenMemory(timeline)
  const database: SeenDatabase = { sql, places, column, memory }
  // An acceptance from before this process had seen anything covers nothing that it has seen.
  const timelineBefore = memory.newest
  yield* learn(database)
  memory.seeTimeline(timelineBefore)
  return {
    newest: () => memory.newest,
    /** Increases when losses are accepted. */
    accepted: () => memory.acceptances.size,
    floor: (workspaceId: string) => memory.floors.get(workspaceId) ?? 0,
    column,
    reading: (workspaceId: string, workspace: number) => reading(database, workspaceId, workspace),
    locking: (workspaceId: string, workspace: number) => locking(database, workspaceId, workspace),
    admit: (workspaceId: string, before: Seen | undefined, head: Head, row: LockedRow & Standing) =>
      admit(database, workspaceId, before, head, row),
    noted: <A, E, R>(effect: Effect.Effect<A, E | StoreBehind, R>) => noted(database, effect),
    see: (workspaceId: string, head: Head, timeline: number | null) =>
      memory.see(workspaceId, head, timeline),
    /**
     * Records a head that was read, if it continues what was seen. An old primary may have gone on by itself:
     * what is read there is no part of the log.
     */
    seeRead: (workspaceId: string, seen: Seen | undefined, head: Head, row: ReadRow) => {
      const isOld = row.timeline !== null && row.timeline < memory.newest
      if (!isOld && isHeld(seen, row)) memory.see(workspaceId, head, row.timeline)
    },
    look: look(database),
    config,
    sql
  }
})

/** Makes the memory. */
export class SeenHeads extends Context.Service<SeenHeads, Effect.Success<ReturnType<typeof make>>>()(
  "@cairn/storage-postgres/SeenHeads"
) {
  static readonly layer = (config: SeenConfig | undefined, timeline: SharedArrayBuffer) =>
    Layer.effect(SeenHeads, make(config, timeline))
}
