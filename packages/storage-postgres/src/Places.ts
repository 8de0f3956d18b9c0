/**
 * Where the rows of each workspace are: all in one database, or spread over machines by Citus, see
 * `Distribution`.
 *
 * A statement about one workspace goes to its machine alone. One about all of them goes to every machine, and
 * fails while one is away; then it is asked again of those that answer, so that what is away stops only its
 * own workspaces.
 */
import { StorageUnavailable } from "@cairn/core/log"
import { unavailable } from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Exit, Fiber, Layer, Option, Scope, Semaphore } from "effect"
import type { Statement } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { confirmedQuickly, SLOW_MILLIS } from "./Commits.ts"
import { refusePart, SPREADING } from "./Distribution.ts"
import { FIRST, hasCitus } from "./Machines.ts"

/** Where a workspace is. */
export interface Place {
  /** Workspaces with the same one may be written in one commit. */
  readonly group: number
  /** Commits to the same one wait for the same machine. */
  readonly machine: number
}

/** The only place of a database that is not spread. */
const HERE: Place = { group: 0, machine: 0 }

/** How long until the machines, and what is on each, are looked up again once one was missed. */
const [LOOK_MILLIS, KNOWN_MILLIS] = [1_000, 30_000]
/** How often each machine is asked anyway: sooner than a commit to one that answers nothing is given up. */
const ASK = "5 seconds"
/** How long a machine may take to answer what is read. */
const ANSWER = "2 seconds"
/**
 * How long it may take to confirm a commit of no content, and how much longer if it answers meanwhile: with
 * the time between two questions less than a commit may take, so that none begins where one was given up.
 */
const [CONFIRM, CONFIRM_BUSY] = ["2 seconds", "2 seconds"] as const

/** A machine, and the numbers of its workspaces. */
interface MachineRow {
  readonly machine: number
  readonly name: string
  readonly workspaces: ReadonlyArray<number>
}

const machinesOf = (sql: PgClient.PgClient) => sql<MachineRow>`
  SELECT n.groupid AS machine, n.nodename || ':' || n.nodeport AS name, array_agg(w.number) AS workspaces
  FROM workspace w
  CROSS JOIN LATERAL get_shard_id_for_distribution_column(${FIRST}::regclass, w.number) s (id)
  JOIN pg_dist_placement p ON p.shardid = s.id
  JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
  GROUP BY n.groupid, n.nodename, n.nodeport ORDER BY n.groupid`

const placeOf = (sql: PgClient.PgClient, workspace: number) =>
  Effect.map(
    sql<Place>`
      SELECT s.id AS "group", p.groupid AS machine
      FROM get_shard_id_for_distribution_column(${FIRST}::regclass, ${workspace}::bigint) s (id)
      JOIN pg_dist_placement p ON p.shardid = s.id`,
    ([row]) => row ?? HERE
  )

/** Whether the tables of the log are spread. */
export const areSpread = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  if (!(yield* hasCitus(sql))) return false
  const rows = yield* sql`
    SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass(${FIRST}) AND partmethod = 'h'`
  return rows.length > 0
})

/** The same once nobody is about to spread them: what is read here is not read again. */
const areSpreadInTheEnd = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const ask = Effect.gen(function* () {
    const [row] = yield* sql<{ readonly settled: boolean }>`
      SELECT pg_try_advisory_xact_lock_shared(${SPREADING}) AS settled`
    return row?.settled === true ? yield* areSpread(sql) : undefined
  })
  for (let tries = 0; ; tries++) {
    const spread = yield* sql.withTransaction(ask)
    if (spread !== undefined) return spread
    if (tries === 0) yield* Effect.logWarning("Waits until cairn migrate --distribute has ended")
    yield* Effect.sleep("1 second")
  }
})

/**
 * A transaction of no content on a workspace's machine, which Citus asks as a whole; it ends when what is
 * committed there is confirmed, by the standbys that are named there too.
 */
const confirmOn = (sql: PgClient.PgClient, workspace: number) =>
  sql`SELECT pg_logical_emit_message(true, 'cairn', 'commit')::text FROM head WHERE workspace = ${workspace}`

/** What keeps a machine from taking events; null if nothing does. */
type Fault = "does not answer" | "confirms no commit (its synchronous standby may be away)" | null

/**
 * Makes what finds whether a machine confirms a commit for one of its workspaces. A question that is not
 * answered in time goes on, at most as long as the scope, and the machine is asked no other until then: each
 * would keep a connection.
 */
