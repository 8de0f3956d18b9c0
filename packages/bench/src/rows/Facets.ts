/**
 * Row 8f: the most frequent values of a field, for suggestions, of the newest events and of those that a
 * filter selects.
 */
import { FACET_FIELDS, type Facets } from "@cairn/core/log"
import type { Bench } from "../Bench.ts"
import type { FilledLog } from "../FilledLog.ts"
import { type Get, getter } from "../Get.ts"
import { COMMON_TERM, RARE_TERM } from "../OrdinaryEvent.ts"
import { boundedRow, type Row } from "../Row.ts"
import { startServer } from "../ServerUnderTest.ts"
import { durations, quantile } from "../Timing.ts"

const MANY = 10_000_000
/** Milliseconds. */
const PATIENCE = 50
const REQUESTS = 100
const WARM_UP = 10

/** What the events have whose values are counted. */
const FILTERS: ReadonlyArray<readonly [what: string, parameters: Readonly<Record<string, string>>]> = [
  ["all events", {}],
  ["all events, values that begin like a text", { prefix: "a" }],
  ["all events, by when they occurred", { time: "occurred" }],
  ["a tenant's, of 300, by when they occurred", { time: "occurred", tenant_id: "org_150" }],
  ["a resource's type, which a tenth has", { resource: "contract" }],
  ["a tenant's, of 300", { tenant_id: "org_150" }],
  ["an actor, of 5,000", { actor_id: "user_2500" }],
  ["a term that a tenth has", { search: COMMON_TERM }],
  ["a term that few have", { search: RARE_TERM }]
]

/** What was measured of one question. */
interface Asked {
  readonly field: string
  readonly p50: number
  readonly p99: number
  readonly facets: Facets
}

const ask = async (get: Get, field: string, parameters: Readonly<Record<string, string>>): Promise<Asked> => {
  const path = `/events/facets?${new URLSearchParams({ field, ...parameters })}`
  const samples = await durations(REQUESTS, () => get(path), WARM_UP)
  const { data } = JSON.parse(await get(path))
  return { field, p50: quantile(samples, 0.5), p99: quantile(samples, 0.99), facets: data }
}

const said = ({ field, p50, p99, facets: { events, complete } }: Asked): string =>
  `${field} ${p50.toFixed(1)}/${p99.toFixed(1)} ms of ${events}${complete ? "" : "+"}`

const measureLog = async (
  log: FilledLog,
  database: Bench["server"]["product"]
): Promise<ReadonlyArray<Row>> => {
  const cairn = await startServer(log.database)
  const get = getter(cairn, log)
  const rows: Array<Row> = []
  for (const [what, parameters] of FILTERS) {
    const all: Array<Asked> = []
    for (const field of FACET_FIELDS) all.push(await ask(get, field, parameters))
    const slowest = all.toSorted((one, other) => other.p99 - one.p99)
    rows.push(
      boundedRow({
        number: "8f",
        what: `most frequent values among ${log.events} events: of ${what}; p99, the slowest field`,
        database,
        measured: slowest[0]?.p99 ?? 0,
        unit: "ms",
        atMost: PATIENCE,
        note: `p50/p99: ${slowest.map(said).join("; ")}`
      })
    )
  }
  await cairn.stop()
  return rows
}

/** Measures them, one request after the other, with nothing else to do. */
export const facets = async ({ server, logs, settings }: Bench): Promise<ReadonlyArray<Row>> => {
  const sizes = [settings.events, ...(settings.large ? [MANY] : [])]
  const rows: Array<Row> = []
  for (const size of sizes) rows.push(...(await measureLog(await logs.of(server, size), server.product)))
  return rows
}
