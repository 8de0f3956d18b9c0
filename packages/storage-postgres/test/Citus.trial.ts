/** A log over several machines, of which one is killed while it is written, or moved away from. */
import { inspect } from "node:util"
import { EventLog } from "@cairn/core/log"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { testWorkspace } from "@cairn/testing"
import {
  cancelWaits,
  citusUrl,
  freezeMachine,
  killMachine,
  loseStandby,
  startStandby,
  unlessCitus
} from "@cairn/testing/CitusCluster"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Logger, Option, type Scope } from "effect"
import { type Worker, workers } from "./CitusMachines.ts"
import { clientOf, emptyCitus, newCitus, usesCluster } from "./CitusStorage.ts"
import { accept, cairnOn, drain, verifyChain } from "./support.ts"

/** Enough that each machine has some. */
const WORKSPACES = 8
/** How long each part of the load goes on, in milliseconds. */
const WHILE = 5_000
/** How long one answers nothing: longer than a commit may take. */
const FROZEN = 25_000
/** More requests are refused in that time than could wait, each as long as a commit may take. */
const AT_ONCE = 20
/** Within what a machine that is there again must take events again. */
const BACK = 60_000

const idOf = (number: number): string => `wsp_${number}`

/** What became of the requests to one workspace. */
interface Tally {
  readonly accepted: Set<string>
  /** Why. */
  readonly refused: Array<string>
  lastAccepted: number
}

const newTally = (): Tally => ({ accepted: new Set(), refused: [], lastAccepted: 0 })

/** Accepts one event after the other until it is interrupted. */
const write = Effect.fnUntraced(function* (number: number, tally: Tally) {
  for (let at = 0; ; at++) {
    const body = { actor_id: "ada", action: "document.created", idempotency_key: `${number}-${at}` }
    const exit = yield* Effect.exit(accept(idOf(number), [body]))
    if (Exit.isSuccess(exit)) {
      for (const outcome of exit.value) if ("id" in outcome) tally.accepted.add(outcome.id)
      tally.lastAccepted = performance.now()
    } else {
      tally.refused.push(inspect(exit.cause, { depth: 8 }))
      yield* Effect.sleep("50 millis")
    }
    yield* Effect.yieldNow
  }
})

/** Sequences until it is interrupted, whatever happens. */
const sequence = Effect.forever(Effect.andThen(Effect.ignore(drain), Effect.sleep("20 millis")))

const until = <E, R>(seconds: number, effect: Effect.Effect<boolean, E, R>) =>
  Effect.repeat(Effect.delay(effect, "200 millis"), { until: (holds) => holds }).pipe(
    Effect.timeout(`${seconds} seconds`)
  )

/** The ids in a log, in order. */
const idsOf = Effect.fnUntraced(function* (workspaceId: string) {
  const log = yield* EventLog
  const ids: Array<string> = []
  for (let from = 1; ; ) {
    const entries = yield* log.entries(workspaceId, from, 1_000)
    const last = entries.at(-1)
    if (last === undefined) return ids
    ids.push(...entries.map(({ id }) => id))
    from = last.sequence + 1
  }
})

/** How many events are in the logs of a machine's workspaces. */
const sequencedOf = ({ workspaces }: Worker) =>
  Effect.flatMap(EventLog, (log) =>
    Effect.map(
      Effect.forEach(workspaces, (number) => log.head(idOf(number))),
      (heads) => heads.reduce((sum, { sequence }) => sum + sequence, 0)
    )
  )

