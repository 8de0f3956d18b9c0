/** Read replicas of PostgreSQL, by streaming replication. */
import { EventLog, Inbox, LOG_METRICS, Meters, type Needed, Replicas } from "@cairn/core/log"
import { unavailable } from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect, Layer, Option, Random, type Redacted, Schedule, Stream } from "effect"
import { coalesced } from "./Coalesced.ts"
import { within } from "./Patience.ts"
import { readUrl } from "./PostgresClient.ts"
import { makeReplica, whileThere } from "./Replica.ts"
import { StatementNeeds } from "./ReplicaClient.ts"
import { makeRound, meterReplicas } from "./ReplicaRounds.ts"
import { choose, type ReplicaSet } from "./ReplicaSet.ts"
import { readPosition } from "./ReplicaState.ts"
import { CurrentWork, type ReplicaWork, type Route, routedInbox, routedLog } from "./ReplicaWork.ts"

/** How often the primary and the replicas are asked where they are. */
const LOOK_EVERY = "1 second"
/** How long the primary may take to say where it is. */
const POSITION_PATIENCE = "2 seconds"

/** The replicas of a database. */
export interface ReplicasConfig {
  /** With one host for each of them. */
  readonly url: Redacted.Redacted
  /** Most connections to each; 10 unless set. */
  readonly maxConnections?: number
  /**
   * Whether they are looked at from the start on, and their state is logged. Otherwise they are looked
   * at once there is work for them.
   */
  readonly watches: boolean
}

const makeSet = Effect.fnUntraced(function* ({ url, maxConnections = 10 }: ReplicasConfig) {
  const sql = yield* PgClient.PgClient
  const clock = yield* Clock.Clock
  const { hosts } = yield* readUrl(url)
  const replicas = yield* Effect.forEach(hosts, (one, index) => makeReplica(one, index + 1, maxConnections))
  // So that processes do not all take the same one.
  const first = yield* Random.nextIntBetween(0, Math.max(1, replicas.length))
  const ask = coalesced(
    readPosition(sql).pipe(
      unavailable("ask how far the database is written"),
      within(POSITION_PATIENCE, "ask how far the database is written")
    )
  )
  const set: ReplicaSet = {
    primary: {
      ask,
      base: undefined,
      latest: undefined,
      history: [],
      answered: 0,
      covered: 0
    },
    replicas: [...replicas.slice(first), ...replicas.slice(0, first)],
    now: () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n),
    last: undefined
  }
  return { set, ask }
})

/** What the primary does in the place of a replica: whatever it shows, later reads must see. */
const inPlace =
  ({ primary }: ReplicaSet) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.ensuring(
      Effect.provideService(work, CurrentWork, null),
      Effect.sync(() => {
        primary.answered++
      })
    )

/** Reads from the chosen server; from the primary where a replica fails to answer. */
const makeRoute = Effect.fnUntraced(function* (set: ReplicaSet) {
  const meters = yield* Meters
  const ofPrimary = meters.counter(LOG_METRICS.logReads, { source: "primary" })
  const ofReplica = meters.counter(LOG_METRICS.logReads, { source: "replica" })
  const byPrimary = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      ofPrimary.value += 1
      return inPlace(set)(read)
    })

  const route: Route = (onReplica, onPrimary) =>
    Effect.flatMap(CurrentWork, (work) => {
      if (work === null) return onPrimary
      return Effect.flatMap(choose(set, work.needed), (chosen) => {
        if (Option.isNone(chosen)) return byPrimary(onPrimary)
        const { replica, position } = chosen.value
        const read = Effect.provideService(onReplica(replica.ports), StatementNeeds, position)
        return whileThere(replica, read).pipe(
          Effect.tap(() =>
            Effect.sync(() => {
              work.isOfReplica = true
              ofReplica.value += 1
            })
          ),
          Effect.catch(() => {
            // It is asked again once it was looked at.
            replica.fit = false
            return byPrimary(onPrimary)
          })
        )
      })
    })
  return route
})

/** Looks at the primary and the replicas, from now on or from the first time that somebody asks for it. */
const makeLooking = Effect.fnUntraced(function* (set: ReplicaSet, watches: boolean) {
  const scope = yield* Effect.scope
  const round = Effect.ignore(makeRound(set, watches))
  const begin = Effect.asVoid(Effect.forkIn(Effect.repeat(round, Schedule.spaced(LOOK_EVERY)), scope))
  let isLooking = watches
  if (watches) {
    meterReplicas(set, yield* Meters)
    yield* begin
  }
  return Effect.suspend(() => {
    if (isLooking) return Effect.void
    isLooking = true
    return begin
  })
})

const make = Effect.fnUntraced(function* (config: ReplicasConfig) {
  const { set, ask } = yield* makeSet(config)
  const route = yield* makeRoute(set)
  const looking = yield* makeLooking(set, config.watches)

  /** A work with what it needs; none for the primary where nobody can say that. */
  const workFor = (needed: Needed): Effect.Effect<Option.Option<ReplicaWork>> =>
    Effect.andThen(
      looking,
      Effect.match(needed === "now" ? ask : Effect.succeed(needed), {
        onSuccess: (known) => Option.some({ needed: known, isOfReplica: false }),
        onFailure: () => Option.none()
      })
    )

  const replicas = Replicas.of({
    position: ask,
    reading: (needed, work, holds = () => true) =>
      Effect.flatMap(workFor(needed), (of) => {
        if (Option.isNone(of)) return inPlace(set)(work)
        return Effect.flatMap(Effect.provideService(work, CurrentWork, of.value), (found) =>
          !of.value.isOfReplica || holds(found) ? Effect.succeed(found) : inPlace(set)(work)
        )
      }),
    streaming: (needed, stream) =>
      Stream.unwrap(
        Effect.map(workFor(needed), (of) => Stream.provideService(stream, CurrentWork, Option.getOrNull(of)))
      )
  })
  return { replicas, route }
})

/** `Replicas`, and the `EventLog` and the `Inbox` whose reads they may answer, over those of the primary. */
export const layer = (config: ReplicasConfig) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { replicas, route } = yield* make(config)
      return Context.make(Replicas, replicas).pipe(
        Context.add(EventLog, routedLog(yield* EventLog, route)),
        Context.add(Inbox, routedInbox(yield* Inbox, route))
      )
    })
  )
