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
import { describeLoss, type Head, type Loss, StoreBehind } from "@cairn/core/log"
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import {
  acceptedLosses,
  areNoted,
  lacking,
  lockLosses,
  type NotedLoss,
  noteLosses,
  notReached,
  openLosses,
  type Seen,
  STANDING,
  type Standing
} from "./LossRows.ts"
import { timelineColumn } from "./Timeline.ts"

/**
 * Most logs that one check covers if it finds nothing wrong: those that were seen last, which a copy lacks
 * first.
 */
const MOST_CHECKED = 1_000

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

/** The same for a statement that locks it. */
export interface LockedRow extends ReadRow, Standing {
  /** The timeline on which the head was written; null before the first append that records it. */
  readonly written_on: number | null
}

const make = Effect.fnUntraced(function* (config: SeenConfig | undefined) {
  const sql = yield* PgClient.PgClient
  const column = yield* timelineColumn(sql)
  const shared = new BigInt64Array(config?.timeline ?? new SharedArrayBuffer(8))
  const heads = new Map<string, Seen>()
  /** The former size of each log with an accepted loss. */
  const floors = new Map<string, number>()
  /** The acceptances that this process has applied. */
  const acceptances = new Set<string>()
  const told = new Set<string>()

  const newest = (): number => Number(Atomics.load(shared, 0))

  const seeTimeline = (timeline: number | null): void => {
    if (timeline !== null && timeline > newest()) Atomics.store(shared, 0, BigInt(timeline))
  }

  /** Records where a log ended. What was seen is forgotten only if its loss is accepted. */
  const see = (workspaceId: string, { sequence, eventHash }: Head, timeline: number | null): void => {
    const before = heads.get(workspaceId)
    if (before !== undefined && before.sequence >= sequence) return
    heads.delete(workspaceId)
    heads.set(workspaceId, { workspaceId, timeline, sequence, eventHash })
  }

  const isHeld = (seen: Seen | undefined, { seen_hash }: ReadRow): boolean =>
    seen === undefined || seen.sequence === 0 || seen_hash === seen.eventHash

  /** Records a head that was read, if it continues what was seen. */
  const seeRead = (workspaceId: string, seen: Seen | undefined, head: Head, row: ReadRow): void => {
    if (isHeld(seen, row)) see(workspaceId, head, row.timeline)
  }

  const lossOf = (seen: Seen, found: Loss["found"]): NotedLoss => ({
    workspace_id: seen.workspaceId,
    seen: { timeline: seen.timeline, sequence: seen.sequence, event_hash: seen.eventHash },
    found,
    furthest: Math.max(seen.sequence, floors.get(seen.workspaceId) ?? 0)
  })

  const olderTimeline = (timeline: number): NotedLoss => ({
    workspace_id: null,
    seen: { timeline: newest(), sequence: null, event_hash: null },
    found: { timeline, sequence: null, event_hash: null },
    furthest: null
  })

  /** The columns for a statement that reads the head of a workspace, and what they are compared with. */
  const reading = (workspaceId: string, workspace: number) => {
    const seen = heads.get(workspaceId)
    const columns = `${column} AS timeline,
      (SELECT e.event_hash FROM event e WHERE e.workspace = ${workspace} AND e.sequence = ${seen?.sequence ?? 0}) AS seen_hash`
    return { columns, seen }
  }

  /** The same for one that locks it. */
  const locking = (workspaceId: string, workspace: number) => {
    const { columns, seen } = reading(workspaceId, workspace)
    return { columns: `timeline AS written_on, ${STANDING}, ${columns}`, seen }
  }

  const lackingOf = Effect.fnUntraced(function* (all: ReadonlyArray<Seen>) {
    const seen = all.filter(({ sequence }) => sequence > 0)
    if (seen.length === 0) return []
    const rows = yield* lacking(sql, seen)
    return rows.flatMap(({ place, ...found }) => {
      const one = seen[place - 1]
      return one === undefined ? [] : [{ one, found }]
    })
  })

  const isNews = (acceptance: string | null): boolean => acceptance !== null && !acceptances.has(acceptance)

  /**
   * Applies accepted losses: what was seen, is covered by them, and is missing in the database no longer
   * counts.
   */
  const learn = Effect.gen(function* () {
    const accepted = yield* acceptedLosses(sql, acceptances)
    const lost = yield* lackingOf(Array.from(heads.values()))
    const covered = new Map<string, number>()
    let timeline = 0
    for (const { workspace_id, seen_timeline, seen_sequence, furthest, acceptance } of accepted) {
      acceptances.add(acceptance)
      timeline = Math.max(timeline, seen_timeline ?? 0)
      if (workspace_id === null) continue
      covered.set(workspace_id, Math.max(covered.get(workspace_id) ?? 0, seen_sequence ?? 0))
      floors.set(workspace_id, Math.max(floors.get(workspace_id) ?? 0, furthest ?? 0))
    }
    for (const { one } of lost) {
      const { workspaceId, sequence } = one
      const isCovered = (covered.get(workspaceId) ?? 0) >= sequence
      if (isCovered && heads.get(workspaceId) === one) heads.delete(workspaceId)
    }
    if (accepted.length > 0 && timeline >= newest()) Atomics.store(shared, 0, 0n)
    told.clear()
  })

  /** Those logs with an earlier loss that the database has no record of. */
  const forgotten = Effect.suspend(() => (floors.size === 0 ? Effect.succeed([]) : notReached(sql, floors)))

  /** Everything that was seen and is missing in the database. */
  const allLosses = Effect.fnUntraced(function* (timeline: number | null) {
    const losses = (yield* lackingOf(Array.from(heads.values()))).map(({ one, found }) =>
      lossOf(one, { timeline, sequence: found.sequence ?? 0, event_hash: found.event_hash })
    )
    const named = new Set(losses.map(({ workspace_id }) => workspace_id))
    for (const { workspace_id, floor, sequence, event_hash } of yield* forgotten) {
      if (named.has(workspace_id)) continue
      const seen = { workspaceId: workspace_id, timeline: null, sequence: floor, eventHash: null }
      losses.push(lossOf(seen, { timeline, sequence: sequence ?? 0, event_hash }))
    }
    const isNamed = losses.some(({ seen }) => (seen.timeline ?? 0) >= newest())
    if (timeline !== null && timeline < newest() && !isNamed) losses.push(olderTimeline(timeline))
    return losses
  })

  const standing = Effect.map(
    sql.unsafe<Standing & Pick<ReadRow, "timeline">>(`SELECT ${column} AS timeline, ${STANDING}`),
    ([row]) => row ?? { timeline: null, open: 0, acceptance: null }
  )

  const tell = (loss: Loss) =>
    Effect.suspend(() => {
      const reason = describeLoss(loss)
      if (told.has(reason)) return Effect.void
      told.add(reason)
      return Effect.logError("The database is behind what was seen of it: nothing is written").pipe(
        Effect.annotateLogs({ reason })
      )
    })

  /**
   * Records in the database everything that it lacks, and fails with the first open loss. All on one
   * connection: another one may lead to another server.
   */
  const takeStock = Effect.gen(function* (): Effect.fn.Return<void, StoreBehind | SqlError> {
    let losses: ReadonlyArray<NotedLoss> = []
    const compare = Effect.gen(function* () {
      const { timeline, acceptance } = yield* standing
      if (isNews(acceptance)) yield* learn
      losses = yield* allLosses(timeline)
    })
    const noted = Effect.gen(function* () {
      yield* compare
      if (losses.length > 0 && !(yield* areNoted(sql, losses))) {
        yield* lockLosses(sql)
        // They may have been accepted in the meantime.
        yield* compare
        if (losses.length > 0) yield* noteLosses(sql, losses)
      }
      return yield* openLosses(sql)
    })
    const open = yield* sql.withTransaction(noted).pipe(
      Effect.catchTag("SqlError", (error) =>
        // A server that cannot record it is behind all the same.
        losses.length > 0 ? Effect.succeed(losses) : Effect.fail(error)
      )
    )
    yield* Effect.forEach(losses, tell, { discard: true })
    const [first] = open
    if (first === undefined) return
    yield* tell(first)
    return yield* new StoreBehind({ loss: first })
  })

  const look = Effect.gen(function* (): Effect.fn.Return<void, StoreBehind | SqlError> {
    const { timeline, open, acceptance } = yield* standing
    const recent = Array.from(heads.values()).slice(-MOST_CHECKED)
    const isAmiss =
      open > 0 ||
      isNews(acceptance) ||
      (timeline !== null && timeline < newest()) ||
      (yield* lackingOf(recent)).length > 0 ||
      (yield* forgotten).length > 0
    if (isAmiss) yield* takeStock
    seeTimeline(timeline)
  })

  /** Fails if the locked head is not one that this process may append to. */
  const admit = Effect.fnUntraced(function* (
    workspaceId: string,
    before: Seen | undefined,
    head: Head,
    row: LockedRow
  ): Effect.fn.Return<void, StoreBehind | SqlError> {
    if (row.open > 0) {
      const [open] = yield* openLosses(sql)
      if (open !== undefined) return yield* new StoreBehind({ loss: open })
    }
    if (isNews(row.acceptance)) yield* learn
    const seen = heads.has(workspaceId) ? before : undefined
    const { written_on, timeline } = row
    if (seen !== undefined && !isHeld(seen, row)) {
      const found = { timeline, sequence: head.sequence, event_hash: head.eventHash }
      return yield* new StoreBehind({ loss: lossOf(seen, found) })
    }
    if (timeline !== null && timeline < newest()) {
      return yield* new StoreBehind({ loss: olderTimeline(timeline) })
    }
    seeTimeline(timeline)
    const name = `${workspaceId} ${timeline}`
    if (written_on === null || timeline === null || written_on === timeline || told.has(name)) return
    told.add(name)
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
  const noted = <A, E, R>(effect: Effect.Effect<A, E | StoreBehind, R>) =>
    Effect.tapError(effect, (error) =>
      error instanceof StoreBehind ? Effect.andThen(tell(error.loss), Effect.ignore(takeStock)) : Effect.void
    )

  // An acceptance from before this process had seen anything covers nothing that it has seen.
  const timelineBefore = newest()
  yield* learn
  seeTimeline(timelineBefore)
  return {
    newest: () => newest(),
    /** Increases when losses are accepted. */
    accepted: () => acceptances.size,
    floor: (workspaceId: string) => floors.get(workspaceId) ?? 0,
    column,
    reading,
    locking,
    admit,
    noted,
    see,
    seeRead,
    look,
    config,
    sql
  }
})

/** Makes the memory. */
export class SeenHeads extends Context.Service<SeenHeads, Effect.Success<ReturnType<typeof make>>>()(
  "@cairn/storage-postgres/SeenHeads"
) {
  static readonly layer = (config: SeenConfig | undefined) => Layer.effect(SeenHeads, make(config))
}
