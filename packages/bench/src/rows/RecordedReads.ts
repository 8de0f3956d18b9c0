/**
 * Row 21: what recording who reads costs a read, in processor time of the server. Two workspaces of one
 * server have the same events; what the key of one reads is recorded. Blocks of reads alternate between the
 * two, so that whatever slows the machine for a while slows both.
 */
import type { Bench } from "../Bench.ts"
import { type Get, getter } from "../Get.ts"
import { ordinaryBody } from "../OrdinaryEvent.ts"
import { boundedRow, figure, type Row } from "../Row.ts"
import {
  cairn as command,
  newTenant,
  type ServerUnderTest,
  startServer,
  type Tenant
} from "../ServerUnderTest.ts"
import { quantile } from "../Timing.ts"

/** Events of each log. */
const EVENTS = 1_000
const BATCH = 100
/** Of two blocks each, the recorded one first in every other pair. */
const PAIRS = 400
/** Pairs that are not counted. */
const WARM_UP = 50
/** Of a block: few, so that the two of a pair are close to each other. */
const READS = 20
/** Percent that recording may cost. */
const MOST = 5

/** From the dearest, where the cost matters least, to one of the cheapest. */
const KINDS = [
  { what: "a page of 50 events", path: "/events?limit=50" },
  { what: "a count of events", path: "/events/count" }
] as const

/** How many events of a log match. */
const count = async (get: Get, query = ""): Promise<number> =>
  JSON.parse(await get(`/events/count${query}`)).data.total

/** Fills a log, and waits until the chain has it. */
const fill = async ({ baseUrl }: ServerUnderTest, { key }: Tenant, get: Get): Promise<void> => {
  // The first read of the hour, so that its event is below all that a page shows.
  const before = await count(get)
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
  for (let first = 0; first < EVENTS; first += BATCH) {
    const events = Array.from({ length: BATCH }, (_, index) => ordinaryBody(first + index))
    const body = JSON.stringify({ events })
    const response = await fetch(`${baseUrl}/api/v1/events/batch`, { method: "POST", headers, body })
    if (response.status !== 202) throw new Error(`a batch was answered ${response.status}`)
    await response.text()
  }
  while ((await count(get)) < before + EVENTS) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Measures one pair of blocks after the other: microseconds a read without recording, percent more with. */
const compare = async (
  { processorMillis }: ServerUnderTest,
  path: string,
  plain: Get,
  recorded: Get
): Promise<{ readonly micros: number; readonly percent: ReadonlyArray<number> }> => {
  const block = async (get: Get): Promise<number> => {
    const begun = processorMillis()
    for (let read = 0; read < READS; read++) await get(path)
    return ((processorMillis() - begun) * 1000) / READS
  }
  const without: Array<number> = []
  const percent: Array<number> = []
  for (let pair = -WARM_UP; pair < PAIRS; pair++) {
    const isPlainFirst = pair % 2 === 0
    const one = await block(isPlainFirst ? plain : recorded)
    const other = await block(isPlainFirst ? recorded : plain)
    if (pair < 0) continue
    const [off, on] = isPlainFirst ? [one, other] : [other, one]
    without.push(off)
    percent.push((on / off - 1) * 100)
  }
  return { micros: quantile(without, 0.5), percent }
}

/** Where the samples lie between which the true median is, 95 times of 100. */
const SPREAD = 0.98 / Math.sqrt(PAIRS)

const signed = (percent: number): string => `${percent < 0 ? "−" : "+"}${Math.abs(percent).toFixed(1)}`

/** Measures it, for a read that costs much and for one that costs little. */
export const recordedReads = async ({ server }: Bench): Promise<ReadonlyArray<Row>> => {
  const database = await server.newDatabase()
  const [off, on] = [newTenant(database, "Off"), newTenant(database, "On")]
  command(database, "workspace", "update", "--workspace", on.workspaceId, "--key-access-events", "on")
  const cairn = await startServer(database)
  const [plain, recorded] = [getter(cairn, off), getter(cairn, on)]
  await fill(cairn, off, plain)
  await fill(cairn, on, recorded)
  const rows: Array<Row> = []
  for (const { what, path } of KINDS) {
    const { micros, percent } = await compare(cairn, path, plain, recorded)
    const sure = [0.5 - SPREAD, 0.5 + SPREAD].map((share) => signed(quantile(percent, share))).join(" to ")
    rows.push(
      boundedRow({
        number: "21",
        what: `processor time of ${what}, more where reads are recorded`,
        database: server.product,
        measured: quantile(percent, 0.5),
        unit: "%",
        atMost: MOST,
        note: `${figure(micros)} µs without; the median of ${PAIRS} pairs, 95 % sure ${sure} %`
      })
    )
  }
  const own = await Promise.all([plain, recorded].map((get) => count(get, "?action=cairn.access.events")))
  await cairn.stop()
  await database.remove()
  if (own[0] !== 0 || own[1] === 0) throw new Error(`reads were recorded ${own.join(" and ")} times`)
  return rows
}
