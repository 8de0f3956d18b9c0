/** A steady load of accepts, by itself and then beside something else that the server does. */
import { type LoadResult, load } from "./Load.ts"
import { boundedRow, type Row } from "./Row.ts"
import type { ServerUnderTest } from "./ServerUnderTest.ts"

/** Requests a second, each with one event. */
const RATE = 500
const WARM_UP = 2
/** Milliseconds that 99 of 100 requests may take. */
const PATIENCE = 25

/**
 * Loads the server for some seconds, and again while `task` runs, which may ask whether the load still does.
 */
export const loadBeside = async <A>(
  { baseUrl }: ServerUnderTest,
  { key, seconds }: { readonly key: string; readonly seconds: number },
  task: (loading: () => boolean) => Promise<A>
) => {
  const target = {
    url: `${baseUrl}/api/v1/events`,
    keys: [key],
    connections: 16,
    batch: 1,
    rate: RATE,
    seconds
  }
  await load({ ...target, seconds: WARM_UP })
  const normal = await load(target)
  let loading = true
  const pressing = load(target).finally(() => {
    loading = false
  })
  const [pressed, result] = await Promise.all([pressing, task(() => loading)])
  return { normal, pressed, result }
}

/**
 * The row of such a load; `beside` says what is done at the same time, and `done` whether it was completed.
 */
export const besideRow = (
  { normal, pressed }: { readonly normal: LoadResult; readonly pressed: LoadResult },
  {
    beside,
    done,
    note,
    ...named
  }: Pick<Row, "number" | "database" | "note"> & { readonly beside: string; readonly done: boolean }
): Row => {
  const row = boundedRow({
    ...named,
    what: `p99 of ${RATE} single events a second while ${beside}`,
    measured: pressed.p99,
    unit: "ms",
    atMost: PATIENCE,
    note: `${normal.p99.toFixed(1)} ms without; ${note}; ${pressed.refused} refused`
  })
  return { ...row, met: row.met && done && pressed.refused === 0 }
}
