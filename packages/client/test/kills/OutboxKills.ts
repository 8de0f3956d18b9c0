/** The kill trial of the outbox, with the programs that it is given. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as pause } from "node:timers/promises"
import { type SeededRandom, seededRandom } from "@cairn/testing"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { assert } from "@effect/vitest"
import { apiClient } from "../../../server/test/support/ApiClient.ts"
import { eventually } from "../../../server/test/support/Eventually.ts"
import { OUTBOX_SQL } from "../../src/outbox/index.ts"
import { type Program, startWith } from "./Application.ts"
import { AT_RANDOM, count, type KillCounts, say, sayKills, shuffled } from "./KillPlan.ts"
import type { KillPoint } from "./KillPoints.ts"
import { expectAllOnce } from "./LogCheck.ts"
import { type MortalService, type ServicePoint, startMortalService } from "./MortalService.ts"
import { BUSINESS, type Business, type OutboxTask } from "./OutboxTask.ts"

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
    "claim within": 12,
    "claim after": 12,
    "send before": 8,
    "send within": 8,
    "answer after": 6,
    "removal before": 5,
    "removal within": 5,
    "removal after": 5,
    "release before": 3,
    "release within": 3,
    "release after": 3
  }
}

const SERVICE_POINTS: ReadonlyArray<ServicePoint> = ["service before its answer", "service after its answer"]

/** Transactions that an application makes when nobody kills it: one that is killed at random never ends. */
const TRANSACTIONS = 200
const ENDLESS = 1_000_000
/** The share of requests that suffer. */
const HOSTILITY = 0.35
/** A process that does not come to its point is stuck. */
const STUCK_MILLIS = 30_000
/** One that does not come to its end fails the trial. */
const LONGEST_MILLIS = 120_000

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

/** A program of the trial, and what it is written in. */
export interface OutboxProgram {
  readonly language: string
  readonly program: Program
}

/** What a trial is made with. */
export interface OutboxKillsOptions extends KillCounts {
  readonly kind: OutboxTask["kind"]
  /** The kills of each point fall on them in turns; the first one sends what is left in the end. */
  readonly programs: readonly [OutboxProgram, ...ReadonlyArray<OutboxProgram>]
  /** For its files. */
  readonly folder: string
}

interface Kill {
  readonly name: string
  readonly by: OutboxProgram
}

interface Trial extends OutboxKillsOptions {
  readonly place: Place
  readonly service: MortalService
  readonly random: SeededRandom
  readonly killed: Map<string, number>
  readonly languages: Map<string, number>
  /** Those that did not come to their point in time, and were started once more. */
  readonly stuck: Map<string, number>
}

/** The kills of the applications and of the relays, in their order; the service is among the latter. */
const plan = ({ programs, each, kills, random }: Trial): Readonly<Record<Role, ReadonlyArray<Kill>>> => {
  const times = (name: string, often: number): ReadonlyArray<Kill> =>
    Array.from({ length: often }, (_, nth) => ({ name, by: programs[nth % programs.length] ?? programs[0] }))
  const application = Object.keys(POINTS.application).flatMap((name) => times(name, each))
  const relay = [...Object.keys(POINTS.relay), ...SERVICE_POINTS].flatMap((name) => times(name, each))
  const rest = kills - application.length - relay.length
  const half = rest >> 1
  const whole = {
    application: shuffled([...application, ...times(AT_RANDOM, half)], random),
    relay: shuffled([...relay, ...times(AT_RANDOM, rest - half)], random)
  }
  if (isEndurance()) return whole
  // A small part, in which each program and the service are among the killed.
  const first = (role: Role) =>
    [...new Set(programs)].flatMap((by) =>
      whole[role].filter((kill) => kill.by === by && kill.name in POINTS[role]).slice(0, 1)
    )
  return {
    application: first("application"),
    relay: [...first("relay"), ...times("service after its answer", 1)]
  }
}

/** What a process is told beyond what all are. */
interface Start extends Pick<OutboxTask, "role" | "run" | "transactions"> {
  readonly killPoint?: KillPoint
  readonly url?: string
}

