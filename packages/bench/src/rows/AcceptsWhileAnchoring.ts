/** How accepts slow down while a long period is closed and anchored. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Bench } from "../Bench.ts"
import { besideRow, loadBeside } from "../LoadBeside.ts"
import type { Row } from "../Row.ts"
import { cairn, startServer } from "../ServerUnderTest.ts"
import { timed } from "../Timing.ts"

/**
 * Seconds of a load: about as long as the anchoring, so that what it does to some requests shows in the p99
 * of all.
 */
const SECONDS = 4
/** Milliseconds after which the load surely runs. */
const LEAD = 1_000

/** Measures it, on a log of its own: a log's events can be anchored once. */
export const acceptsWhileAnchoring = async ({
  server,
  logs,
  settings: { events }
}: Bench): Promise<ReadonlyArray<Row>> => {
  const log = await logs.of(server, events, "anchored under load")
  const { key: admin } = JSON.parse(cairn(log.database, "key", "create", "--scopes", "admin", "--json"))
  const running = await startServer(log.database)
  const anchor = async (): Promise<number> => {
    const headers = { Authorization: `Bearer ${admin}` }
    const answer = await fetch(`${running.baseUrl}/api/v1/anchors`, { method: "POST", headers })
    const { data } = JSON.parse(await answer.text())
    return Number(data?.events_count)
  }
  const loads = await loadBeside(running, { key: log.key, seconds: SECONDS }, async () => {
    await sleep(LEAD)
    return timed(anchor)
  })
  await running.stop()
  const [anchored, millis] = loads.result
  return [
    besideRow(loads, {
      number: "18",
      database: server.product,
      beside: `${events} events are anchored`,
      done: anchored >= events,
      note: `anchored in ${(millis / 1000).toFixed(1)} s`
    })
  ]
}
