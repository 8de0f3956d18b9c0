/**
 * Commits, and statements that commit by themselves, on a server that may wait for a synchronous standby.
 *
 * Such a wait has no end while the standby is away. Cancelling it would make the transaction visible on this
 * server alone, and its `COMMIT` would count as confirmed, with a warning. So a wait is left alone: its
 * session is given up, the request fails, and no other commit is begun until one of this process's own is
 * confirmed. What was given up stays invisible until the standby has it.
 */
import { PgConnection } from "@effect/sql-pg"
import { Effect, type Exit, Fiber, Option } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { briefly } from "./ServerSockets.ts"
import { commitUnknown } from "./SqlState.ts"

/** The server, and how sessions to it are made. */
export interface CommittingServer {
  readonly config: PgConnection.Config
  readonly url: string
  /** Called when a commit shows that the server may have been replaced. */
  readonly suspect: () => void
}

/** How long a commit takes before somebody looks what it waits for, and how often after that. */
const LOOK = "3 seconds"
/** How long that look may take. */
const LOOK_MILLIS = 2_000
/** A commit that took longer may have been confirmed because an operator cancelled its wait. */
export const SLOW_MILLIS = 1_000
/** So often a commit of no content is tried, until one is quick enough to prove those before it. */
const PROOFS = 5

const NO_STANDBY = "no synchronous standby confirms commits: what is accepted would be on one server alone"

/** A transaction of no content. */
const EMPTY = "SELECT pg_logical_emit_message(true, 'cairn', 'commit')::text"

type Run = <A>(
  session: PgConnection.PgConnection,
  statement: (session: PgConnection.PgConnection) => Effect.Effect<A, SqlError>
) => Effect.Effect<A, SqlError>

/** Runs statements on sessions. */
export interface Commits {
  /**
   * Fails while commits wait for a standby. What writes in a transaction asks first: it might wait for rows
   * that a commit which was given up still holds.
   */
  readonly admit: Effect.Effect<void, SqlError>
  /** One that commits. */
  readonly run: Run
  /** One that waits for nothing but an answer: fails soon after the server has gone silent. */
  readonly answered: Run
}

/**
 * What a session is doing: it waits for a standby, it works here, it waits for another machine (as Citus
 * does, whose own wait for a standby would be cancelled with it), or nothing is known of it any more.
 */
type Doing = "waits" | "works" | "works elsewhere" | "unknown"

const doing = ({ config, url }: CommittingServer, processId: number): Effect.Effect<Doing> =>
  briefly(config, url, LOOK_MILLIS, (session) =>
    session.query(
      `SELECT wait_event IS NOT DISTINCT FROM 'SyncRep' AS waits,
         state = 'active' AND wait_event_type IN ('Client', 'Extension') AS elsewhere
       FROM pg_stat_activity WHERE pid = $1`,
      [processId]
    )
  ).pipe(
    Effect.map(({ rows: [row] }): Doing => {
      if (row === undefined) return "unknown"
      if (row.waits === true) return "waits"
      return row.elsewhere === true ? "works elsewhere" : "works"
    }),
    Effect.catch(() => Effect.succeed<Doing>("unknown"))
  )

/**
 * Fails unless a commit of no content is confirmed quickly: standbys confirm in the order of commits, so it
 * proves those before it.
 */
export const confirmedQuickly = Effect.fnUntraced(function* (commit: Effect.Effect<unknown, SqlError>) {
  for (let tries = 0; tries < PROOFS; tries++) {
    const began = performance.now()
    yield* commit
    if (performance.now() - began < SLOW_MILLIS) return
  }
  return yield* commitUnknown("no synchronous standby confirms it in time")
})

/** Fails unless the server proves its commits, where they wait for a standby. */
const prove = Effect.fnUntraced(function* (session: PgConnection.PgConnection) {
  const { rows } = yield* session.query("SELECT current_setting('synchronous_standby_names') <> '' AS waits")
  if (rows[0]?.waits === true) yield* confirmedQuickly(session.query(EMPTY))
})

/** Waits for what one session does, and says whether it ended. */
const watch = Effect.fnUntraced(function* <A>(
  server: CommittingServer,
  processId: number,
  fiber: Fiber.Fiber<A, SqlError>
): Effect.fn.Return<Exit.Exit<A, SqlError> | "waits" | "unknown"> {
  for (;;) {
    const exit = yield* Effect.timeoutOption(Fiber.await(fiber), LOOK)
    if (Option.isSome(exit)) return exit.value
    const found = yield* doing(server, processId)
    if (found === "waits" || found === "unknown") return found
  }
})

/** Makes what runs commits on a server. */
export const makeCommits = (server: CommittingServer): Commits => {
  let waiting = false

  /** A commit of this process's own, which may take as long as it does; others begin once it has ended. */
  const confirm = Effect.scoped(
    Effect.gen(function* () {
      const session = yield* PgConnection.make(server.config)
      const fiber = yield* Effect.forkDetach(session.query(EMPTY))
      yield* Effect.repeat(watch(server, session.processId, fiber), { while: (found) => found === "waits" })
    })
  ).pipe(
    Effect.ignore,
    Effect.ensuring(
      Effect.sync(() => {
        waiting = false
      })
    )
  )

  const stop = Effect.suspend(() => {
    server.suspect()
    if (waiting) return Effect.void
    waiting = true
    return Effect.forkDetach(confirm)
  })

  const attempt: Run = (session, statement) =>
    Effect.scoped(
      Effect.uninterruptibleMask(
        Effect.fnUntraced(function* (restore) {
          const pinned = yield* session.pin
          const fiber = yield* Effect.forkDetach(statement(pinned))
          const ended = yield* restore(watch(server, session.processId, fiber)).pipe(
            // A wait for a standby is not cancelled either: the session is closed as it is.
            Effect.onInterrupt(() =>
              Effect.flatMap(doing(server, session.processId), (found) =>
                found === "works" ? Fiber.interrupt(fiber) : Effect.void
              )
            )
          )
          if (ended === "unknown") {
            server.suspect()
            return yield* commitUnknown("the server does not answer")
          }
          if (ended === "waits") {
            yield* stop
            return yield* commitUnknown(NO_STANDBY)
          }
          return yield* ended
        })
      )
    )

  const admit = Effect.suspend(() => {
    if (!waiting) return Effect.void
    server.suspect()
    return Effect.fail(commitUnknown(NO_STANDBY))
  })

  return {
    admit,
    answered: attempt,
    run: (session, statement) =>
      Effect.flatMap(admit, () =>
        attempt(session, (pinned) => {
          const began = performance.now()
          return Effect.tap(statement(pinned), () =>
            performance.now() - began > SLOW_MILLIS ? prove(pinned) : Effect.void
          )
        })
      )
  }
}
