/** Row 9: `search` for a rare and for a common term. */
import type { Bench } from "../Bench.ts"
import { getter } from "../Get.ts"
import { COMMON_TERM, RARE_TERM } from "../OrdinaryEvent.ts"
import { boundedRow, type Row } from "../Row.ts"
import { startServer } from "../ServerUnderTest.ts"
import { durations, quantile, timed } from "../Timing.ts"

const REQUESTS = 100
const WARM_UP = 5
/** Milliseconds. */
const PATIENCE = 100

/** Measures them, total warm. */
export const searches = async ({ server, logs, settings }: Bench): Promise<ReadonlyArray<Row>> => {
  const log = await logs.of(server, settings.events)
  const cairn = await startServer(log.database)
  const get = getter(cairn, log)
  const rows: Array<Row> = []
  for (const [kind, term] of [
    ["rare", RARE_TERM],
    ["common", COMMON_TERM]
  ] as const) {
    const path = `/events?search=${term}`
    const [answer, cold] = await timed(async () => {
      // A list would not wait for its total longer than ten seconds.
      await get(`/events/count?search=${term}`)
      return get(path)
    })
    const samples = await durations(REQUESTS, () => get(path), WARM_UP)
    rows.push(
      boundedRow({
        number: "9",
        what: `search for a ${kind} term in ${log.events} events, p99`,
        database: server.product,
        measured: quantile(samples, 0.99),
        unit: "ms",
        atMost: PATIENCE,
        note: `${JSON.parse(answer).pagination.total} match; p50 ${quantile(samples, 0.5).toFixed(1)} ms; the first time ${cold.toFixed(0)} ms, with the total`
      })
    )
  }
  await cairn.stop()
  return rows
}
