/** The inbox on PostgreSQL, with group commit: requests that arrive during a commit share the next one. */
import {
  type AcceptRequest,
  type CountedOutcome,
  EventUsage,
  Inbox,
  type InboxFull,
  type StorageUnavailable
} from "@cairn/core/log"
import { decodeEvents, isStorable, unavailable } from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Exit, Layer, Option } from "effect"
import { commit, countWaiting } from "./Accept.ts"
import { makeInboxDepth } from "./InboxDepth.ts"
import type { NumberedRequest } from "./NumberedRequest.ts"
import { within } from "./Patience.ts"
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

type Answer = Exit.Exit<ReadonlyArray<CountedOutcome>, InboxFull | StorageUnavailable>

/** A request that waits for the next commit. */
interface Waiting extends NumberedRequest {
  readonly answer: (exit: Answer) => void
}

/** The inbox. */
export const layer = ({ capacity }: PostgresInboxConfig) =>
  Layer.effect(
    Inbox,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const numbers = yield* WorkspaceNumbers
      const seen = yield* SeenHeads
      const { announce } = yield* InboxAnnouncer
      const clock = yield* Clock.Clock
      const fork = Effect.runForkWith(yield* Effect.context())
      const estimate = makeInboxDepth(capacity, MAX_COMMIT * COMMITS)
      const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)

      const depth = Effect.suspend(() => {
        const end = estimate.measure()
        return Effect.tap(countWaiting(sql), (found) => Effect.sync(() => end(found, now())))
      })
      let measuring = false
      const keepEstimate = () => {
        if (measuring || !estimate.isDue(now())) return
        measuring = true
        fork(
          Effect.ensuring(
            Effect.ignore(depth),
            Effect.sync(() => {
              measuring = false
            })
          )
        )
      }

      const queue: Array<Waiting> = []
      let underWay = 0

      const commitBatch = Effect.fnUntraced(function* (batch: ReadonlyArray<Waiting>) {
        const events = batch.reduce((sum, { request }) => sum + request.events.length, 0)
        const exactly = estimate.isNear(events, now())
        const exits = yield* commit(sql, batch, { capacity, exactly, timeline: seen.newest() }).pipe(
          unavailable("accept events"),
          within(PATIENCE, "accept events"),
          Effect.exit
        )
        if (Exit.isSuccess(exits)) {
          const added = exits.value.reduce(
            (sum, exit) =>
              sum +
              (Exit.isSuccess(exit)
                ? exit.value.filter((outcome) => "duplicate" in outcome && !outcome.duplicate).length
                : 0),
            0
          )
          estimate.add(added)
          if (added > 0) announce()
          keepEstimate()
        }
        for (const [index, { answer }] of batch.entries()) {
          if (Exit.isFailure(exits)) answer(Exit.failCause(exits.cause))
          else answer(exits.value[index] ?? Exit.succeed([]))
        }
      })

      const takeBatch = (): ReadonlyArray<Waiting> => {
        let events = 0
        let count = 0
        while (count < queue.length && events < MAX_COMMIT)
          events += queue[count++]?.request.events.length ?? 0
        return queue.splice(0, count)
      }

      const pump = () => {
        while (queue.length > 0 && underWay < COMMITS) {
          underWay++
          fork(
            Effect.ensuring(
              commitBatch(takeBatch()),
              Effect.sync(() => {
                underWay--
                schedule()
              })
            )
          )
        }
      }

      let scheduled = false
      /** When the requests of this turn of the event loop have all arrived. */
      const schedule = () => {
        if (scheduled) return
        scheduled = true
        setImmediate(() => {
          scheduled = false
          pump()
        })
      }

      const accept = (request: AcceptRequest) =>
        Effect.flatMap(numbers.number(request.workspaceId), (workspace) =>
          Effect.callback<ReadonlyArray<CountedOutcome>, InboxFull | StorageUnavailable>((resume) => {
            queue.push({ workspace, request, answer: resume })
            schedule()
          })
        )

      const find = Effect.fnUntraced(function* (workspaceId: string, eventId: string) {
        const workspace = yield* numbers.number(workspaceId)
        if (!isStorable(eventId)) return Option.none()
        // An id is a line of its own (see InboxRows), which cannot occur within another event: JSON has no
        // line breaks.
        const line = `\n${eventId}\n`
        const [row] = yield* sql<{ readonly accepted_at: number; readonly events: string }>`
          SELECT accepted_at, events FROM inbox
          WHERE workspace = ${workspace} AND strpos(chr(10) || events, ${line}) > 0 LIMIT 1`
        if (row === undefined) return Option.none()
        const events = decodeEvents(row.events)
        const offset = events.findIndex(({ id }) => id === eventId)
        const event = events[offset]
        return event === undefined
          ? Option.none()
          : Option.some({ event, acceptedAt: row.accepted_at, offset })
      }, unavailable("find a waiting event"))

      /** A record in the write-ahead log: no table grows by it. A standby and a read-only database say so. */
      const probe = Effect.gen(function* () {
        const [row] = yield* sql<{ readonly read_only: string }>`
          SELECT current_setting('transaction_read_only') AS read_only`
        if (row?.read_only === "on")
          return yield* Effect.fail(new Error("cannot write in a read-only transaction"))
        yield* sql`SELECT pg_logical_emit_message(true, 'cairn', 'probe')::text`
      }).pipe(unavailable("try a write"), within(PATIENCE, "try a write"))

      return Inbox.of({ accept, find, depth: depth.pipe(unavailable("read the inbox's depth")), probe })
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
