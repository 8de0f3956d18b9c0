/** What accepts feel of a long period that is closed and anchored. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Bench } from "../Bench.ts"
import { load } from "../Load.ts"
import { boundedRow, type Row } from "../Row.ts"
import { cairn, startServer } from "../ServerUnderTest.ts"
import { timed } from "../Timing.ts"

/** Requests a second. */
const RATE = 500
const WARM_UP = 2
/** Seconds of a load: about as long as the anchoring, so that what it does to some requests shows in the p99 of all. */
const SECONDS = 4
/** Milliseconds after which the load surely runs. */
const LEAD = 1_000
/** Milliseconds. */
const PATIENCE = 25

/** Measures it, on a log of its own: a log's events can be anchored once. */
export const acceptsWhileAnchoring = async ({
  server,
  logs,
  settings: { events }
}: Bench): Promise<ReadonlyArray<Row>> => {
  const log = await logs.of(server, events, "anchored under load")
  const { key: admin } = JSON.parse(cairn(log.database, "key", "create", "--scopes", "admin", "--json"))
  const running = await startServer(log.database)
  const target = {
    url: `${running.baseUrl}/api/v1/events`,
    key: log.key,
    connections: 16,
    batch: 1,
    rate: RATE,
    seconds: SECONDS
  }
  await load({ ...target, seconds: WARM_UP })
  const normal = await load(target)
  const anchor = async (): Promise<number> => {
    await sleep(LEAD)
    const headers = { Authorization: `Bearer ${admin}` }
    const answer = await fetch(`${running.baseUrl}/api/v1/anchors`, { method: "POST", headers })
    const { data } = JSON.parse(await answer.text())
    return Number(data?.events_count)
  }
  const [pressed, [anchored, millis]] = await Promise.all([load(target), timed(anchor)])
  await running.stop()
  const row = boundedRow({
    number: "18",
    what: `p99 of ${RATE} single events a second while ${events} events are anchored`,
    database: server.product,
    measured: pressed.p99,
    unit: "ms",
    atMost: PATIENCE,
    note: `${normal.p99.toFixed(1)} ms without; anchored in ${((millis - LEAD) / 1000).toFixed(1)} s; ${pressed.refused} refused`
  })
  return [{ ...row, met: row.met && anchored >= events && pressed.refused === 0 }]
}
