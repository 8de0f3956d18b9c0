/**
 * The sessions of a database whose URL may name several servers: a pool on the one that is used, and another
 * on the next one when that fails or turns out to be a standby or an old primary.
 */
import { type PgConnection, PgPool } from "@effect/sql-pg"
import { Cause, Effect, Exit, Scope, Semaphore } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { type Commits, makeCommits } from "./Commits.ts"
import type { DatabaseHost, DatabaseUrl } from "./DatabaseUrl.ts"
import {
  type Asked,
  askSession,
  type Choice,
  type Choosing,
  chooseServer,
  unfitness
} from "./ServerChoice.ts"
import { briefly, serverSockets } from "./ServerSockets.ts"
import { makeSilence, type Silence } from "./Silence.ts"
import { isAnswer, noConnection, sqlState } from "./SqlState.ts"

/** How sessions are made. */
export interface ServersConfig extends DatabaseUrl {
  readonly configOf: (host: DatabaseHost) => PgPool.Config
  /** The newest timeline that was seen of the database; 0 if none is known. */
  readonly newest: () => number
  /** Whether to log which server is used. */
  readonly tells: boolean
}

/** How long a server may take to say what it is. */
const ASK_MILLIS = 2_000
/** How long sessions may take to close before they are cut. */
const CLOSE_MILLIS = 10_000
/** Least time between two looks at all servers. */
const APART_MILLIS = 250
/** The same while the server in use is on an older timeline than was seen. */
const OLD_MILLIS = 1_000

/** The server in use. */
export interface Serving {
  readonly host: DatabaseHost
  readonly pool: PgPool.PgPool
  readonly commits: Commits
  /** Told of each statement: what waits for a server that has fallen silent fails. */
  readonly silence: Silence
  /** Notes that a statement failed: it may be because of the server. */
  readonly failed: (error: SqlError) => void
}

interface InUse extends Serving {
  /** Sessions that were found to be on a server as it is needed. */
  readonly examined: WeakSet<PgConnection.PgConnection>
  /** Closes the sessions, each once it is given back. */
  readonly close: Effect.Effect<void>
  /** Cuts every session at once. */
  readonly end: Effect.Effect<void>
}

/** SQLSTATEs by which a server says that it does not take writes, is behind, or ends. */
const ELSEWHERE = /^(?:25006|CN001|57P0[123])$/

/** Whether a server has said something, perhaps that it takes no session now. */
const saysSomething = (host: DatabaseHost, config: PgPool.Config): Effect.Effect<boolean> =>
  Effect.match(briefly(config, host.url, ASK_MILLIS, askSession), {
    onSuccess: () => true,
    onFailure: isAnswer
  })

const isOfServer = (error: SqlError): boolean =>
  error.reason._tag === "ConnectionError" || ELSEWHERE.test(sqlState(error))

const open = Effect.fnUntraced(function* (
  host: DatabaseHost,
  config: PgPool.Config,
  suspect: () => void,
  leave: Effect.Effect<void>
): Effect.fn.Return<InUse, SqlError> {
  const scope = yield* Scope.make()
  const sockets = serverSockets(host.url)
  const whole = { ...config, stream: sockets.open }
  const pool = yield* Scope.provide(PgPool.make(whole), scope)
  const close = Effect.suspend(() => {
    const timer = setTimeout(sockets.cut, CLOSE_MILLIS)
    return Effect.ensuring(
      Scope.close(scope, Exit.void),
      Effect.sync(() => {
        clearTimeout(timer)
        sockets.cut()
      })
    )
  })
  const silence = makeSilence({ answers: saysSomething(host, config), silent: leave })
  yield* Effect.forkIn(silence.watch, scope)
  return {
    host,
    pool,
    silence,
    commits: makeCommits({ config: whole, url: host.url, suspect }),
    failed: (error) => {
      if (isOfServer(error)) suspect()
    },
    examined: new WeakSet(),
    close,
    end: Effect.andThen(Effect.sync(sockets.cut), close)
  }
})

