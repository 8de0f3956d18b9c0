/** How accepts slow down during a long verification. */
import type { Bench } from "../Bench.ts"
import { getter } from "../Get.ts"
import { besideRow, loadBeside } from "../LoadBeside.ts"
import type { Row } from "../Row.ts"
import { startServer } from "../ServerUnderTest.ts"

/** Events of one verification, unless a smaller bench is asked for. */
const EVENTS = 100_000

/** Measures it: one verification after the other for as long as the load lasts. */
export const acceptsWhileVerifying = async ({
  server,
  logs,
  settings: { seconds, events }
}: Bench): Promise<ReadonlyArray<Row>> => {
  const verified = Math.min(EVENTS, events)
  const log = await logs.of(server, verified)
  const cairn = await startServer(log.database)
  const get = getter(cairn, log)
  const loads = await loadBeside(cairn, { key: log.key, seconds }, async (loading) => {
    let count = 0
    let valid = true
    while (loading()) {
      const { data } = JSON.parse(await get(`/verify?limit=${verified}`))
      valid = valid && data.valid
      count++
    }
    return { count, valid }
  })
  await cairn.stop()
  return [
    besideRow(loads, {
      number: "16",
      database: server.product,
      beside: `${verified} events are verified`,
      done: loads.result.valid,
      note: `${loads.result.count} verifications`
    })
  ]
}