const makeFault = (sql: PgClient.PgClient, scope: Scope.Scope) => {
  /** What one kind of question gave in time. */
  const makeAsk = (question: (workspace: number) => Effect.Effect<unknown, SqlError>) => {
    const asked = new Map<number, Fiber.Fiber<unknown, SqlError>>()
    return Effect.fnUntraced(function* (
      { machine, workspaces: [workspace = 0] }: MachineRow,
      time: Duration.Input
    ) {
      const before = asked.get(machine)
      // One that has ended too late tells nothing of now.
      const fiber =
        before !== undefined && before.pollUnsafe() === undefined
          ? before
          : yield* Effect.forkIn(question(workspace), scope)
      asked.set(machine, fiber)
      const exit = yield* Effect.timeoutOption(Fiber.await(fiber), time)
      if (Option.isSome(exit)) asked.delete(machine)
      return Option.map(exit, Exit.isSuccess)
    })
  }
  const confirms = makeAsk((workspace) => confirmOn(sql, workspace))
  const answers = makeAsk((workspace) => sql`SELECT 1 FROM head WHERE workspace = ${workspace}`)
  return Effect.fnUntraced(function* (one: MachineRow): Effect.fn.Return<Fault> {
    const confirmed = yield* confirms(one, CONFIRM)
    if (Option.isSome(confirmed)) return confirmed.value ? null : "does not answer"
    const answered = yield* answers(one, ANSWER)
    if (!Option.getOrElse(answered, () => false)) return "does not answer"
    const late = yield* confirms(one, CONFIRM_BUSY)
    if (Option.isNone(late)) return "confirms no commit (its synchronous standby may be away)"
    return late.value ? null : "does not answer"
  })
}

/** A machine that takes no events now. */
interface Away {
  readonly name: string
  readonly fault: Exclude<Fault, null>
}

/**
 * Finds the machines that are away. One that confirms no commits counts as one, also for what is read: writes
 * to it cannot be told apart from reads, and would hold connections.
 */
const makeLook = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const one = yield* Semaphore.make(1)
  // This scope outlives one look. A query that is cut off because the look ends must not count as unanswered.
  const faultOf = makeFault(sql, yield* Scope.fork(yield* Effect.scope))
  let machines: ReadonlyArray<MachineRow> = []
  let machinesUntil = Number.NEGATIVE_INFINITY
  let away: ReadonlyMap<number, Away> = new Map()
  let reachable: ReadonlyArray<number> = []
  let unreachable: ReadonlyArray<number> = []
  let next = Number.NEGATIVE_INFINITY

  const look = Effect.gen(function* () {
    if (performance.now() < next) return
    next = performance.now() + LOOK_MILLIS
    if (away.size > 0 || performance.now() >= machinesUntil) {
      machines = yield* machinesOf(sql)
      machinesUntil = performance.now() + KNOWN_MILLIS
    }
    const found = yield* Effect.forEach(machines, faultOf, { concurrency: 4 })
    const missed = new Map<number, Away>()
    for (const [at, { machine, name }] of machines.entries()) {
      const fault = found[at] ?? null
      if (fault !== null) missed.set(machine, { name, fault })
    }
    reachable = machines.flatMap(({ machine, workspaces }) => (missed.has(machine) ? [] : workspaces))
    unreachable = machines.flatMap(({ machine, workspaces }) => (missed.has(machine) ? workspaces : []))
    for (const [machine, { name, fault }] of missed) {
      if (away.get(machine)?.fault !== fault) {
        yield* Effect.logError(`${name} ${fault}: the logs of its workspaces wait for it`)
      }
    }
    for (const [machine, { name }] of away) {
      if (!missed.has(machine)) yield* Effect.logInfo(`${name} confirms commits again`)
    }
    away = missed
  })
  return {
    look: one.withPermit(look),
    /** Notes that there may be a machine that had no workspace before. */
    forget: () => {
      machinesUntil = Number.NEGATIVE_INFINITY
    },
    knows: (machine: number) => machines.some((one) => one.machine === machine),
    away: () => away,
    reachable: () => reachable,
    unreachable: () => unreachable
  }
})

/**
 * Makes what runs a commit on the machine of a workspace, and fails where that took long and the machine
 * cannot prove that its standbys have it: somebody may have cancelled its wait for them.
 */
