/** Row 1 with eight times as many connections: what a server takes must not fall with their number. */
import type { Bench } from "../Bench.ts"
import { load } from "../Load.ts"
import { type Row, ratioRow } from "../Row.ts"
import { newTenant, startServer } from "../ServerUnderTest.ts"
import { quantile } from "../Timing.ts"

const FEW = 64
const MANY = 512
/** Loads of each, one after the other in turn, so that whatever slows the machine slows both. */
const ROUNDS = 3
const WARM_UP = 6

/** Measures it: the medians of the rounds. */
export const connections = async ({ server, settings: { seconds } }: Bench): Promise<ReadonlyArray<Row>> => {
  const database = await server.newDatabase()
  const { key } = newTenant(database)
  const cairn = await startServer(database)
  const target = { url: `${cairn.baseUrl}/api/v1/events`, keys: [key], batch: 1, rate: 0 }
  await load({ ...target, seconds: WARM_UP, connections: FEW })
  const few: Array<number> = []
  const many: Array<number> = []
  for (let round = 0; round < ROUNDS; round++) {
    few.push((await load({ ...target, seconds, connections: FEW })).perSecond)
    many.push((await load({ ...target, seconds, connections: MANY })).perSecond)
  }
  await cairn.stop()
  await database.remove()
  return [
    ratioRow({
      number: "1",
      what: `single events, ${MANY} connections against ${FEW}`,
      database: server.product,
      limit: quantile(few, 0.5),
      measured: quantile(many, 0.5),
      unit: "/s",
      atLeast: 1
    })
  ]
}
