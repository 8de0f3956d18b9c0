/** Row 3 against another commit: batches until all deferred work is done, each bundle in turn. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Bench } from "../Bench.ts"
import type { LogDatabase } from "../databases/LogDatabase.ts"
import { chained, untilChained } from "../databases/LogDatabase.ts"
import { load } from "../Load.ts"
import { type Row, ratioRow } from "../Row.ts"
import { newTenant, type ServerUnderTest, startServer } from "../ServerUnderTest.ts"
import { quantile } from "../Timing.ts"
import { type Idle, idleness, untilIdle } from "../WorkCount.ts"
import { ROOMY_INBOX, SETTLED } from "./Ingestion.ts"

const ROUNDS = 5
const SECONDS = 4
/** Of the other commit's rate. */
const SHARE = { SQLite: 2.5, PostgreSQL: 2 }

/** A server of one commit that is loaded again and again. */
interface Side {
  readonly database: LogDatabase
  readonly cairn: ServerUnderTest
  readonly key: string
  readonly idle: Idle
  readonly rates: Array<number>
}

const workersOf = ({ cairn, database }: Pick<Side, "cairn" | "database">) => ({
  server: cairn.pid,
  database: database.processes
})

const startSide = async (database: LogDatabase): Promise<Side> => {
  const { key } = newTenant(database)
  const cairn = await startServer(database, ROOMY_INBOX)
  await sleep(SETTLED)
  return { database, cairn, key, idle: await idleness(workersOf({ cairn, database })), rates: [] }
}

/** Events a second until all is done. The seconds in which idleness is noticed are not counted. */
const round = async ({ database, cairn, key, idle, rates }: Side): Promise<void> => {
  const before = await chained(database)
  const begun = performance.now()
  const url = `${cairn.baseUrl}/api/v1/events/batch`
  const common = { url, keys: [key], connections: 8, batch: 100, rate: 0 }
  const { accepted } = await load({ ...common, seconds: SECONDS })
  await untilChained(database, before + accepted)
  const noticed = await untilIdle(workersOf({ cairn, database }), idle)
  rates.push((((await chained(database)) - before) / (noticed - begun)) * 1000)
}

/** Measures it where another commit's bundle is given. The first round of each only warms it up. */
export const againstCommit = async ({
  server,
  settings: { against }
}: Bench): Promise<ReadonlyArray<Row>> => {
  if (against === undefined) return []
  const other = await startSide({ ...(await server.newDatabase()), bin: against })
  const own = await startSide(await server.newDatabase())
  for (let at = 0; at <= ROUNDS; at++)
    for (const side of at % 2 === 0 ? [other, own] : [own, other]) await round(side)
  const median = ({ rates }: Side) => quantile(rates.slice(1), 0.5)
  for (const { cairn, database } of [other, own]) {
    await cairn.stop()
    await database.remove()
  }
  return [
    ratioRow({
      number: "3",
      what: "batches of 100 until all deferred work is done, against another commit, medians of rounds in turn",
      database: server.product,
      limit: median(other),
      measured: median(own),
      unit: "/s",
      atLeast: SHARE[server.product]
    })
  ]
}
