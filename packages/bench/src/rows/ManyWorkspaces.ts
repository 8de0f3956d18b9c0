/** What it costs that events are of many workspaces: their rate, when they have a hash, and their bytes. */

import { setTimeout as sleep } from "node:timers/promises"
import type { Bench } from "../Bench.ts"
import { chained, untilChained } from "../databases/LogDatabase.ts"
import { load } from "../Load.ts"
import { manyTenants } from "../ManyTenants.ts"
import { probe } from "../Probe.ts"
import { boundedRow, figure, type Row, ratioRow } from "../Row.ts"
import { type ServerUnderTest, startServer, type Tenant } from "../ServerUnderTest.ts"
import { quantile } from "../Timing.ts"
import { idleness, untilIdle } from "../WorkCount.ts"
import { ROOMY_INBOX, SETTLED } from "./Ingestion.ts"

const CONNECTIONS = 64
/** Loads of one workspace and of all, in turn. */
const ROUNDS = 3
/** Of one workspace's rate. */
const SHARE = 0.7
/** Milliseconds. */
const MOST_UNTIL_HASH = 1_000
/** Events of each workspace whose bytes are counted. */
const EVENTS_EACH = 2_000
const MOST_BYTES = 1_500

/** The rate of each, and the events seen meanwhile when all are written to. */
const measureRates = async (
  cairn: ServerUnderTest,
  one: Tenant,
  all: ReadonlyArray<Tenant>,
  seconds: number
) => {
  const target = {
    url: `${cairn.baseUrl}/api/v1/events`,
    connections: CONNECTIONS,
    batch: 1,
    rate: 0
  }
  const [few, many] = [[one.key], all.map(({ key }) => key)]
  // Each key once, and whatever a workspace needs at first: until a load has come to all of them.
  while ((await load({ ...target, keys: many, seconds })).accepted < many.length);
  const rates = { one: [] as Array<number>, all: [] as Array<number> }
  const seen: Array<number> = []
  /** The probe is beside both, because it takes its share of the cores. */
  const probed = async (keys: ReadonlyArray<string>) => {
    let over = false
    const loading = load({ ...target, keys, seconds }).finally(() => {
      over = true
    })
    const [{ perSecond }, { chained }] = await Promise.all([loading, probe(cairn, one, () => over)])
    return { perSecond, chained }
  }
  for (let round = 0; round < ROUNDS; round++) {
    rates.one.push((await probed(few)).perSecond)
    const { perSecond, chained } = await probed(many)
    rates.all.push(perSecond)
    seen.push(...chained)
  }
  return { one: quantile(rates.one, 0.5), all: quantile(rates.all, 0.5), seen }
}

/** Rows of all written to at once. */
const writtenAtOnce = async ({ server, settings }: Bench): Promise<ReadonlyArray<Row>> => {
  const database = await server.newDatabase()
  const tenants = await manyTenants(database, settings.workspaces)
  const [one] = tenants
  if (one === undefined) return []
  const cairn = await startServer(database, ROOMY_INBOX)
  const rates = await measureRates(cairn, one, tenants, settings.seconds)
  await cairn.stop()
  await database.remove()
  const what = `${settings.workspaces} workspaces written at once`
  return [
    ratioRow({
      number: "1",
      what: `single events, ${what}, against one`,
      database: server.product,
      limit: rates.one,
      measured: rates.all,
      unit: "/s",
      atLeast: SHARE
    }),
    boundedRow({
      number: "4",
      what: `from 202 to a visible hash, p99, ${what}`,
      database: server.product,
      measured: quantile(rates.seen, 0.99),
      unit: "ms",
      atMost: MOST_UNTIL_HASH,
      note: `p50 ${figure(quantile(rates.seen, 0.5))} ms, ${rates.seen.length} events`
    })
  ]
}

/** The row of their bytes, of all files after a clean stop of the server that took them. */
const bytes = async ({ server, settings }: Bench): Promise<Row> => {
  const database = await server.newDatabase()
  const keys = (await manyTenants(database, settings.workspaces)).map(({ key }) => key)
  const cairn = await startServer(database, ROOMY_INBOX)
  const workers = { server: cairn.pid, database: database.processes }
  await sleep(SETTLED)
  const idle = await idleness(workers)
  const url = `${cairn.baseUrl}/api/v1/events/batch`
  const before = await chained(database)
  let sent = 0
  while (sent < settings.workspaces * EVENTS_EACH)
    sent += (await load({ url, keys, connections: 8, batch: 100, rate: 0, seconds: 1 })).accepted
  await untilChained(database, before + sent)
  await untilIdle(workers, idle)
  await cairn.stop()
  const events = await chained(database)
  await database.settle()
  const { log, search } = await database.size()
  await database.remove()
  return boundedRow({
    number: "13",
    what: `bytes an event, all files after a clean stop, ${keys.length} workspaces of ${EVENTS_EACH} events`,
    database: server.product,
    measured: (log + search) / events,
    unit: "B",
    atMost: MOST_BYTES,
    note: `the search index ${figure(search / events)} B of them`
  })
}

/** Measures them. */
export const manyWorkspaces = async (bench: Bench): Promise<ReadonlyArray<Row>> => [
  ...(await writtenAtOnce(bench)),
  await bytes(bench)
]