/** Writes to every workspace while something happens; all that was answered must then be there, once. */
const underLoad = <E, R>(
  body: (tallies: ReadonlyMap<number, Tally>, workers: ReadonlyArray<Worker>) => Effect.Effect<void, E, R>,
  database: Effect.Effect<string, never, Scope.Scope> = emptyCitus
) =>
  Effect.gen(function* () {
    const url = yield* database
    yield* Effect.gen(function* () {
      const { create } = yield* ManagedWorkspaces
      for (let number = 1; number <= WORKSPACES; number++) yield* create(testWorkspace({ id: idOf(number) }))
      const tallies = new Map(Array.from({ length: WORKSPACES }, (_, at) => [at + 1, newTally()] as const))
      const load = Array.from(tallies, ([number, tally]) => write(number, tally))
      const fibers = yield* Effect.forEach([sequence, ...load], (one) => Effect.forkChild(one))
      yield* Effect.sleep(WHILE)
      yield* body(tallies, yield* workers)
      for (const fiber of fibers.slice(1)) yield* Fiber.interrupt(fiber)
      yield* until(
        60,
        Effect.map(
          Effect.flatMap(EventLog, (log) => log.waiting),
          (ids) => ids.length === 0
        )
      )
      yield* Effect.forEach(fibers, Fiber.interrupt)
      for (const [number, { accepted }] of tallies) {
        const ids = yield* idsOf(idOf(number))
        assert.strictEqual(new Set(ids).size, ids.length, `none of ${idOf(number)} is there twice`)
        const there = new Set(ids)
        assert.deepStrictEqual(
          Array.from(accepted).filter((id) => !there.has(id)),
          [],
          `none of ${idOf(number)} is lost`
        )
        assert.deepInclude(yield* verifyChain(idOf(number)), { valid: true, events_checked: ids.length })
      }
    }).pipe(Effect.provide(cairnOn(url)), Effect.provide(clientOf(url)))
  }).pipe(Effect.scoped, Effect.provide(Logger.layer([])))

/** Waits until every workspace of a machine has taken one more event. */
const goesOn = (tallies: ReadonlyMap<number, Tally>, { workspaces }: Worker) =>
  Effect.suspend(() => {
    const from = performance.now()
    return until(
      BACK / 1_000,
      Effect.sync(() => workspaces.every((number) => (tallies.get(number)?.lastAccepted ?? 0) > from))
    )
  })

