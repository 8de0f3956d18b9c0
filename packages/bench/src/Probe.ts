/** Single events that are sent one after the other beside a load, and how soon they are seen. */
import { setTimeout as sleep } from "node:timers/promises"
import { ordinaryBody } from "./OrdinaryEvent.ts"
import type { ServerUnderTest, Tenant } from "./ServerUnderTest.ts"

/** Milliseconds from the `202` of each event until it is seen. */
export interface Seen {
  /** With its hash. */
  readonly chained: ReadonlyArray<number>
  /** By a search for a word that only this event has. */
  readonly found: ReadonlyArray<number>
}

/** Milliseconds between two looks. */
const PAUSE = 2

/** Sends them until it is told to stop; looks for each by search too where that is asked for. */
export const probe = async (
  { baseUrl }: ServerUnderTest,
  { key }: Tenant,
  isOver: () => boolean,
  search = false
): Promise<Seen> => {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" }
  const seen = { chained: [] as Array<number>, found: [] as Array<number> }
  const get = async (path: string) =>
    JSON.parse(await (await fetch(`${baseUrl}/api/v1/events${path}`, { headers })).text())
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds())) await sleep(PAUSE)
  }
  for (let index = 0; !isOver(); index++) {
    const word = `probe${process.pid}x${index}x${Date.now().toString(36)}`
    const body = JSON.stringify({ ...ordinaryBody(index), resource_name: word })
    const response = await fetch(`${baseUrl}/api/v1/events`, { method: "POST", headers, body })
    const { id } = JSON.parse(await response.text())
    const begun = performance.now()
    await until(async () => Boolean((await get(`/${id}`)).integrity?.event_hash))
    seen.chained.push(performance.now() - begun)
    if (!search) continue
    await until(async () => (await get(`?search=${word}&limit=1`)).data?.length > 0)
    seen.found.push(performance.now() - begun)
  }
  return seen
}
