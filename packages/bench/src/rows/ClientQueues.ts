/** Rows 19 and 20: what `enqueue` of the client costs, with its queue in memory and with a spool. */
import { mkdtempSync, rmSync } from "node:fs"
import { open } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Cairn, type CairnOptions, type EventInput } from "@cairn/client"
import { openSpool } from "@cairn/client/spool"
import { answer, isTask, runTask } from "../ChildTask.ts"
import { ordinaryBody } from "../OrdinaryEvent.ts"
import { boundedRow, figure, type Row } from "../Row.ts"
import { durations, quantile, timed } from "../Timing.ts"

/** Microseconds of an event. */
const MOST_MICROS = 20
/** Events a second. */
const LEAST = 20_000

/** Events of a round, for which a queue in memory has room. */
const ROUND = 5_000
const ROUNDS = 20
/** Events of a round with a spool, and callers of whom each waits until its event is on the disk. */
const SPOOLED = 20_000
const CALLERS = 1_000
const SPOOL_ROUNDS = 5

/** What the task returns. */
interface Measured {
  /** Microseconds of an event in memory, in the median of the rounds. */
  readonly micros: number
  /** Events a second with a spool, and beside a service that takes them. */
  readonly spooled: number
  readonly sent: number
  /** Events a second if nothing is done but to append the same bytes and sync them, as often. */
  readonly bare: number
}

const bodies = Array.from({ length: ROUND }, (_, index) => ordinaryBody(index) as EventInput)
const bodyOf = (index: number): EventInput => bodies[index % ROUND] as EventInput

/** A service that takes everything at once. */
const taking: typeof fetch = async (_, init) => {
  const { events }: { events: ReadonlyArray<unknown> } = JSON.parse(String(init?.body))
  const items = events.map((_, index) => ({ id: `evt_${index}`, status: "queued" }))
  return Response.json({ events: items }, { status: 202 })
}

/** A service that is away. */
const away: typeof fetch = () => Promise.reject(new TypeError("fetch failed"))

const clientOf = (options: Partial<CairnOptions>): Cairn =>
  new Cairn({
    url: "http://127.0.0.1:1",
    apiKey: "key",
    timeoutMillis: 60_000,
    onError: () => {},
    handleExit: false,
    ...options
  })

/** The least of the rounds' times. */
const least = async (rounds: number, task: () => Promise<number>): Promise<number> => {
  const samples: Array<number> = []
  await durations(rounds, async () => samples.push(await task()))
  return Math.min(...samples)
}

/** One event after the other; what waits is sent between the rounds. */
const inMemory = async (): Promise<number> => {
  const cairn = clientOf({ fetch: taking, batch: { count: 2 * ROUND, delayMillis: 60_000 } })
  const samples: Array<number> = []
  await durations(ROUNDS, async () => {
    const [, millis] = await timed(async () => {
      for (const body of bodies) await cairn.enqueue(body)
    })
    samples.push(millis)
    await cairn.flush()
  })
  await cairn.close()
  return (quantile(samples, 0.5) / ROUND) * 1000
}

/** Milliseconds of many callers with a spool. */
const spooled = async (folder: string, fetch: typeof globalThis.fetch): Promise<number> => {
  const place = mkdtempSync(join(folder, "spool-"))
  const cairn = clientOf({ fetch, queue: await openSpool({ folder: place }) })
  let next = 0
  const caller = async (): Promise<void> => {
    while (next < SPOOLED) await cairn.enqueue(bodyOf(next++))
  }
  const [, millis] = await timed(() => Promise.all(Array.from({ length: CALLERS }, caller)))
  await cairn.close({ timeoutMillis: 0 })
  rmSync(place, { recursive: true })
  return millis
}

/** Milliseconds of as many bytes, ready made, in as many groups as there would be if none came late. */
const bare = async (folder: string): Promise<number> => {
  const group = Buffer.from(
    Array.from({ length: CALLERS }, (_, index) => `${JSON.stringify(bodyOf(index))}\n`).join("")
  )
  const path = join(folder, "bare")
  const file = await open(path, "a")
  const [, millis] = await timed(async () => {
    for (let written = 0; written < SPOOLED; written += CALLERS) {
      await file.writeFile(group)
      await file.datasync()
    }
  })
  await file.close()
  rmSync(path)
  return millis
}

/** Measures them. */
export const clientQueues = async (): Promise<ReadonlyArray<Row>> => {
  const { micros, spooled: away, sent, bare: limit } = await runTask<Measured>(import.meta.url, null)
  const what = `enqueue with a spool, ${CALLERS} callers, each event on the disk when its call returns`
  return [
    boundedRow({
      number: "19",
      what: "enqueue of one event, its queue in memory",
      measured: micros,
      unit: "µs",
      atMost: MOST_MICROS
    }),
    {
      number: "20",
      what: `${what}, against the same bytes appended and synced as often`,
      limit,
      measured: away,
      unit: "/s",
      target: `≥ ${figure(LEAST)} /s`,
      met: away >= LEAST,
      note: `while the service is away; ${figure(sent)} /s while they are sent and removed`
    }
  ]
}

if (isTask(import.meta.url)) {
  const folder = mkdtempSync(join(tmpdir(), "cairn-bench-spool-"))
  const rate = (millis: number) => (SPOOLED / millis) * 1000
  const measured: Measured = {
    micros: await inMemory(),
    spooled: rate(await least(SPOOL_ROUNDS, () => spooled(folder, away))),
    sent: rate(await least(SPOOL_ROUNDS, () => spooled(folder, taking))),
    bare: rate(await least(SPOOL_ROUNDS, () => bare(folder)))
  }
  rmSync(folder, { recursive: true })
  answer(measured)
}