const makeProven = (sql: PgClient.PgClient, spread: boolean) => {
  const prove = Effect.fnUntraced(function* (workspace: number) {
    const [row] = yield* sql<{ readonly waits: boolean }>`
      SELECT current_setting('synchronous_standby_names') <> '' AS waits FROM head WHERE workspace = ${workspace}`
    if (row?.waits === true) yield* confirmedQuickly(confirmOn(sql, workspace))
  })
  return <A, E, R>(
    workspace: number,
    committing: Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | SqlError, R> =>
    spread
      ? Effect.flatMap(Effect.timed(committing), ([took, value]) =>
          Effect.as(Duration.toMillis(took) < SLOW_MILLIS ? Effect.void : prove(workspace), value)
        )
      : committing
}

const makePlaces = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const spread = yield* areSpreadInTheEnd(sql)
  if (spread) yield* refusePart(sql)
  const { look, forget, knows, away, reachable, unreachable } = yield* makeLook(sql)
  const fork = Effect.runForkWith(yield* Effect.context())
  const scope = yield* Effect.scope
  if (spread) yield* Effect.ignore(look)
  if (spread) yield* Effect.forkScoped(Effect.forever(Effect.delay(Effect.ignore(look), ASK)))
  const known = new Map<number, Place>()
  let forgetAt = Number.NEGATIVE_INFINITY

  /** The condition on rows that can be reached, by the column that has their workspace's number. */
  const within = (column: string): Statement.Fragment =>
    away().size === 0
      ? sql`1 = 1`
      : sql`${sql.literal(column)} = ANY (${sql.literal(`'{${reachable().join(",")}}'::bigint[]`)})`

  /** Looks, in the background and outside of any transaction, whether a machine is away. */
  const suspect = () => {
    if (away().size === 0) forget()
    if (spread) fork(Effect.forkIn(Effect.ignore(look), scope))
  }

  const find = Effect.fnUntraced(function* (workspace: number): Effect.fn.Return<Place, SqlError> {
    if (performance.now() >= forgetAt) {
      known.clear()
      forgetAt = performance.now() + KNOWN_MILLIS
    }
    const place = known.get(workspace) ?? (yield* placeOf(sql, workspace))
    known.set(workspace, place)
    if (!knows(place.machine)) forget()
    return place
  })
  const here = Effect.succeed(HERE)

  /** Fails at once if the machine of a place is known to be away; looks again in the background. */
  const admit = ({ machine }: Place) =>
    Effect.suspend(() => {
      const missed = away().get(machine)
      if (missed === undefined) return Effect.void
      suspect()
      const cause = new Error(`${missed.name}, which has the log of this workspace, ${missed.fault}`)
      return Effect.fail(new StorageUnavailable({ operation: "reach the workspace's machine", cause }))
    })

  /** Reads, and reads again without the machines that are away if that fails, or takes long. */
  const unlessAway = Effect.fnUntraced(function* <A, E>(read: Effect.Effect<A, E>) {
    const fiber = yield* Effect.forkDetach(read)
    const exit = yield* Effect.timeoutOption(Fiber.await(fiber), ANSWER)
    if (Option.isSome(exit) && Exit.isSuccess(exit.value)) return exit.value.value
    if (away().size === 0) forget()
    yield* look
    if (away().size === 0) return yield* Fiber.join(fiber)
    yield* Effect.forkDetach(Fiber.interrupt(fiber))
    return yield* read
  })

  return {
    spread,
    within,
    /** The workspaces whose machine is known to be away. */
    unreachable,
    suspect,
    /** Where a workspace is. */
    of: (workspace: number): Effect.Effect<Place, SqlError> => (spread ? find(workspace) : here),
    /** Runs what commits on the machine of a workspace: what took long is proven to be with its standbys. */
    proven: makeProven(sql, spread),
    /** Fails at once if the machine of a workspace is known to be away. */
    admitTo: (workspace: number): Effect.Effect<void, StorageUnavailable> =>
      spread && away().size > 0
        ? find(workspace).pipe(unavailable("find a workspace's machine"), Effect.flatMap(admit))
        : Effect.void,
    admit,
    /** Reads about all workspaces, as far as they can be reached; outside of any transaction. */
    everywhere: <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E | SqlError> =>
      spread
        ? Effect.suspend(() => Effect.andThen(away().size === 0 ? Effect.void : look, unlessAway(read)))
        : read
  }
})

/** Where the rows are. */
export class Places extends Context.Service<Places, Effect.Success<typeof makePlaces>>()(
  "@cairn/storage-postgres/Places"
) {
  static readonly layer = Layer.effect(Places, makePlaces)
}
