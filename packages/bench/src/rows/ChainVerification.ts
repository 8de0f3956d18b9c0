/** Rows 6, 10 and 13: verification, exact totals, and bytes on disk, on one log. */
import { Sha256 } from "@cairn/core/hashing"
import { EventCounts, EventLog, EventReader } from "@cairn/core/log"
import { ChainVerifier } from "@cairn/core/verification"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { Bench } from "../Bench.ts"
import type { FilledLog } from "../FilledLog.ts"
import { boundedRow, type Row, ratioRow } from "../Row.ts"
import { bestOf, timed } from "../Timing.ts"

/** Events of the log, unless a smaller bench is asked for; a fifth of them is verified. */
const EVENTS = 50_000
const VERIFIED_SHARE = 5
/** Events of a page. */
const PAGE = 25
/** The first workspace of a database. */
const WORKSPACE = 1

/** Row 6. */
const verification = async (
  { database, workspaceId, events }: FilledLog,
  run: <A>(effect: Effect.Effect<A, unknown, ChainVerifier>) => Promise<A>
): Promise<Row> => {
  const count = Math.floor(events / VERIFIED_SHARE)
  const rows = `SELECT * FROM event WHERE workspace = ${WORKSPACE} ORDER BY sequence LIMIT ${count}`
  const bare = await bestOf(() => database.query(rows))
  const verify = Effect.flatMap(ChainVerifier, ({ verify }) => verify({ workspaceId, limit: count }))
  const verified = await bestOf(() => run(verify))
  return ratioRow({
    number: "6",
    what: `verify ${count} events`,
    database: database.product,
    limit: (count / bare) * 1000,
    measured: (count / verified) * 1000,
    unit: "/s",
    atLeast: 0.3
  })
}

/** Row 10. */
const repeatedTotal = async (
  { database, workspaceId }: FilledLog,
  run: <A>(effect: Effect.Effect<A, unknown, EventReader | EventLog>) => Promise<A>
): Promise<Row> => {
  const filter = { tenantId: "org_3" }
  const page = { workspaceId, filter, before: null, limit: PAGE, visibleFrom: null }
  const list = Effect.flatMap(EventReader, (reader) => reader.list(page))
  const withoutTotal = Effect.flatMap(EventLog, (log) =>
    log.page(workspaceId, { filter, before: null, limit: PAGE + 1 })
  )
  const [, first] = await timed(() => run(list))
  const warm = await bestOf(() => run(list))
  const bare = await bestOf(() => run(withoutTotal))
  return boundedRow({
    number: "10",
    what: "an exact total on a repeated query, more than the page alone",
    database: database.product,
    measured: Math.max(0, warm - bare),
    unit: "ms",
    atMost: 1,
    note: `the first time the page takes ${first.toFixed(1)} ms`
  })
}

/** Row 13. Measured before anything else reads or writes. */
const bytesOnDisk = async ({ database, events }: FilledLog): Promise<Row> => {
  const { log, search } = await database.size()
  const [average] = await database.query("SELECT CAST(avg(octet_length(content)) AS real) AS n FROM event")
  const content = Number(average?.n)
  return {
    number: "13",
    what: "bytes on disk an event in the log, its indexes and the tree",
    database: database.product,
    limit: content,
    measured: log / events,
    unit: "B",
    target: "≤ 3 × the content",
    met: log / events <= 3 * content,
    note: `the search index ${Math.round(search / events)} B more`
  }
}

/** Measures them without a server. */
export const chainVerification = async ({ server, logs, settings }: Bench): Promise<ReadonlyArray<Row>> => {
  const log = await logs.of(server, Math.min(EVENTS, settings.events))
  const size = await bytesOnDisk(log)
  const runtime = ManagedRuntime.make(
    Layer.merge(ChainVerifier.layer, EventReader.layer.pipe(Layer.provide(EventCounts.layer))).pipe(
      Layer.provideMerge(Layer.merge(log.database.storage, Sha256.layer))
    )
  )
  const rows = [
    size,
    await verification(log, runtime.runPromise),
    await repeatedTotal(log, runtime.runPromise)
  ]
  await runtime.dispose()
  return rows
}