/** Lends sessions of the server in use. */
export interface Servers {
  readonly use: <A, E, R>(
    work: (session: PgConnection.PgConnection, serving: Serving) => Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | SqlError, R>
  readonly get: Effect.Effect<readonly [PgConnection.PgConnection, Serving], SqlError, Scope.Scope>
}

/** Whether there is a choice between servers, or something that the only one must be. */
const mustAsk = ({ hosts, needs }: DatabaseUrl): boolean => hosts.length > 1 || needs !== "any"

/** Asks every server of the URL at once. */
export const askAll = ({ hosts, configOf }: ServersConfig) =>
  Effect.forEach(
    hosts,
    (host) =>
      Effect.map(
        Effect.result(briefly(configOf(host), host.url, ASK_MILLIS, askSession)),
        (answer): Asked => ({ host, answer })
      ),
    { concurrency: "unbounded" }
  )

/** The server to use: the only one, unless it has to be asked. */
export const choose = (
  config: ServersConfig,
  choosing: Pick<Choosing, "system" | "current">,
  asks = mustAsk(config)
) => {
  const [only] = config.hosts
  return asks || only === undefined
    ? Effect.flatMap(askAll(config), (asked) =>
        Effect.fromResult(chooseServer(asked, { ...choosing, needs: config.needs }))
      )
    : Effect.succeed<Choice>({ host: only, state: undefined, replaced: [] })
}

/** Tells the operator which server is used, and once which takes writes though it was replaced. */
const makeTell = () => {
  const told = new Set<string>()
  return Effect.fnUntraced(function* ({ host, state, replaced }: Choice) {
    yield* Effect.logInfo(`The database is used at ${host.name}`)
    for (const old of replaced) {
      const line = `${old.host.name} ${old.timeline}`
      if (told.has(line)) continue
      told.add(line)
      yield* Effect.logWarning(
        `${old.host.name} is an old primary that still takes writes: stop it, and make a standby of it`
      ).pipe(
        Effect.annotateLogs({ timeline: old.timeline, newer: `${host.name} on timeline ${state?.timeline}` })
      )
    }
  })
}

/** Chooses servers one after the other, for as long as the scope lasts. */
const makeCurrent = Effect.fnUntraced(function* (config: ServersConfig) {
  const { needs, configOf, newest, tells } = config
  const asks = mustAsk(config)
  const one = yield* Semaphore.make(1)
  const tell = makeTell()
  let serving: InUse | undefined
  let suspected = true
  let failure: SqlError | undefined
  let system: string | null = null
  let next = Number.NEGATIVE_INFINITY
  /** The server that fell silent, until one answers. */
  let left: DatabaseHost | undefined
  let closed = false

  const suspect = (host: DatabaseHost) => () => {
    if (asks && serving?.host === host) suspected = true
  }

  /** Fails who waits for a server that fell silent, or for a session there; it is asked before it is used. */
  const leave = (host: DatabaseHost) =>
    Effect.suspend(() => {
      const silent = serving
      if (silent?.host !== host) return Effect.void
      serving = undefined
      left = host
      return Effect.forkDetach(silent.end)
    })

  /** Uses the server that was chosen from now on. */
  const move = Effect.fnUntraced(function* (choice: Choice) {
    const { host, state } = choice
    const before = serving
    system ??= state?.system ?? null
    if (before?.host !== host) {
      const opened = yield* open(host, configOf(host), suspect(host), leave(host))
      if (closed) return yield* Effect.andThen(opened.close, Effect.fail(noConnection("it is closed")))
      serving = opened
      if (before !== undefined) yield* Effect.forkDetach(before.end)
      if (asks && tells) yield* tell(choice)
    }
    // Writes are refused there, by where the newest timeline was seen.
    suspected = asks && (state?.timeline ?? newest()) < newest()
    left = undefined
    next = performance.now() + (suspected ? OLD_MILLIS : APART_MILLIS)
  })

  const look = Effect.suspend(() => {
    if (serving !== undefined && !suspected) return Effect.void
    if (performance.now() < next) return failure === undefined ? Effect.void : Effect.fail(failure)
    const choosing = { system, current: left ?? serving?.host }
    return choose(config, choosing, asks || left !== undefined).pipe(
      Effect.flatMap(move),
      Effect.matchEffect({
        onSuccess: () =>
          Effect.sync(() => {
            failure = undefined
          }),
        onFailure: (error) => {
          failure = error
          next = performance.now() + APART_MILLIS
          return Effect.fail(error)
        }
      })
    )
  })
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      closed = true
      return serving?.close ?? Effect.void
    })
  )
  const current = Effect.suspend(() =>
    serving !== undefined && !suspected
      ? Effect.succeed(serving)
      : Effect.flatMap(one.withPermit(look), () =>
          serving === undefined ? Effect.fail(noConnection("no server was chosen")) : Effect.succeed(serving)
        )
  )

  /** Fails unless the server of a session is as it is needed: a primary may come back as a standby. */
  const examine = (session: PgConnection.PgConnection, { host, pool, commits, examined }: InUse) => {
    if (!asks || examined.has(session)) return undefined
    return Effect.flatMap(commits.answered(session, askSession), (state) => {
      const unfit = unfitness(state, needs, system)
      if (unfit !== undefined) {
        return Effect.andThen(pool.invalidate(session), Effect.fail(noConnection(`${host.name} ${unfit}`)))
      }
      examined.add(session)
      if ((state.timeline ?? newest()) < newest()) suspect(host)()
      return Effect.void
    })
  }
  return { current, examine }
})

