/**
 * The kill trial of the outbox: applications that write events with their business, and their relays, are
 * killed at named points and at random, and the service too, behind a proxy that does what networks do. In
 * the end the log has the events of the transactions that committed, once each, with the time of the call,
 * and none of any other.
 */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type SeededRandom, seededRandom } from "@cairn/testing"
import { isEndurance, seededTrial } from "@cairn/testing/SeededTrial"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { assert, describe, it } from "@effect/vitest"
import { apiClient } from "../../../server/test/support/ApiClient.ts"
import { killLeftovers, startNode } from "../../../server/test/support/CairnProcess.ts"
import { eventually } from "../../../server/test/support/Eventually.ts"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { OUTBOX_SQL } from "../../src/outbox/index.ts"
import type { KillPoint } from "./KillPoints.ts"
import { expectAllOnce } from "./LogCheck.ts"
import { type MortalService, type ServicePoint, startMortalService } from "./MortalService.ts"
import { BUSINESS, type Business, type OutboxTask } from "./OutboxTask.ts"

const PROGRAM = fileURLToPath(new URL("OutboxApplication.ts", import.meta.url))

type Role = OutboxTask["role"]

/** Where a process kills itself, and after how many times at that point at most. */
const POINTS: Readonly<Record<Role, Readonly<Record<string, number>>>> = {
  application: {
    "insert before": 100,
    "insert after": 100,
    "commit before": 80,
    "commit within": 80,
    "commit after": 80
  },
  relay: {
    "claim before": 12,
    "claim after": 12,
    "send before": 8,
    "send within": 8,
    "answer after": 6,
    "removal before": 5,
    "removal after": 5
  }
}

const SERVICE_POINTS: ReadonlyArray<ServicePoint> = ["service before its answer", "service after its answer"]

const AT_RANDOM = "at random"

/** Of each point, and all in all, over one of the two databases. */
const EACH = 8
const KILLS = 125
/** Transactions that an application makes when nobody kills it: one that is killed at random never ends. */
const TRANSACTIONS = 200
const ENDLESS = 1_000_000
/** The share of requests that suffer. */
const HOSTILITY = 0.35
/** A process that does not come to its point is stuck. */
const STUCK_MILLIS = 30_000

interface Place {
  readonly url: string
  readonly query: (text: string) => Promise<ReadonlyArray<Record<string, unknown>>>
}

/** A new database of the application's own. */
const places: Readonly<Record<OutboxTask["kind"], (file: string) => Promise<Place>>> = {
  postgres: async () => {
    const server = await sharedPostgres()
    const url = await server.newDatabase()
    const query: Place["query"] = (text) => server.query(url, text)
    for (const sql of [OUTBOX_SQL.postgres, BUSINESS]) await query(sql)
    return { url, query }
  },
  sqlite: async (url) => {
    const database = new DatabaseSync(url, { timeout: 10_000 })
    for (const sql of ["PRAGMA journal_mode = WAL", OUTBOX_SQL.sqlite, BUSINESS]) database.exec(sql)
    return { url, query: async (text) => database.prepare(text).all() }
  }
}

interface Trial {
  readonly kind: OutboxTask["kind"]
  readonly place: Place
  readonly service: MortalService
  readonly random: SeededRandom
  readonly killed: Map<string, number>
}

const shuffled = <A>(items: ReadonlyArray<A>, random: SeededRandom): Array<A> =>
  items
    .map((item) => [random.real(), item] as const)
    .sort(([one], [other]) => one - other)
    .map(([, item]) => item)

/** The kills of the applications and of the relays, in their order; the service is among the latter. */
const plan = (random: SeededRandom): Readonly<Record<Role, Array<string>>> => {
  const times = (name: string, count: number) => Array.from({ length: count }, () => name)
  const application = Object.keys(POINTS.application).flatMap((name) => times(name, EACH))
  const relay = [...Object.keys(POINTS.relay), ...SERVICE_POINTS].flatMap((name) => times(name, EACH))
  const rest = KILLS - application.length - relay.length
  const half = rest >> 1
  const whole = {
    application: shuffled([...application, ...times(AT_RANDOM, half)], random),
    relay: shuffled([...relay, ...times(AT_RANDOM, rest - half)], random)
  }
  if (isEndurance()) return whole
  // A fiftieth, half of it over each database, in which the service is among the killed.
  const first = (role: Role) => whole[role].filter((name) => name in POINTS[role]).slice(0, 1)
  return { application: first("application"), relay: [...first("relay"), ...SERVICE_POINTS.slice(1)] }
}

