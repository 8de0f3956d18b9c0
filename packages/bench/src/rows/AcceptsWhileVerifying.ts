/** What accepts feel of a long verification. */
import type { Bench } from "../Bench.ts"
import { getter } from "../Get.ts"
import { load } from "../Load.ts"
import { boundedRow, type Row } from "../Row.ts"
import { startServer } from "../ServerUnderTest.ts"

/** Events of one verification, unless a smaller bench is asked for. */
const EVENTS = 100_000
/** Requests a second. */
const RATE = 500
const WARM_UP = 2
/** Milliseconds. */
const PATIENCE = 25

/** Measures it: one verification after the other for as long as the load lasts. */
export const acceptsWhileVerifying = async ({
  server,
  logs,
  settings: { seconds, events }
}: Bench): Promise<ReadonlyArray<Row>> => {
  const verified = Math.min(EVENTS, events)
  const log = await logs.of(server, verified)
  const cairn = await startServer(log.database)
  const target = {
    url: `${cairn.baseUrl}/api/v1/events`,
    key: log.key,
    connections: 16,
    batch: 1,
    rate: RATE,
    seconds
  }
  await load({ ...target, seconds: WARM_UP })
  const normal = await load(target)
  const get = getter(cairn, log)
  let verifications = 0
  let valid = true
  let loading = true
  const verifying = async () => {
    while (loading) {
      const { data } = JSON.parse(await get(`/verify?limit=${verified}`))
      valid = valid && data.valid
      verifications++
    }
  }
  const loaded = async () => {
    const result = await load(target)
    loading = false
    return result
  }
  const [pressed] = await Promise.all([loaded(), verifying()])
  await cairn.stop()
  const row = boundedRow({
    number: "16",
    what: `p99 of ${RATE} single events a second while ${verified} events are verified`,
    database: server.product,
    measured: pressed.p99,
    unit: "ms",
    atMost: PATIENCE,
    note: `${normal.p99.toFixed(1)} ms without; ${verifications} verifications; ${pressed.refused} refused`
  })
  return [{ ...row, met: row.met && valid && pressed.refused === 0 }]
}
