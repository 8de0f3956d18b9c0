/** The inbox on PostgreSQL, with group commit: requests that arrive during a commit share the next one. */
import { type AcceptExit, type AcceptFailure, type CountedOutcome, EventUsage, Inbox } from "@cairn/core/log"
import { decodeEvents, isStorable, unavailable } from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Exit, Layer, Option } from "effect"
import { type Accepted, type AcceptPlace, commit, countWaiting } from "./Accept.ts"
import { makeGroupCommit } from "./GroupCommit.ts"
import { type InboxDepth, makeInboxDepth, STALE } from "./InboxDepth.ts"
import type { NumberedRequest } from "./NumberedRequest.ts"
import { within } from "./Patience.ts"
import { type Place, Places } from "./Places.ts"
import { InboxAnnouncer } from "./PostgresSignal.ts"
import { SeenHeads } from "./SeenHeads.ts"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/** Settings of the inbox. */
export interface PostgresInboxConfig {
  /** Most events that may wait. Beyond it, accepting fails until the sequencer has caught up. */
  readonly capacity: number
}

/** Most events of one commit, unless one request has more. */
const MAX_COMMIT = 500
/** Commits in progress at once: while one waits for the disk, the next one is already being sent. */
const COMMITS = 3
/** How long a commit may take before its requests fail and may be tried again. */
const PATIENCE = "10 seconds"

/** A request that waits for the next commit. */
interface Waiting extends NumberedRequest {
  readonly place: Place
  readonly answer: (exit: AcceptExit) => void
}

const sizeOf = ({ request }: Waiting): number => request.events.length

/** The inbox of one process. */
interface Accepting extends AcceptPlace {
  readonly capacity: number
  /** The newest timeline that was seen of the database. */
  readonly timeline: () => number
  readonly estimate: InboxDepth
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

/** Counts the waiting events, and notes that as the estimate. */
const measureDepth = ({ sql, places, estimate, now }: Accepting) =>
  Effect.suspend(() => {
    const end = estimate.measure()
    return Effect.tap(places.everywhere(countWaiting({ sql, places })), (found) =>
      Effect.sync(() => end(found, now()))
    )
  })

/** Makes what measures the depth in the background when that is due, once at a time. */
const makeKeepEstimate = (accepting: Accepting, fork: (effect: Effect.Effect<void>) => unknown) => {
  const { estimate, now } = accepting
  let measuring = false
  const measure = Effect.ensuring(
    Effect.ignore(measureDepth(accepting)),
    Effect.sync(() => {
      measuring = false
    })
  )
  return () => {
    if (measuring || !estimate.isDue(now())) return
    measuring = true
    fork(measure)
  }
}

/** How many new events the requests of a commit had. */
const countAdded = (exits: ReadonlyArray<Accepted>): number =>
  exits.reduce(
    (sum, exit) =>
      sum +
      (Exit.isSuccess(exit)
        ? exit.value.filter((outcome) => "duplicate" in outcome && !outcome.duplicate).length
        : 0),
    0
  )

/** One commit of waiting requests, each of which gets its outcome. */
const commitBatch = Effect.fnUntraced(function* (
  { sql, places, capacity, timeline, estimate, now }: Accepting,
  batch: ReadonlyArray<Waiting>,
  onCommitted: (events: number) => void
) {
  const exactly = estimate.isNear(
    batch.reduce((sum, waiting) => sum + sizeOf(waiting), 0),
    now()
  )
  const [first] = batch
  if (first === undefined) return
  const { machine } = first.place
  const exits = yield* places.admit(first.place).pipe(
    Effect.andThen(
      places.proven(
        first.workspace,
        commit({ sql, places }, batch, { capacity, machine, exactly, timeline: timeline() })
      )
    ),
    Effect.tapError(() => Effect.sync(places.suspect)),
    unavailable("accept events"),
    within(PATIENCE, "accept events"),
    Effect.exit
  )
  if (Exit.isSuccess(exits)) {
    const added = countAdded(exits.value)
    estimate.add(added)
    onCommitted(added)
  }
  for (const [index, { answer }] of batch.entries()) {
    if (Exit.isFailure(exits)) answer(Exit.failCause(exits.cause))
    else answer(exits.value[index] ?? Exit.succeed([]))
  }
})

/** A waiting event by id. */
export const findWaiting = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  workspace: number,
  eventId: string
) {
  if (!isStorable(eventId)) return Option.none()
  // An id is a line of its own (see InboxRows), which cannot occur within another event: JSON has no line
  // breaks.
  const line = `\n${eventId}\n`
  const [row] = yield* sql<{ readonly accepted_at: number; readonly events: string }>`
    SELECT accepted_at, events FROM inbox
    WHERE workspace = ${workspace} AND strpos(chr(10) || events, ${line}) > 0 LIMIT 1`
  if (row === undefined) return Option.none()
  const events = decodeEvents(row.events)
  const offset = events.findIndex(({ id }) => id === eventId)
  const event = events[offset]
  return event === undefined ? Option.none() : Option.some({ event, acceptedAt: row.accepted_at, offset })
})

