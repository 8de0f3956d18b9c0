/** Row 9: the first page of a search with its exact total, of terms that few, many and all events have. */
import type { Bench } from "../Bench.ts"
import { getter } from "../Get.ts"
import { COMMON_TERM, RARE_TERM } from "../OrdinaryEvent.ts"
import { boundedRow, type Row } from "../Row.ts"
import { startServer } from "../ServerUnderTest.ts"
import { quantile, timed } from "../Timing.ts"

/** A term, how many events have it, and the milliseconds that its first page may take. */
const TERMS = [
  { term: RARE_TERM, who: "few events", most: 50 },
  { term: COMMON_TERM, who: "a tenth", most: 300 },
  { term: "status", who: "all", most: 1_000 },
  { term: "qui", who: "some, of three characters,", most: 1_000 }
]
/** Each in a server that was just started: no total is known, and none of the log is in its memory. */
const RUNS = 3

/** Measures them, in the median of the runs. */
export const searches = async ({ server, logs, settings }: Bench): Promise<ReadonlyArray<Row>> => {
  const log = await logs.of(server, settings.events)
  const samples = TERMS.map(() => [] as Array<number>)
  const totals = TERMS.map(() => 0)
  for (let run = 0; run < RUNS; run++) {
    const cairn = await startServer(log.database)
    const get = getter(cairn, log)
    // The reading code is compiled by a search that finds nothing.
    await get("/events/count?search=nothing-has-this")
    for (const [at, { term }] of TERMS.entries()) {
      const [answer, millis] = await timed(async () => {
        // A list would not wait for its total longer than ten seconds.
        const { data } = JSON.parse(await get(`/events/count?search=${term}`))
        await get(`/events?search=${term}`)
        return data.total
      })
      samples[at]?.push(millis)
      totals[at] = answer
    }
    await cairn.stop()
  }
  return TERMS.map(({ who, most }, at) =>
    boundedRow({
      number: "9",
      what: `search for a term that ${who} of ${log.events} events have, first page with its exact total, cold`,
      database: server.product,
      measured: quantile(samples[at] ?? [], 0.5),
      unit: "ms",
      atMost: most,
      note: `${totals[at]} match`
    })
  )
}
