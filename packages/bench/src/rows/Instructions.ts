/**
 * What an event costs, until all deferred work is done, by thread: instructions of the whole server where
 * they can be counted, else its processor time. A bare server under the same client is what that is held
 * against.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { startBareServer } from "../BareServer.ts"
import type { Bench } from "../Bench.ts"
import { chained, type LogDatabase, untilChained } from "../databases/LogDatabase.ts"
import { hasWrk, type LoadResult, load } from "../Load.ts"
import { isAvailable, type Profile } from "../RequestBodies.ts"
import { figure, type Row } from "../Row.ts"
import { newTenant, type ServerUnderTest, startServer, type Tenant } from "../ServerUnderTest.ts"
import { newProfiles } from "../Stages.ts"
import {
  countsInstructions,
  type Idle,
  idleness,
  ROLES,
  total,
  UNIT,
  untilIdle,
  type Work,
  type Workers,
  workDuring
} from "../WorkCount.ts"
import { ROOMY_INBOX, SETTLED, WARM_UP } from "./Ingestion.ts"

/** What is sent, and how many thousand instructions an event may take. */
interface Kind {
  readonly number: string
  readonly what: string
  readonly profile: Profile
  readonly batch: number
  readonly connections: number
  readonly most: number
}

const KINDS: ReadonlyArray<Kind> = [
  { number: "1", what: "ordinary, single", profile: "ordinary", batch: 1, connections: 64, most: 650 },
  {
    number: "3",
    what: "ordinary, batches of 100",
    profile: "ordinary",
    batch: 100,
    connections: 8,
    most: 450
  },
  { number: "1", what: "cloudtrail, single", profile: "cloudtrail", batch: 1, connections: 64, most: 1_200 }
]

/** Of the accepting thread, for a single ordinary event. */
const MOST_ACCEPTING = 250
/** Thousand instructions of a request to the bare server, by which processor time is compared with these. */
const BARE = 95
/** Events in the log before anything is counted. */
const BEGUN = 100_000
const MANY = 10_000_000

/** What a load came to. */
interface Cost {
  /** Of an event, without what an idle server would have done in the time. */
  readonly work: Work
  readonly perSecond: number
  /** Events that were in the log before. */
  readonly begun: number
}

/** A server under load, and who may write to it. */
interface Subject {
  readonly database: LogDatabase
  readonly cairn: ServerUnderTest
  readonly tenant: Tenant
  readonly workers: Workers
  readonly idle: Idle
}

/** Sends one kind of events, and waits until all deferred work is done. */
const sendUntilDone = async (
  { database, cairn, tenant, workers, idle }: Subject,
  { profile, batch, connections }: Kind,
  seconds: number
): Promise<LoadResult> => {
  const begun = await chained(database)
  const url = `${cairn.baseUrl}/api/v1/events${batch === 1 ? "" : "/batch"}`
  const sent = await load({ url, keys: [tenant.key], connections, batch, rate: 0, profile, seconds })
  await untilChained(database, begun + sent.accepted)
  await untilIdle(workers, idle)
  if (sent.refused > 0) throw new Error(`${sent.refused} events were refused`)
  return sent
}

const costOf = async (subject: Subject, kind: Kind, seconds: number): Promise<Cost> => {
  const { database, workers, idle } = subject
  const begun = await chained(database)
  const since = performance.now()
  const { value, work } = await workDuring(workers, () => sendUntilDone(subject, kind, seconds))
  const lasted = (performance.now() - since) / 1000
  const events = (await chained(database)) - begun
  const each = ROLES.map((role) => [role, ((work[role] ?? 0) - (idle.work[role] ?? 0) * lasted) / events])
  return { work: Object.fromEntries(each), perSecond: value.perSecond, begun }
}

/** Sends batches until the log has enough. */
const fill = async (database: LogDatabase, cairn: ServerUnderTest, { key }: Tenant, events: number) => {
  const url = `${cairn.baseUrl}/api/v1/events/batch`
  let there = await chained(database)
  while (there < events)
    there += (await load({ url, keys: [key], connections: 8, batch: 100, rate: 0, seconds: 1 })).accepted
  await untilChained(database, there)
}