/** When the first of the waiting rows was accepted: a look at as many rows as the depth is counted of. */
const oldestWaiting = ({ sql, places }: AcceptPlace) =>
  places
    .everywhere(
      Effect.suspend(
        () => sql<{ readonly oldest: number | null }>`
          SELECT min(accepted_at) AS oldest FROM inbox WHERE ${places.within("workspace")}`
      )
    )
    .pipe(Effect.map(([row]) => Option.fromNullishOr(row?.oldest)))

/** A record in the write-ahead log: no table grows by it. A standby and a read-only database say so. */
const probe = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const [row] = yield* sql<{ readonly read_only: string }>`
    SELECT current_setting('transaction_read_only') AS read_only`
  if (row?.read_only === "on") return yield* Effect.fail(new Error("cannot write in a read-only transaction"))
  yield* sql`SELECT pg_logical_emit_message(true, 'cairn', 'probe')::text`
})

/** The inbox. */
export const layer = ({ capacity }: PostgresInboxConfig) =>
  Layer.effect(
    Inbox,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const numbers = yield* WorkspaceNumbers
      const seen = yield* SeenHeads
      const places = yield* Places
      const { announce } = yield* InboxAnnouncer
      const clock = yield* Clock.Clock
      const fork = Effect.runForkWith(yield* Effect.context())
      const accepting: Accepting = {
        sql,
        places,
        capacity,
        timeline: seen.newest,
        estimate: makeInboxDepth(capacity, MAX_COMMIT * COMMITS, places.spread ? STALE.spread : STALE.here),
        now: () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
      }
      const keepEstimate = makeKeepEstimate(accepting, fork)
      const onCommitted = (events: number) => {
        if (events > 0) announce()
        keepEstimate()
      }
      const commitSoon = makeGroupCommit<Waiting>({
        commit: (batch) => commitBatch(accepting, batch, onCommitted),
        sizeOf,
        most: MAX_COMMIT,
        groupOf: ({ place }) => place.group,
        machineOf: ({ place }) => place.machine,
        atOnce: COMMITS,
        fork
      })

      return Inbox.of({
        accept: (request) =>
          Effect.flatMap(numbers.number(request.workspaceId), (workspace) =>
            Effect.flatMap(places.of(workspace).pipe(unavailable("find a workspace's machine")), (place) =>
              Effect.callback<ReadonlyArray<CountedOutcome>, AcceptFailure>((resume) =>
                commitSoon({ workspace, place, request, answer: resume })
              )
            )
          ),
        find: (workspaceId, eventId) =>
          Effect.flatMap(numbers.number(workspaceId), (workspace) =>
            findWaiting(sql, workspace, eventId)
          ).pipe(unavailable("find a waiting event")),
        depth: measureDepth(accepting).pipe(unavailable("read the inbox's depth")),
        oldest: oldestWaiting(accepting).pipe(unavailable("read the inbox's age")),
        probe: probe(sql).pipe(unavailable("try a write"), within(PATIENCE, "try a write"))
      })
    })
  )

/** The counts. */
export const layerUsage = Layer.effect(
  EventUsage,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const numbers = yield* WorkspaceNumbers
    return EventUsage.of({
      accepted: Effect.fnUntraced(function* (workspaceId, month) {
        const workspace = yield* numbers.number(workspaceId)
        const [row] = yield* sql<{ readonly events: number }>`
          SELECT coalesce(sum(events), 0)::bigint AS events FROM event_usage
          WHERE workspace = ${workspace} AND month = ${month}`
        return row?.events ?? 0
      }, unavailable("read a month's events"))
    })
  })
)
