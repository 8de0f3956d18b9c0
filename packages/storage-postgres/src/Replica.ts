/** One replica: what is read there, and whether it is used. */
import {
  EventLog,
  type Inbox,
  MeterSet,
  Meters,
  StorageUnavailable,
  type StorePosition
} from "@cairn/core/log"
import { unavailable } from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Context, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { coalesced } from "./Coalesced.ts"
import type { DatabaseHost } from "./DatabaseUrl.ts"
import { within } from "./Patience.ts"
import * as PostgresClient from "./PostgresClient.ts"
import * as PostgresEventLog from "./PostgresEventLog.ts"
import { findWaiting } from "./PostgresInbox.ts"
import * as ReplicaClient from "./ReplicaClient.ts"
import { REPLICA_STATE, type ReplicaState, unfitness } from "./ReplicaState.ts"
import { SearchIndex } from "./SearchIndex.ts"
import { SeenHeads } from "./SeenHeads.ts"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/** How long a replica may take to say where it is. */
const LOOK_PATIENCE = "1 second"

/** What is read on a replica. */
export interface ReplicaPorts {
  readonly log: EventLog["Service"]
  readonly find: Inbox["Service"]["find"]
}

/** A replica. */
export interface Replica {
  /** Its host and port. */
  readonly name: string
  /** Its place in the settings, from 1. */
  readonly number: number
  readonly ports: ReplicaPorts
  /** Asks it where it is. */
  readonly look: Effect.Effect<ReplicaState, StorageUnavailable>
  /** What it said last; undefined before. */
  state: ReplicaState | undefined
  /** Whether it is asked anything. */
  fit: boolean
  /** Done when it is lost: nobody waits for its answers any longer. */
  lost: Deferred.Deferred<void>
}

/**
 * What a process has seen, for a replica: it is compared with nothing, for it may be behind, and nothing is
 * learnt from it.
 */
const asReplica = (seen: SeenHeads["Service"]): SeenHeads["Service"] => ({
  ...seen,
  reading: () => ({ columns: "NULL::bigint AS timeline, NULL::text AS seen_hash", seen: undefined }),
  seeRead: () => undefined
})

const portsOver = (url: Redacted.Redacted, maxConnections: number, seen: SeenHeads["Service"]) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(
      // Made for each replica: caches and numbers are of one database.
      Layer.fresh(
        PostgresEventLog.layer.pipe(
          Layer.provide(SearchIndex.layer),
          Layer.provideMerge(WorkspaceNumbers.layer),
          Layer.provide(Layer.succeed(SeenHeads, asReplica(seen))),
          Layer.provideMerge(ReplicaClient.layer),
          Layer.provide(PostgresClient.layerQuiet({ url, maxConnections, tells: false })),
          // How far the index is says the primary.
          Layer.provide(Layer.succeed(Meters, new MeterSet()))
        )
      )
    )
    const sql = Context.get(context, PgClient.PgClient)
    const numbers = Context.get(context, WorkspaceNumbers)
    return {
      log: Context.get(context, EventLog),
      find: (workspaceId, eventId) =>
        Effect.flatMap(numbers.number(workspaceId), (workspace) => findWaiting(sql, workspace, eventId)).pipe(
          unavailable("find a waiting event")
        )
    } satisfies ReplicaPorts
  })

/** Connects to a replica when it is asked for the first time. */
export const makeReplica = Effect.fnUntraced(function* (
  host: DatabaseHost,
  number: number,
  maxConnections: number
) {
  const url = Redacted.make(host.url)
  const ports = yield* portsOver(url, maxConnections, yield* SeenHeads)
  // A connection of its own: it says something also while all others are busy.
  const one = yield* Layer.build(
    Layer.fresh(PostgresClient.layerQuiet({ url, maxConnections: 1, tells: false }))
  )
  const sql = Context.get(one, PgClient.PgClient)
  const ask = Effect.flatMap(sql.unsafe<ReplicaState>(REPLICA_STATE), ([row]) =>
    row === undefined ? Effect.die(new Error("the replica told no state")) : Effect.succeed(row)
  ).pipe(unavailable("look at a replica"), within(LOOK_PATIENCE, "look at a replica"))
  // Any number of reads may wait for it.
  const asked = coalesced(ask)
  const replica: Replica = {
    name: host.name,
    number,
    ports,
    look: Effect.tap(asked, (state) =>
      Effect.sync(() => {
        replica.state = state
      })
    ),
    state: undefined,
    fit: false,
    lost: Deferred.makeUnsafe()
  }
  return replica
})

/** Nobody asks it anything, or waits for its answers, until it is looked at again. */
export const lose = (replica: Replica): void => {
  replica.fit = false
  Deferred.doneUnsafe(replica.lost, Effect.void)
}

/** It is asked again. */
export const regain = (replica: Replica): void => {
  if (replica.fit) return
  replica.fit = true
  replica.lost = Deferred.makeUnsafe()
}

/** Why it does not have what is needed, by what it said last. */
export const lackOf = ({ state }: Replica, needed: StorePosition): string | undefined =>
  state === undefined ? "has not answered yet" : unfitness(state, needed)

const gone = new StorageUnavailable({ operation: "read from a replica", cause: new Error("it is lost") })

/**
 * Reads, as long as the replica is there. A read that it leaves without an answer is interrupted but not
 * waited for, see `within`.
 */
export const whileThere = <A, E, R>(
  { lost }: Replica,
  read: Effect.Effect<A, E, R>
): Effect.Effect<A, E | StorageUnavailable, R> =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkDetach(read)
    const giveUp = Effect.forkDetach(Fiber.interrupt(fiber))
    const exit = yield* Effect.raceFirst(Fiber.await(fiber), Effect.as(Deferred.await(lost), undefined)).pipe(
      Effect.onInterrupt(() => giveUp)
    )
    if (exit !== undefined) return yield* exit
    yield* giveUp
    return yield* gone
  })