/**
 * A caller that waits for a server that is left would be interrupted with its pool; make it a failure of the
 * server.
 */
export const leftWithPool = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.catchCause(
    effect,
    (cause): Effect.Effect<never, E | SqlError> =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.fail(noConnection("the server was left for another"))
        : Effect.failCause(cause)
  )

/** Tries once more, perhaps with another server, what failed because of a server before anything was done. */
const again = <A, E, R>(
  attempt: (begin: () => void) => Effect.Effect<A, E | SqlError, R>
): Effect.Effect<A, E | SqlError, R> =>
  Effect.suspend(() => {
    let begun = false
    const begin = () => {
      begun = true
    }
    return Effect.catchIf(
      attempt(begin),
      (error) => !begun && isSqlError(error) && isOfServer(error),
      () => attempt(begin)
    )
  })

/** Makes the pools, for as long as the scope lasts. */
export const makeServers = Effect.fnUntraced(function* (config: ServersConfig) {
  const { current, examine } = yield* makeCurrent(config)
  const servers: Servers = {
    use: (work) =>
      again((begin) =>
        Effect.flatMap(current, (serving) => {
          let lent = false
          const lend = (session: PgConnection.PgConnection) => {
            lent = true
            begin()
            return work(session, serving)
          }
          return serving.pool
            .use((session) => {
              const first = examine(session, serving)
              return first === undefined ? lend(session) : Effect.flatMap(first, () => lend(session))
            })
            .pipe(
              leftWithPool,
              Effect.tapError((error) =>
                Effect.sync(() => {
                  if (!lent && isSqlError(error)) serving.failed(error)
                })
              )
            )
        })
      ),
    get: again(() =>
      Effect.flatMap(current, (serving) =>
        Effect.flatMap(serving.pool.get, (session) =>
          Effect.as(examine(session, serving) ?? Effect.void, [session, serving] as const)
        ).pipe(
          leftWithPool,
          Effect.tapError((error) => Effect.sync(() => serving.failed(error)))
        )
      )
    )
  }
  return servers
})
