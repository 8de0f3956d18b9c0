/** Rows 1 to 4 and 12: what a server takes over HTTP, how soon it is in the chain, and its memory. */
import { DatabaseSync } from "node:sqlite"
import { startBareServer } from "../BareServer.ts"
import { load } from "../Load.ts"
import { type Row, ratioRow, type Settings } from "../Row.ts"
import { sampleBody } from "../SampleEvent.ts"
import { type ServerUnderTest, startServer } from "../ServerUnderTest.ts"
import { bareInserts } from "./BareInserts.ts"

const MEBIBYTES_IDLE = 150
const MEBIBYTES_LOADED = 350

const chained = (filename: string): number => {
  const db = new DatabaseSync(filename, { readOnly: true })
  const row = db.prepare("SELECT max(sequence) AS n FROM head").get()
  db.close()
  return Number(row?.n ?? 0)
}

/** Waits until the chain has that many events; the seconds it took. */
const untilChained = async (filename: string, events: number): Promise<number> => {
  const begun = performance.now()
  while (chained(filename) < events) await new Promise((resolve) => setTimeout(resolve, 20))
  return (performance.now() - begun) / 1000
}

/** From `202` to a visible hash, in milliseconds, for single events sent one after the other beside the load. */
const sequencedLatencies = async (
  { baseUrl, key }: ServerUnderTest,
  seconds: number
): Promise<ReadonlyArray<number>> => {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
  const latencies: Array<number> = []
  const end = Date.now() + seconds * 1000
  while (Date.now() < end) {
    const response = await fetch(`${baseUrl}/api/v1/events`, {
      method: "POST",
      headers,
      body: JSON.stringify(sampleBody(0))
    })
    const { id } = JSON.parse(await response.text())
    const begun = performance.now()
    for (let done = false; !done; ) {
      const event = JSON.parse(await (await fetch(`${baseUrl}/api/v1/events/${id}`, { headers })).text())
      done = Boolean(event.integrity?.event_hash)
    }
    latencies.push(performance.now() - begun)
  }
  return latencies.sort((a, b) => a - b)
}

/** Measures them, one server after the other. */
export const httpRows = async ({ seconds }: Settings): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  const single = { key: "none", connections: 64, batch: 1, rate: 0 }
  const bare = await startBareServer()
  await load({ ...single, url: bare.url, seconds: 2 })
  const limit = await load({ ...single, url: bare.url, seconds })
  bare.stop()

  const server = await startServer()
  const idle = server.residentMebibytes()
  const url = `${server.baseUrl}/api/v1/events`
  const before = chained(server.filename)
  const warm = await load({ ...single, url, key: server.key, seconds: 2 })
  const singles = await load({ ...single, url, key: server.key, seconds })
  const behind = await untilChained(server.filename, before + warm.accepted + singles.accepted)
  rows.push(
    ratioRow({
      number: "1",
      what: "single events, 64 connections",
      limit: limit.perSecond,
      measured: singles.perSecond,
      unit: "/s",
      atLeast: 0.4,
      also: singles.p99 <= 25,
      note: `p99 ${singles.p99.toFixed(1)} ms, of the bare server ${limit.p99.toFixed(1)} ms; chain ${behind.toFixed(1)} s behind; ${singles.refused} refused`
    })
  )
  const [, latencies] = await Promise.all([
    load({ ...single, url, key: server.key, seconds, connections: 16, rate: singles.perSecond / 2 }),
    sequencedLatencies(server, seconds)
  ])
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? 0
  rows.push({
    number: "4",
    what: "from 202 to a visible hash, p50",
    measured: at(0.5),
    unit: "ms",
    target: "p50 ≤ 50 ms, p99 ≤ 250 ms",
    met: at(0.5) <= 50 && at(0.99) <= 250,
    note: `p99 ${at(0.99).toFixed(1)} ms`
  })
  rows.push({
    number: "12",
    what: "memory, idle",
    measured: idle,
    unit: "MiB",
    target: `≤ ${MEBIBYTES_IDLE} MiB`,
    met: idle <= MEBIBYTES_IDLE
  })
  const loaded = server.residentMebibytes()
  rows.push({
    number: "12",
    what: `memory under 1, after ${seconds * 2 + 2} s`,
    measured: loaded,
    unit: "MiB",
    target: `≤ ${MEBIBYTES_LOADED} MiB`,
    met: loaded <= MEBIBYTES_LOADED
  })
  await server.stop()

  const inserts = bareInserts()
  const bursts = await startServer({ CAIRN_INBOX_CAPACITY: "10000000" })
  const first = chained(bursts.filename)
  const begun = performance.now()
  const burst = await load({
    ...single,
    url: `${bursts.baseUrl}/api/v1/events/batch`,
    key: bursts.key,
    connections: 8,
    batch: 100,
    seconds
  })
  await untilChained(bursts.filename, first + burst.accepted)
  const sustained = burst.accepted / ((performance.now() - begun) / 1000)
  rows.push(
    ratioRow({
      number: "2",
      what: `${seconds} s of batches of 100, accepted`,
      limit: inserts,
      measured: burst.perSecond,
      unit: "/s",
      atLeast: 0.5
    }),
    ratioRow({
      number: "3",
      what: "the same, until the last is in the chain",
      limit: inserts,
      measured: sustained,
      unit: "/s",
      atLeast: 0.25,
      also: sustained >= 8_000
    })
  )
  await bursts.stop()
  return rows
}
