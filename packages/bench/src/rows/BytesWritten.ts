/** Row 13 under load: how large write-ahead files grow, and all files after a clean stop of one workspace. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Bench } from "../Bench.ts"
import { chained, type LogDatabase, untilChained } from "../databases/LogDatabase.ts"
import { load } from "../Load.ts"
import { boundedRow, figure, type Row } from "../Row.ts"
import { newTenant, startServer } from "../ServerUnderTest.ts"
import { idleness, untilIdle } from "../WorkCount.ts"
import { ROOMY_INBOX, SETTLED } from "./Ingestion.ts"

const MOST_BYTES = 1_500
const MOST_MEBIBYTES = 64
const MEBIBYTE = 2 ** 20
/** Milliseconds between two looks. */
const PAUSE = 50

/** The most bytes that write-ahead files have while a task runs. */
const mostWrittenAhead = async (database: LogDatabase, task: Promise<unknown>): Promise<number> => {
  let [most, over] = [0, false]
  const done = task.finally(() => {
    over = true
  })
  while (!over) {
    most = Math.max(most, await database.writeAhead())
    await sleep(PAUSE)
  }
  await done
  return most
}

/** Measures them: single events for some seconds, then batches for as long, until all is done. */
export const bytesWritten = async ({ server, settings: { seconds } }: Bench): Promise<ReadonlyArray<Row>> => {
  const database = await server.newDatabase()
  const { key } = newTenant(database)
  const cairn = await startServer(database, ROOMY_INBOX)
  const workers = { server: cairn.pid, database: database.processes }
  await sleep(SETTLED)
  const idle = await idleness(workers)
  const url = `${cairn.baseUrl}/api/v1/events`
  const common = { keys: [key], rate: 0, seconds }
  const write = async () => {
    const before = await chained(database)
    const one = await load({ ...common, url, connections: 64, batch: 1 })
    const other = await load({ ...common, url: `${url}/batch`, connections: 8, batch: 100 })
    await untilChained(database, before + one.accepted + other.accepted)
    await untilIdle(workers, idle)
  }
  const most = await mostWrittenAhead(database, write())
  const events = await chained(database)
  await cairn.stop()
  // This process reads the log too, so that the server was not the last to close it.
  await database.settle()
  const { log, search } = await database.size()
  await database.remove()
  const named = { number: "13", database: server.product }
  return [
    boundedRow({
      ...named,
      what: "write-ahead files under load, all together, the most",
      measured: most / MEBIBYTE,
      unit: "MiB",
      atMost: MOST_MEBIBYTES
    }),
    boundedRow({
      ...named,
      what: "bytes an event, all files after a clean stop, one workspace",
      measured: (log + search) / events,
      unit: "B",
      atMost: MOST_BYTES,
      note: `${events} events; the search index ${figure(search / events)} B of them`
    })
  ]
}
