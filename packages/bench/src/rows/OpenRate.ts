/**
 * Rows 1 and 4 at an open rate: requests come at 0.8 of the rate that the server takes when each connection
 * waits for its answer, whether earlier ones are answered or not.
 */
import type { Bench } from "../Bench.ts"
import { load } from "../Load.ts"
import { probe } from "../Probe.ts"
import { boundedRow, figure, type Row } from "../Row.ts"
import { newTenant, startServer } from "../ServerUnderTest.ts"
import { quantile } from "../Timing.ts"

const SHARE = 0.8
const CONNECTIONS = 64
const WARM_UP = 6
/** Milliseconds that 99 of 100 requests may take, from when each was due. */
const MOST = 15
/** Milliseconds after which an event must have its hash and be found, throughout. */
const MOST_BEHIND = 1_000

/** Measures them. */
export const openRate = async ({ server, settings: { seconds } }: Bench): Promise<ReadonlyArray<Row>> => {
  const { product } = server
  const database = await server.newDatabase()
  const tenant = newTenant(database)
  const cairn = await startServer(database)
  const target = {
    url: `${cairn.baseUrl}/api/v1/events`,
    keys: [tenant.key],
    connections: CONNECTIONS,
    batch: 1
  }
  await load({ ...target, seconds: WARM_UP, rate: 0 })
  const closed = await load({ ...target, seconds, rate: 0 })
  let over = false
  const pressing = load({ ...target, seconds, rate: SHARE * closed.perSecond }).finally(() => {
    over = true
  })
  const [open, seen] = await Promise.all([pressing, probe(cairn, tenant, () => over, true)])
  await cairn.stop()
  await database.remove()
  const rate = `${figure(open.perSecond)} /s, of ${figure(closed.perSecond)} /s closed`
  const behind = (samples: ReadonlyArray<number>, what: string): Row =>
    boundedRow({
      number: "4",
      what: `from 202 until an event ${what}, the longest, at an open rate`,
      database: product,
      measured: quantile(samples, 1),
      unit: "ms",
      atMost: MOST_BEHIND,
      note: `p50 ${figure(quantile(samples, 0.5))} ms, ${samples.length} events`
    })
  return [
    boundedRow({
      number: "1",
      what: `single events at an open rate of ${SHARE} of the closed one, p99 from when each was due`,
      database: product,
      measured: open.p99,
      unit: "ms",
      atMost: MOST,
      note: `p50 ${figure(open.p50)} ms; ${rate}; ${open.refused} refused`
    }),
    behind(seen.chained, "has its hash"),
    behind(seen.found, "is found by search")
  ]
}
