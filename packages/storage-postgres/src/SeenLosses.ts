/** Compares what was seen with the database, and records what it lacks. */
import { describeLoss, type Loss, StoreBehind } from "@cairn/core/log"
import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
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
import type { Places } from "./Places.ts"
import type { SeenMemory } from "./SeenMemory.ts"

/**
 * Most logs that one check covers if it finds nothing wrong: those that were seen last, which a copy lacks
 * first.
 */
const MOST_CHECKED = 1_000

/** A database, and what was seen of it. */
export interface SeenDatabase {
  readonly sql: PgClient.PgClient
  readonly places: Places["Service"]
  /** The expression for the database's present timeline. */
  readonly column: string
  readonly memory: SeenMemory
}

/** Of what was seen, what the database lacks, each with what is there. */
const lackingOf = Effect.fnUntraced(function* ({ sql, places }: SeenDatabase, all: ReadonlyArray<Seen>) {
  const seen = all.filter(({ sequence }) => sequence > 0)
  if (seen.length === 0) return []
  const rows = yield* lacking(sql, places, seen)
  return rows.flatMap(({ place, ...found }) => {
    const one = seen[place]
    return one === undefined ? [] : [{ one, found }]
  })
})

/**
 * Applies accepted losses: what was seen, is covered by them, and is missing in the database no longer
 * counts.
 */
export const learn = Effect.fnUntraced(function* (database: SeenDatabase) {
  const { sql, memory } = database
  const accepted = yield* acceptedLosses(sql, memory.acceptances)
  const lost = yield* lackingOf(database, memory.heads)
  memory.accept(
    accepted,
    lost.map(({ one }) => one)
  )
})

/** Those logs with an earlier loss that the database has no record of. */
const forgotten = ({ sql, places, memory }: SeenDatabase) =>
  Effect.suspend(() =>
    memory.floors.size === 0 ? Effect.succeed([]) : notReached(sql, places, memory.floors)
  )

/** Everything that was seen and is missing in the database, which is on this timeline. */
const allLosses = Effect.fnUntraced(function* (database: SeenDatabase, timeline: number | null) {
  const { memory } = database
  const losses = (yield* lackingOf(database, memory.heads)).map(({ one, found }) =>
    memory.lossOf(one, { timeline, sequence: found.sequence ?? 0, event_hash: found.event_hash })
  )
  const named = new Set(losses.map(({ workspace_id }) => workspace_id))
  for (const { workspace_id, floor, sequence, event_hash } of yield* forgotten(database)) {
    if (named.has(workspace_id)) continue
    const seen = { workspaceId: workspace_id, timeline: null, sequence: floor, eventHash: null }
    losses.push(memory.lossOf(seen, { timeline, sequence: sequence ?? 0, event_hash }))
  }
  const isNamed = losses.some(({ seen }) => (seen.timeline ?? 0) >= memory.newest)
  if (timeline !== null && timeline < memory.newest && !isNamed) losses.push(memory.olderTimeline(timeline))
  return losses
})

/** The database's timeline, and what its recorded losses mean for writers. */
export const standing = ({ sql, column }: SeenDatabase) =>
  Effect.map(
    sql.unsafe<Standing & { readonly timeline: number | null }>(`SELECT ${column} AS timeline, ${STANDING}`),
    ([row]) => row ?? { timeline: null, open: 0, acceptance: null }
  )

/** Reports a loss to the operator, once. */
export const tell = ({ memory }: SeenDatabase, loss: Loss) =>
  Effect.suspend(() => {
    const reason = describeLoss(loss)
    if (!memory.tellOnce(reason)) return Effect.void
    return Effect.logError("The database is behind what was seen of it: nothing is written").pipe(
      Effect.annotateLogs({ reason })
    )
  })

/**
 * Records in the database everything that it lacks, and fails with the first open loss. All on one
 * connection: another one may lead to another server.
 */
export const takeStock = Effect.fnUntraced(function* (
  database: SeenDatabase
): Effect.fn.Return<void, StoreBehind | SqlError> {
  const { sql, memory } = database
  let losses: ReadonlyArray<NotedLoss> = []
  const compare = Effect.gen(function* () {
    const { timeline, acceptance } = yield* standing(database)
    if (memory.isNews(acceptance)) yield* learn(database)
    losses = yield* allLosses(database, timeline)
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
  yield* Effect.forEach(losses, (loss) => tell(database, loss), { discard: true })
  const [first] = open
  if (first === undefined) return
  yield* tell(database, first)
  return yield* new StoreBehind({ loss: first })
})

/** Fails if the database lacks what was seen of it, or has an open loss. */
export const look = Effect.fnUntraced(function* (
  database: SeenDatabase
): Effect.fn.Return<void, StoreBehind | SqlError> {
  const { memory } = database
  const { timeline, open, acceptance } = yield* standing(database)
  const recent = memory.heads.slice(-MOST_CHECKED)
  const isAmiss =
    open > 0 ||
    memory.isNews(acceptance) ||
    (timeline !== null && timeline < memory.newest) ||
    (yield* lackingOf(database, recent)).length > 0 ||
    (yield* forgotten(database)).length > 0
  if (isAmiss) yield* takeStock(database)
  memory.seeTimeline(timeline)
})