describe.skipIf(citusUrl === "")(`PostgreSQL over several machines, under load${unlessCitus}`, () => {
  usesCluster("alone")

  it.live(
    "loses nothing when one is killed, whose workspaces alone wait for it",
    () =>
      underLoad(
        Effect.fnUntraced(function* (tallies, [one, other]) {
          if (one === undefined || other === undefined) return assert.fail("two machines have workspaces")
          const tallied = ({ workspaces }: Worker) =>
            workspaces.flatMap((number) => tallies.get(number) ?? [])
          const restart = yield* Effect.promise(() => killMachine(other.port))
          const start = Effect.promise(restart)
          yield* Effect.addFinalizer(() => start)
          const killed = performance.now()
          yield* Effect.sleep(WHILE / 2)
          const before = yield* sequencedOf(one)
          yield* Effect.sleep(WHILE / 2)
          assert.isAbove(yield* sequencedOf(one), before, "events of the other machine go into their logs")
          for (const { lastAccepted, refused } of tallied(one)) {
            assert.isAbove(lastAccepted, killed + WHILE / 2, "those of the other machine go on")
            assert.isBelow(refused.length, 3)
          }
          for (const { lastAccepted, refused } of tallied(other)) {
            assert.isBelow(lastAccepted, killed + 1_000, "those of the killed one wait")
            assert.isAbove(refused.length, 3)
            assert.match(refused.at(-1) ?? "", /StorageUnavailable[\s\S]*does not answer/)
          }
          const again = performance.now()
          yield* until(
            BACK / 1_000,
            Effect.suspend(() => {
              if (tallied(other).every(({ lastAccepted }) => lastAccepted > again))
                return Effect.succeed(true)
              return Effect.as(Effect.delay(start, "1 second"), false)
            })
          )
          yield* Effect.sleep(WHILE)
        })
      ),
    { timeout: 240_000 }
  )

  it.live(
    "goes on with the workspaces of one while the other answers nothing",
    () =>
      underLoad(
        Effect.fnUntraced(function* (tallies, [one, other]) {
          if (one === undefined || other === undefined) return assert.fail("two machines have workspaces")
          const thaw = yield* Effect.promise(() => freezeMachine(other.port))
          const frozen = performance.now()
          // The load cannot be stopped before that: its connections wait for the machine.
          yield* Effect.ensuring(Effect.sleep(FROZEN), Effect.sync(thaw))
          for (const number of one.workspaces) {
            const tally = tallies.get(number)
            assert.isAbove(
              tally?.lastAccepted ?? 0,
              frozen + FROZEN - 2_000,
              "those of the other machine go on"
            )
            assert.deepStrictEqual(tally?.refused, [])
          }
          for (const number of other.workspaces) {
            const { refused = [] } = tallies.get(number) ?? {}
            assert.match(refused.at(-1) ?? "", /which has the log of this workspace, does not answer/)
            assert.isAbove(refused.length, AT_ONCE, "once it is missed they fail at once")
          }
          yield* goesOn(tallies, other)
        })
      ),
    { timeout: 240_000 }
  )

  it.live(
    "goes on with the workspaces of one while the other's standby is away, and believes no cancelled wait",
    () =>
      underLoad(
        Effect.fnUntraced(function* (tallies, [one, other]) {
          if (one === undefined || other === undefined) return assert.fail("two machines have workspaces")
          const sql = yield* PgClient.PgClient
          const [number = 0] = other.workspaces
          yield* sql`CREATE TABLE tried (workspace bigint PRIMARY KEY, value integer)`
          yield* Effect.addFinalizer(() => Effect.ignore(sql`DROP TABLE tried`))
          yield* sql`SELECT create_distributed_table('tried', 'workspace', colocate_with => 'head')::text`
          yield* sql`INSERT INTO tried VALUES (${number}, 0)`
          const back = yield* Effect.promise(() => loseStandby(other.port))
          const lost = performance.now()
          const { given, seen, settled, cancelled } = yield* Effect.gen(function* () {
            const update = sql`UPDATE tried SET value = 1 WHERE workspace = ${number}`
            const given = yield* Effect.timeoutOption(update, "4 seconds")
            const seen = yield* sql`SELECT value FROM tried WHERE workspace = ${number}`
            const settled = performance.now()
            let cancelled = 0
            while (performance.now() < lost + FROZEN) {
              yield* Effect.sleep("2 seconds")
              cancelled += yield* Effect.promise(() => cancelWaits(other.port))
            }
            return { given, seen, settled, cancelled }
            // The load cannot be stopped before that: its connections wait for the machine.
          }).pipe(Effect.ensuring(Effect.promise(back)))
          assert.isTrue(Option.isNone(given))
          assert.deepStrictEqual(seen, [{ value: 0 }], "what is given up is not cancelled")
          assert.isAbove(cancelled, 0)
          for (const number of one.workspaces) {
            const tally = tallies.get(number)
            assert.isAbove(
              tally?.lastAccepted ?? 0,
              lost + FROZEN - 3_000,
              "those of the other machine go on"
            )
            assert.deepStrictEqual(tally?.refused, [])
          }
          for (const number of other.workspaces) {
            const { lastAccepted = 0, refused = [] } = tallies.get(number) ?? {}
            assert.isBelow(lastAccepted, settled, "none is believed to be with a standby")
            assert.match(refused.at(-1) ?? "", /StorageUnavailable[\s\S]*confirms no commit/)
          }
          yield* goesOn(tallies, other)
        })
      ),
    { timeout: 240_000 }
  )

  it.live(
    "loses nothing when one dies and its standby takes its place, nor when the dead one comes back",
    () =>
      underLoad(
        Effect.fnUntraced(function* (tallies, [one, other]) {
          if (one === undefined || other === undefined) return assert.fail("two machines have workspaces")
          const lastAccepted = ({ workspaces }: Worker) =>
            Math.min(...workspaces.map((number) => tallies.get(number)?.lastAccepted ?? 0))
          const sql = yield* PgClient.PgClient
          const standby = yield* Effect.acquireRelease(
            Effect.promise(() => startStandby(other.port)),
            ({ end }) => Effect.promise(end)
          )
          yield* Effect.sleep(WHILE)
          const restart = yield* Effect.acquireRelease(
            Effect.promise(() => killMachine(other.port)),
            (back) => Effect.promise(back)
          )
          const killed = performance.now()
          assert.isBelow(lastAccepted(other), killed)
          yield* Effect.sleep(WHILE)
          assert.isAbove(lastAccepted(one), killed + WHILE / 2)
          yield* Effect.promise(standby.promote)
          yield* sql`
            SELECT citus_update_node(nodeid, nodename, ${standby.port}::int, force => true)::text
            FROM pg_dist_node WHERE nodeport = ${other.port}`
          const promoted = performance.now()
          yield* until(
            BACK / 1_000,
            Effect.sync(() => lastAccepted(other) > promoted)
          )
          yield* Effect.promise(restart)
          const back = performance.now()
          yield* Effect.sleep(WHILE)
          for (const { workspaces } of [one, other]) {
            for (const number of workspaces) assert.isAbove(tallies.get(number)?.lastAccepted ?? 0, back)
          }
          for (const number of one.workspaces) assert.deepStrictEqual(tallies.get(number)?.refused, [])
          for (const number of other.workspaces) {
            assert.match(tallies.get(number)?.refused.at(-1) ?? "", /StorageUnavailable/)
          }
        }),
        newCitus
      ),
    { timeout: 240_000 }
  )

  it.live(
    "has all that was accepted of a log in front of its end, and nothing after it",
    () =>
      underLoad(
        Effect.fnUntraced(function* (tallies) {
          const [, other] = tallies.values()
          const log = yield* EventLog
          const { close } = yield* ManagedWorkspaces
          assert.strictEqual((yield* close(idOf(1), 7)).closed_at, 7)
          const closed = performance.now()
          yield* until(
            30,
            Effect.map(log.waiting, (ids) => !ids.includes(idOf(1)))
          )
          const end = (yield* log.head(idOf(1))).sequence
          yield* Effect.sleep(WHILE)
          assert.strictEqual((yield* log.head(idOf(1))).sequence, end)
          assert.strictEqual(tallies.get(1)?.accepted.size, end)
          assert.match(tallies.get(1)?.refused.at(-1) ?? "", /LogClosed/)
          assert.isAbove(other?.lastAccepted ?? 0, closed + WHILE / 2, "others go on")
        })
      ),
    { timeout: 240_000 }
  )

  it.live(
    "loses nothing while a shard is moved from one to the other",
    () =>
      underLoad(
        Effect.fnUntraced(function* (tallies, [one, other]) {
          if (one === undefined || other === undefined) return assert.fail("two machines have workspaces")
          const [number = 0] = one.workspaces
          const sql = yield* PgClient.PgClient
          yield* sql`SET statement_timeout = 0`
          yield* sql`
            SELECT citus_move_shard_placement(get_shard_id_for_distribution_column('head', ${number}::bigint),
              '127.0.0.1', ${one.port}::int, '127.0.0.1', ${other.port}::int,
              shard_transfer_mode => 'force_logical')::text`
          const moved = performance.now()
          const after = yield* workers
          assert.isTrue(
            after.some(({ port, workspaces }) => port === other.port && workspaces.includes(number))
          )
          yield* Effect.sleep(WHILE)
          for (const { lastAccepted, refused } of tallies.values()) {
            assert.isAbove(lastAccepted, moved + WHILE / 2)
            assert.isBelow(refused.length, 3)
          }
        })
      ),
    { timeout: 240_000 }
  )
})