/** Work of a request to a bare server under the same client. */
const bareCost = async (seconds: number): Promise<number> => {
  const bare = await startBareServer()
  const options = { url: bare.url, keys: ["none"], connections: 64, batch: 1, rate: 0 }
  await load({ ...options, seconds: 2 })
  const workers = { server: bare.pid, database: () => [] }
  const { value, work } = await workDuring(workers, () => load({ ...options, seconds }))
  bare.stop()
  return total(work) / value.accepted
}

const millions = (events: number): string => `${(events / 1e6).toFixed(1)} million`

const byRole = (work: Work): string =>
  ROLES.flatMap((role) =>
    Math.abs(work[role] ?? 0) < 0.05 ? [] : `${role} ${figure(work[role] ?? 0)}`
  ).join("; ")

/** A row, whose bound is in thousand instructions, and as many times the bare server's where none are. */
const costRow = (
  row: Pick<Row, "number" | "what" | "database" | "measured"> & Pick<Row, "note">,
  bare: number,
  most: number
): Row => {
  const share = most / BARE
  return {
    ...row,
    limit: bare,
    unit: UNIT,
    target: countsInstructions
      ? `≤ ${most} ${UNIT}`
      : `≤ ${share.toFixed(1)} × bare, for ${most}k instructions`,
    met: countsInstructions ? row.measured <= most : row.measured <= share * bare
  }
}

/** All kinds on one log. */
const measure = async (
  { server, settings }: Bench,
  database: LogDatabase,
  tenant: Tenant,
  events: number,
  bare: number
): Promise<ReadonlyArray<Row>> => {
  const profiles = newProfiles()
  const cairn = await startServer(database, ROOMY_INBOX, settings.stages ? profiles.nodeFlags : [])
  const workers: Workers = { server: cairn.pid, database: database.processes }
  await sleep(SETTLED)
  const idle = await idleness(workers)
  await fill(database, cairn, tenant, events)
  await untilIdle(workers, idle)
  const rows: Array<Row> = []
  const subject: Subject = { database, cairn, tenant, workers, idle }
  for (const kind of KINDS) {
    if (!isAvailable(kind.profile)) continue
    // Until the server has compiled what it runs for them.
    await sendUntilDone(subject, kind, WARM_UP)
    profiles.begin()
    const { work, perSecond, begun } = await costOf(subject, kind, settings.seconds)
    profiles.end(kind.what, work)
    const what = `an event, ${kind.what}, until idle, ${millions(begun)} in the log`
    const named = { number: kind.number, database: server.product }
    const note = `${byRole(work)}; ${figure(perSecond)} /s accepted`
    rows.push(costRow({ ...named, what, measured: total(work), note }, bare, kind.most))
    if (kind.batch === 1 && kind.profile === "ordinary") {
      const accepting = { ...named, what: "of it the accepting thread", measured: work.accepting ?? 0 }
      rows.push(costRow(accepting, bare, MOST_ACCEPTING))
    }
  }
  await cairn.stop()
  if (settings.stages) process.stderr.write(profiles.print())
  return rows
}

/** Measures them, at 10^5 events, and at 10^7 where that is asked for. */
export const instructions = async (bench: Bench): Promise<ReadonlyArray<Row>> => {
  const { server, logs, settings } = bench
  const skipped = isAvailable("cloudtrail") ? "" : "; no cloudtrail: CAIRN_FOREIGN names no folder with it"
  process.stderr.write(`counted in ${UNIT}, with ${hasWrk ? "wrk" : "the bench's client"}${skipped}\n`)
  const bare = await bareCost(settings.seconds)
  const database = await server.newDatabase()
  const small = await measure(bench, database, newTenant(database), BEGUN, bare)
  await database.remove()
  if (!settings.large) return small
  const log = await logs.of(server, MANY)
  return [...small, ...(await measure(bench, log.database, log, MANY, bare))]
}
