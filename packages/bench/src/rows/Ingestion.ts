/** Rows 1 to 4 and 12: what a server takes over HTTP, how soon it is in the chain, and its memory. */

import { startBareServer } from "../BareServer.ts"
import type { Bench } from "../Bench.ts"
import { chained, type LogDatabase, untilChained } from "../databases/LogDatabase.ts"
import { load } from "../Load.ts"
import { ordinaryBody } from "../OrdinaryEvent.ts"
import { boundedRow, type Row, ratioRow } from "../Row.ts"
import { newTenant, type ServerUnderTest, startServer, type Tenant } from "../ServerUnderTest.ts"
import { quantile } from "../Timing.ts"

const MEBIBYTES_IDLE = 150
const MEBIBYTES_LOADED = 350
/**
 * Seconds until a server has compiled what it runs most: until then its compiler takes a fifth of a
 * processor.
 */
export const WARM_UP = 6
/** Milliseconds after its start by which it has given back what starting took. */
export const SETTLED = 5_000
/** Row 1, of the bare server. */
const SHARE_OF_SINGLES = { SQLite: 0.4, PostgreSQL: 0.3 }

const single = { keys: ["none"], connections: 64, batch: 1, rate: 0 }

/**
 * From `202` to a visible hash, in milliseconds, for single events sent one after the other beside the load.
 */
const sequencedLatencies = async (
  { baseUrl }: ServerUnderTest,
  { key }: Tenant,
  seconds: number
): Promise<ReadonlyArray<number>> => {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
  const latencies: Array<number> = []
  const end = Date.now() + seconds * 1000
  while (Date.now() < end) {
    const response = await fetch(`${baseUrl}/api/v1/events`, {
      method: "POST",
      headers,
      body: JSON.stringify(ordinaryBody(0))
    })
    const { id } = JSON.parse(await response.text())
    const begun = performance.now()
    for (let done = false; !done; ) {
      const event = JSON.parse(await (await fetch(`${baseUrl}/api/v1/events/${id}`, { headers })).text())
      done = Boolean(event.integrity?.event_hash)
    }
    latencies.push(performance.now() - begun)
  }
  return latencies
}

/** Rows 1, 4 and 12: single events. */
const singles = async ({ settings: { seconds }, server }: Bench): Promise<ReadonlyArray<Row>> => {
  const bare = await startBareServer()
  await load({ ...single, url: bare.url, seconds: WARM_UP })
  const limit = await load({ ...single, url: bare.url, seconds })
  bare.stop()

  const { product } = server
  const database = await server.newDatabase()
  const tenant = newTenant(database)
  const cairn = await startServer(database)
  await new Promise((resolve) => setTimeout(resolve, SETTLED))
  const idle = cairn.residentMebibytes()
  const target = { ...single, url: `${cairn.baseUrl}/api/v1/events`, keys: [tenant.key] }
  const before = await chained(database)
  const warm = await load({ ...target, seconds: WARM_UP })
  const taken = await load({ ...target, seconds })
  const behind = await untilChained(database, before + warm.accepted + taken.accepted)
  const half = taken.perSecond / 2
  const [, latencies] = await Promise.all([
    load({ ...target, seconds, connections: 16, rate: half }),
    sequencedLatencies(cairn, tenant, seconds)
  ])
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)]
  const loaded = cairn.residentMebibytes()
  await cairn.stop()
  await database.remove()
  return [
    ratioRow({
      number: "1",
      what: "single events, 64 connections; p99 ≤ 25 ms",
      database: product,
      limit: limit.perSecond,
      measured: taken.perSecond,
      unit: "/s",
      atLeast: SHARE_OF_SINGLES[product],
      also: taken.p99 <= 25,
      note: `p99 ${taken.p99.toFixed(1)} ms, of the bare server ${limit.p99.toFixed(1)} ms; chain ${behind.toFixed(1)} s behind; ${taken.refused} refused`
    }),
    {
      number: "4",
      what: "from 202 to a visible hash, p50",
      database: product,
      measured: p50,
      unit: "ms",
      target: "p50 ≤ 50 ms, p99 ≤ 250 ms",
      met: p50 <= 50 && p99 <= 250,
      note: `p99 ${p99.toFixed(1)} ms, at ${Math.round(half)} /s`
    },
    boundedRow({
      number: "12",
      what: "memory, idle",
      database: product,
      measured: idle,
      unit: "MiB",
      atMost: MEBIBYTES_IDLE
    }),
    boundedRow({
      number: "12",
      what: `memory under 1, after ${seconds * 2 + WARM_UP} s`,
      database: product,
      measured: loaded,
      unit: "MiB",
      atMost: MEBIBYTES_LOADED
    })
  ]
}

/** What a burst of batches came to. */
interface Burst {
  /** Events a second, accepted. */
  readonly accepted: number
  /** Events a second, until the last one was in the chain. */
  readonly sustained: number
  readonly events: number
}

/** Sends batches of 100 for this long, and waits until the last event is in the chain. */
export const burst = async (
  database: LogDatabase,
  cairn: ServerUnderTest,
  { key }: Tenant,
  seconds: number
): Promise<Burst> => {
  const first = await chained(database)
  const begun = performance.now()
  const sent = await load({
    ...single,
    url: `${cairn.baseUrl}/api/v1/events/batch`,
    keys: [key],
    connections: 8,
    batch: 100,
    seconds
  })
  await untilChained(database, first + sent.accepted)
  const sustained = sent.accepted / ((performance.now() - begun) / 1000)
  return { accepted: sent.perSecond, sustained, events: sent.accepted }
}

/** Room for what a burst leaves behind. */
export const ROOMY_INBOX = { CAIRN_INBOX_CAPACITY: "10000000" }

/** Rows 2 and 3: batches. */
const batches = async ({ settings: { seconds }, server }: Bench): Promise<ReadonlyArray<Row>> => {
  const { product } = server
  const limit = await server.bareInserts()
  const database = await server.newDatabase()
  const tenant = newTenant(database)
  const cairn = await startServer(database, ROOMY_INBOX)
  const { accepted, sustained } = await burst(database, cairn, tenant, seconds)
  await cairn.stop()
  await database.remove()
  return [
    ratioRow({
      number: "2",
      what: `${seconds} s of batches of 100, accepted`,
      database: product,
      limit,
      measured: accepted,
      unit: "/s",
      atLeast: 0.5
    }),
    ratioRow({
      number: "3",
      what: "the same, until the last is in the chain; ≥ 8,000 /s",
      database: product,
      limit,
      measured: sustained,
      unit: "/s",
      atLeast: 0.25,
      also: sustained >= 8_000
    })
  ]
}

/** Measures them, one server after the other. */
export const ingestion = async (bench: Bench): Promise<ReadonlyArray<Row>> => [
  ...(await singles(bench)),
  ...(await batches(bench))
]
