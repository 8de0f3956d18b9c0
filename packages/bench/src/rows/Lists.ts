/**
 * Row 8: pages of `GET /events` by each filter, near the end of the log and deep in it, on logs of different
 * sizes.
 */

import { Micros } from "@cairn/core/encoding"
import type { EventFilter } from "@cairn/core/event"
import { Cursor, EventLog } from "@cairn/core/log"
import { Effect } from "effect"
import type { Bench } from "../Bench.ts"
import type { FilledLog } from "../FilledLog.ts"
import { type Get, GIVE_UP, getter, NoAnswer } from "../Get.ts"
import { ordinaryBody } from "../OrdinaryEvent.ts"
import { boundedRow, type Row } from "../Row.ts"
import { startServer } from "../ServerUnderTest.ts"
import { durations, quantile, timed } from "../Timing.ts"

/** The small log. */
const FEW = 10_000
/** The large one. */
const MANY = 10_000_000
/** Events of a page, as they are unless asked otherwise. */
const PAGE = 25
/** The deep page, or the last one if there are fewer pages. */
const DEEP = 1_000
const REQUESTS = 200
const WARM_UP = 20
/** Milliseconds. */
const PATIENCE = 25
/** By how much a page of a large log may cost more than one of the small log. */
const SLOPE = 2
/** The first workspace of a database. */
const WORKSPACE = 1

/** A query, as a client writes it and as the store takes it. */
interface Query {
  readonly what: string
  readonly parameters: Readonly<Record<string, string>>
  readonly filter: EventFilter
}

/** An event whose session and target no other has. */
const some = ordinaryBody(FEW / 2)
const target = some.targets[0]?.id ?? ""

const queries = (from: Micros.Micros): ReadonlyArray<Query> => [
  { what: "no filter", parameters: {}, filter: {} },
  { what: "action", parameters: { action: "ticket.assigned" }, filter: { action: "ticket.assigned" } },
  { what: "action by prefix", parameters: { action: "ticket.*" }, filter: { action: "ticket.*" } },
  { what: "actor_id", parameters: { actor_id: "user_700" }, filter: { actorId: "user_700" } },
  { what: "resource", parameters: { resource: "device" }, filter: { resource: "device" } },
  { what: "resource_id", parameters: { resource_id: "ticket_7" }, filter: { resourceId: "ticket_7" } },
  { what: "tenant_id", parameters: { tenant_id: "org_3" }, filter: { tenantId: "org_3" } },
  { what: "session_id", parameters: { session_id: some.session_id }, filter: { sessionId: some.session_id } },
  { what: "target_type", parameters: { target_type: "refund" }, filter: { targetType: "refund" } },
  { what: "target_id", parameters: { target_id: target }, filter: { targetId: target } },
  { what: "from", parameters: { from: Micros.format(from) }, filter: { from } },
  {
    what: "action by prefix, tenant_id and target_type together",
    parameters: { action: "ticket.*", tenant_id: "org_3", target_type: "refund" },
    filter: { action: "ticket.*", tenantId: "org_3", targetType: "refund" }
  }
]

/** How a page went, in milliseconds. */
interface Latency {
  readonly p50: number
  readonly p99: number
}

const latency = async (task: () => unknown): Promise<Latency> => {
  const samples = await durations(REQUESTS, task, WARM_UP)
  return { p50: quantile(samples, 0.5), p99: quantile(samples, 0.99) }
}

/** How a query went on one log. */
interface Measured {
  readonly events: number
  /** Events that it selects. */
  readonly total: number
  /** Milliseconds of the first page ever, which counts all that it selects. */
  readonly cold: number
  readonly first: Latency
  readonly deep: Latency
  readonly deepPage: number
}

/** The cursor behind which a page begins, and the page's number. */
const deepCursor = async ({ database, workspaceId }: FilledLog, filter: EventFilter) => {
  const before = await Effect.runPromise(
    Effect.flatMap(EventLog, (log) =>
      log.page(workspaceId, { filter, before: null, limit: (DEEP - 1) * PAGE })
    ).pipe(Effect.provide(database.storage))
  )
  const page = Math.max(1, Math.ceil(before.length / PAGE) - (before.length < (DEEP - 1) * PAGE ? 1 : 0))
  const last = before[page * PAGE - 1] ?? before.at(-1)
  return { page: page + 1, cursor: last === undefined ? "" : Cursor.encode(last.createdAt) }
}

const measureQuery = async (log: FilledLog, get: Get, { parameters, filter }: Query): Promise<Measured> => {
  const text = new URLSearchParams(parameters).toString()
  const [answer, cold] = await timed(async () => {
    // A list would not wait for its total longer than ten seconds.
    await get(`/events/count?${text}`)
    return get(`/events?${text}`)
  })
  const { total } = JSON.parse(answer).pagination
  const { page, cursor } = await deepCursor(log, filter)
  return {
    events: log.events,
    total,
    cold,
    first: await latency(() => get(`/events?${text}`)),
    deep: await latency(() => get(`/events?${text}&cursor=${cursor}`)),
    deepPage: page
  }
}