const startProcess = (
  { kind, place, service }: Trial,
  { program }: OutboxProgram,
  task: Start,
  mostMillis = STUCK_MILLIS
) => {
  const argument: OutboxTask = {
    kind,
    database: place.url,
    url: service.url,
    apiKey: service.tenant.key,
    ...task
  }
  const { child, stderr, ended } = startWith(program, JSON.stringify(argument))
  let isStuck = false
  const timer = setTimeout(() => {
    isStuck = true
    child.kill("SIGKILL")
  }, mostMillis)
  return {
    stderr,
    isStuck: () => isStuck,
    kill: () => child.kill("SIGKILL"),
    /** Whether it was killed; rejects where it failed. */
    ended: ended.then(({ code, signal }) => {
      clearTimeout(timer)
      if (signal === null && code !== 0) throw new Error(`${task.run} ended with ${code}:\n${stderr()}`)
      return signal === "SIGKILL"
    })
  }
}

/** Runs one process that nobody kills: it must come to its end. */
const runToEnd = async (trial: Trial, by: OutboxProgram, task: Start): Promise<void> => {
  const running = startProcess(trial, by, task, LONGEST_MILLIS)
  await running.ended
  if (running.isStuck()) throw new Error(`${task.run} in ${by.language} does not end:\n${running.stderr()}`)
}

/** Runs one process until it, or the service, is killed in the given way. */
const killOnce = async (trial: Trial, role: Role, { name, by }: Kill, run: string): Promise<void> => {
  const { random, service, killed, languages, stuck } = trial
  const most = POINTS[role][name]
  const nth = 1 + random.below(most ?? 1)
  const point = SERVICE_POINTS.find((each) => each === name)
  const hit = point && service.killAt(point)
  let said = ""
  for (let tries = 0; tries < 6; tries++) {
    const running = startProcess(trial, by, {
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
    said = running.stderr()
    if (running.isStuck()) count(stuck, `${by.language} before "${name}"`)
    if (!wasKilled || running.isStuck()) continue
    count(killed, name)
    count(languages, by.language)
    return
  }
  throw new Error(`no ${role} in ${by.language} came to "${name}":\n${said}`)
}

/** Runs the applications and the relays side by side until all that are to be killed are. */
const killAll = async (trial: Trial): Promise<void> => {
  const { programs, random } = trial
  const { application, relay } = plan(trial)
  let runs = 0
  let isOver = false
  const business = async () => {
    for (const kill of application) await killOnce(trial, "application", kill, `application-${++runs}`)
    // The relays that are still to be killed need events.
    while (!isOver) {
      const run = `more-${++runs}`
      await runToEnd(trial, random.pick(programs), { role: "application", run, transactions: 40 })
    }
  }
  const relays = async () => {
    try {
      for (const kill of relay) await killOnce(trial, "relay", kill, `relay-${++runs}`)
    } finally {
      isOver = true
    }
  }
  await Promise.all([business(), relays()])
}

/** Sends what is left, and compares the log with the application's own table. */
const finish = async (trial: Trial): Promise<void> => {
  const { kind, place, service, killed, languages, stuck, programs } = trial
  const { key } = service.tenant
  service.proxy.calm()
  const url = await service.direct()
  await runToEnd(trial, programs[0], { role: "relay", run: "last", transactions: 0, url })
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
  const parts = [
    `${kind}: ${sayKills(killed)}, of ${say(languages)}`,
    `stuck: ${say(stuck) || "none"}`,
    `the proxy: ${say(service.proxy.done)}`,
    `${committed.length} committed events are in the log once, and no others`
  ]
  console.log(parts.join("; "))
}

/** Runs the trial of a seed: kills applications, relays and the service, and looks at what the log holds. */
export const outboxKills = async (seed: number, options: OutboxKillsOptions): Promise<void> => {
  const { folder, kind } = options
  const random = seededRandom(seed)
  const database = join(folder, `${kind}-${seed}.db`)
  const service = await startMortalService({ database, random, share: HOSTILITY })
  const place = await places[kind](join(folder, `application-${seed}.db`))
  const counts = { killed: new Map(), languages: new Map(), stuck: new Map() }
  const trial: Trial = { ...options, ...counts, place, service, random }
  await killAll(trial)
  await finish(trial)
  await service.stop()
}