const startProcess = (
  { kind, place, service }: Trial,
  task: Pick<OutboxTask, "role" | "run" | "transactions"> & {
    readonly killPoint?: KillPoint
    readonly url?: string
  }
) => {
  const { child, stderr, ended } = startNode([
    PROGRAM,
    JSON.stringify({
      kind,
      database: place.url,
      url: service.url,
      apiKey: service.tenant.key,
      ...task
    } satisfies OutboxTask)
  ])
  const timer = setTimeout(() => child.kill("SIGKILL"), STUCK_MILLIS)
  return {
    kill: () => child.kill("SIGKILL"),
    /** Whether it was killed; rejects where it failed. */
    ended: ended.then(({ code, signal }) => {
      clearTimeout(timer)
      if (signal === null && code !== 0) throw new Error(`${task.run} ended with ${code}:\n${stderr()}`)
      return signal === "SIGKILL"
    })
  }
}

/** Runs one process until it, or the service, is killed in the given way. */
const killOnce = async (trial: Trial, role: Role, name: string, run: string): Promise<void> => {
  const { random, service, killed } = trial
  const most = POINTS[role][name]
  const nth = 1 + random.below(most ?? 1)
  const point = SERVICE_POINTS.find((each) => each === name)
  const hit = point && service.killAt(point)
  for (let tries = 0; tries < 6; tries++) {
    const started = performance.now()
    const running = startProcess(trial, {
      role,
      run: `${run}-${tries}`,
      transactions: most === undefined ? ENDLESS : TRANSACTIONS,
      // A point that a process did not come to so often is tried sooner.
      ...(most === undefined ? {} : { killPoint: { name, nth: Math.max(1, nth >> tries) } })
    })
    if (hit !== undefined) await Promise.race([hit, running.ended])
    else if (most === undefined) await Promise.race([pause(random.below(700)), running.ended])
    if (most === undefined) running.kill()
    const wasKilled = await running.ended
    if (!wasKilled || performance.now() - started > STUCK_MILLIS) continue
    killed.set(name, (killed.get(name) ?? 0) + 1)
    return
  }
  throw new Error(`no ${role} came to "${name}"`)
}

/** Sends what is left, and compares the log with the application's own table. */
const finish = async (trial: Trial): Promise<string> => {
  const { kind, place, service, killed } = trial
  const { key } = service.tenant
  service.proxy.calm()
  const url = await service.direct()
  await startProcess(trial, { role: "relay", run: "last", transactions: 0, url }).ended
  for (const table of ["cairn_outbox", "cairn_outbox_refused"]) {
    assert.deepStrictEqual(await place.query(`SELECT * FROM ${table}`), [])
  }
  const rows = await place.query("SELECT event_key AS key, before_call, after_call FROM business")
  const committed = (rows as ReadonlyArray<Business & Record<string, unknown>>).map(
    ({ key, before_call, after_call }) => ({ key, before: Number(before_call), after: Number(after_call) })
  )
  const client = apiClient(url, key)
  const all = await eventually("all that was accepted is in the log", async () => {
    const { total } = (await client.page({ limit: 1, action: "trial.audited" })).pagination
    const logged = await client.list({ action: "trial.audited" })
    return total === logged.length ? logged : undefined
  })
  // No event of a transaction that was rolled back, or whose process was killed before it committed.
  assert.deepStrictEqual(expectAllOnce(all, committed), [])
  const say = (counts: Iterable<[string, number]>) =>
    [...counts].map(([what, count]) => `${what} ${count}`).join(", ")
  const kills = [...killed.values()].reduce((sum, count) => sum + count, 0)
  return `${kind}: ${kills} kills (${say([...killed].sort())}); the proxy: ${say(service.proxy.done)}; ${committed.length} committed events are in the log once, and no others`
}

describe.each(["postgres", "sqlite"] as const)(
  "applications with an outbox in %s, their relays and the service, killed -9",
  (kind) => {
    const folder = temporaryFolder()
    killLeftovers()

    it("have each committed event in the log once, with its time, and no other", { timeout: 3_600_000 }, () =>
      seededTrial(import.meta.url, async (seed) => {
        const random = seededRandom(seed)
        const service = await startMortalService({
          database: join(folder, `${seed}.db`),
          random,
          share: HOSTILITY
        })
        const place = await places[kind](join(folder, `application-${seed}.db`))
        const trial: Trial = { kind, place, service, random, killed: new Map() }
        const { application, relay } = plan(random)
        let runs = 0
        let isOver = false
        const business = async () => {
          for (const name of application) await killOnce(trial, "application", name, `application-${++runs}`)
          // The relays that are still to be killed need events.
          while (!isOver) {
            await startProcess(trial, { role: "application", run: `more-${++runs}`, transactions: 40 }).ended
          }
        }
        const relays = async () => {
          try {
            for (const name of relay) await killOnce(trial, "relay", name, `relay-${++runs}`)
          } finally {
            isOver = true
          }
        }
        await Promise.all([business(), relays()])
        console.log(await finish(trial))
        await service.stop()
      })
    )
  }
)