/** A query that the server does not finish in time. */
const unanswered = ({ events }: FilledLog): Measured => {
  const never: Latency = { p50: GIVE_UP, p99: GIVE_UP }
  return { events, total: 0, cold: GIVE_UP, first: never, deep: never, deepPage: 0 }
}

/** Starts a server whose reading code is warm, and whose totals are cold. */
const startWarm = async (log: FilledLog) => {
  const cairn = await startServer(log.database)
  const get = getter(cairn, log)
  await durations(WARM_UP, (run) => get(`/events?action=none.${run}`))
  return { cairn, get }
}

/** All queries on one log, and the same page by primary key with the bare driver. */
const measureLog = async (log: FilledLog) => {
  const { query } = log.database
  const [middle] = await query(`SELECT created_at FROM event WHERE sequence = ${Math.floor(log.events / 2)}`)
  const all = queries(Number(middle?.created_at))
  const end = log.events - Math.min(DEEP * PAGE, log.events / 2)
  const page = `SELECT * FROM event WHERE workspace = ${WORKSPACE} AND sequence < ${end} ORDER BY sequence DESC LIMIT ${PAGE + 1}`
  const bare = await latency(() => query(page))
  let { cairn, get } = await startWarm(log)
  const measured = new Map<string, Measured>()
  for (const one of all) {
    try {
      measured.set(one.what, await measureQuery(log, get, one))
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      measured.set(one.what, unanswered(log))
      await cairn.kill()
      ;({ cairn, get } = await startWarm(log))
    }
  }
  await cairn.stop()
  return { events: log.events, bare, measured }
}

const exponent = (events: number): string =>
  Number.isInteger(Math.log10(events)) ? `10^${Math.log10(events)}` : String(events)

const growth = (small: Latency, large: Latency): number => large.p50 / small.p50

/** The row of one query, over all sizes. */
const rowOf = (
  what: string,
  logs: ReadonlyArray<Awaited<ReturnType<typeof measureLog>>>,
  database: Bench["server"]["product"]
): ReadonlyArray<Row> => {
  const all = logs.flatMap(({ measured }) => measured.get(what) ?? [])
  const [small, large] = [all.at(0), all.at(-1)]
  if (small === undefined || large === undefined) return []
  const worst = Math.max(...all.flatMap(({ first, deep }) => [first.p99, deep.p99]))
  // A deep page of a small log may not be there: its last page is the other of the two.
  const slope = Math.max(growth(small.first, large.first), growth(small.deep, large.deep))
  const sizes = all.map(
    ({ events, first, deep, deepPage }) =>
      `${exponent(events)}: first page ${first.p99.toFixed(1)}, page ${deepPage} ${deep.p99.toFixed(1)}`
  )
  return [
    {
      number: "8",
      what: `page by ${what}, p99, the slowest of all`,
      database,
      limit: logs.at(-1)?.bare.p99 ?? 0,
      measured: worst,
      unit: "ms",
      target: `≤ ${PATIENCE} ms; ≤ ${SLOPE} × the cost at ${exponent(FEW)}`,
      met: worst <= PATIENCE && slope <= SLOPE,
      note: `selects 1 in ${(small.events / Math.max(1, small.total)).toFixed(1)}; ${sizes.join("; ")}; ${slope.toFixed(1)} × the median at ${exponent(small.events)}`
    }
  ]
}

/** Measures them, total warm, and the totals when they are cold. */
export const lists = async ({ server, logs, settings }: Bench): Promise<ReadonlyArray<Row>> => {
  const sizes = [FEW, settings.events, ...(settings.large ? [MANY] : [])]
  const all: Array<Awaited<ReturnType<typeof measureLog>>> = []
  for (const size of sizes) all.push(await measureLog(await logs.of(server, size)))
  const names = queries(0).map(({ what }) => what)
  const cold = all.slice(1).map(({ events, measured }): Row => {
    const costs = [...measured].toSorted(([, one], [, other]) => other.cold - one.cold)
    return {
      ...boundedRow({
        number: "8",
        what: `the first page of a query at ${exponent(events)}, its total cold, the slowest filter`,
        database: server.product,
        measured: costs[0]?.[1].cold ?? 0,
        unit: "ms",
        atMost: Number.POSITIVE_INFINITY,
        note: costs.map(([what, { cold }]) => `${what} ${cold.toFixed(0)}`).join("; ")
      }),
      target: "said"
    }
  })
  return [...names.flatMap((what) => rowOf(what, all, server.product)), ...cold]
}
