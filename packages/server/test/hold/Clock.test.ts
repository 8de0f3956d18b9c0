import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Micros } from "@cairn/core/encoding"
import type { Event } from "@cairn/core/event"
import { wholeVerification } from "@cairn/testing"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { type ApiClient, apiClient, type BatchItem, errorCode } from "../support/ApiClient.ts"
import { killLeftovers, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const SHIFTED_CLOCK = new URL("../support/ShiftedClock.mjs", import.meta.url).href
const HOUR = 3_600
const YEAR = 365 * 24 * HOUR

const micros = (event: Event | undefined): number => Micros.parse(event?.created_at ?? "") ?? Number.NaN

describe("a wall clock that jumps", () => {
  const folder = temporaryFolder()
  killLeftovers()
  const clockFile = join(folder, "clock")
  let baseUrl: string
  let client: ApiClient

  /** Shifts the server's wall clock, in seconds against the true one. */
  const shift = (seconds: number) => writeFileSync(clockFile, String(seconds))

  beforeAll(async () => {
    const database = join(folder, "cairn.db")
    const { key } = await seedTenant(database)
    shift(0)
    const server = await startServer({
      database,
      preload: [SHIFTED_CLOCK],
      variables: { TEST_CLOCK_FILE: clockFile }
    })
    baseUrl = server.baseUrl
    client = apiClient(baseUrl, key)
  })

  /** Oldest first. */
  const log = async (): Promise<ReadonlyArray<Event>> => [...(await client.list())].reverse()

  const sequenced = (ids: ReadonlyArray<string | null>) =>
    eventually("the events are sequenced", async () => {
      const events = await log()
      const there = new Set(events.map(({ id }) => id))
      return ids.every((id) => there.has(id ?? "")) ? events : undefined
    })

  const send = () => client.accept({ actor_id: "clock", action: "clock.read" })

  const expectIncreasing = (events: ReadonlyArray<Event>) => {
    for (const [index, event] of events.entries()) {
      if (index > 0) assert.isAbove(micros(event), micros(events[index - 1]))
    }
  }

  it("dates events strictly later than those before them when it jumps back an hour", async () => {
    const before = await send()
    shift(-HOUR)
    const after: Array<BatchItem> = []
    for (let count = 0; count < 5; count++) after.push(await send())
    const events = await sequenced([before.id, ...after.map(({ id }) => id)])
    expectIncreasing(events)
    const place = (id: string | null) => events.findIndex((event) => event.id === id)
    const places = [before, ...after].map(({ id }) => place(id))
    assert.deepStrictEqual(
      places,
      [...places].sort((a, b) => a - b)
    )
    // The clock is behind the head, so each event is dated a microsecond after the one before it: requests
    // that follow each other would be further apart by a clock that did not jump.
    assert.strictEqual(micros(events.at(-1)) - micros(events.at(-2)), 1)
    shift(0)
  })

  it("dates the items of a batch exactly 1 µs apart under concurrent load, whatever the clock does", async () => {
    const session = (client: number, count: number) => `batch-${client}-${count}`
    const ids: Array<string | null> = []
    const load = async (number: number) => {
      for (let count = 0; count < 15; count++) {
        if (number === 0) shift([0, -HOUR, -7, 0, -2 * HOUR][count % 5] ?? 0)
        const events = Array.from({ length: 10 }, (_, item) => ({
          actor_id: `item-${item}`,
          action: "clock.read",
          session_id: session(number, count)
        }))
        ids.push(...(await client.acceptBatch(events)).map(({ id }) => id))
        ids.push((await send()).id)
      }
    }
    await Promise.all(Array.from({ length: 8 }, (_, number) => load(number)))
    shift(0)
    const events = await sequenced(ids)
    expectIncreasing(events)
    for (let number = 0; number < 8; number++) {
      for (let count = 0; count < 15; count++) {
        const items = events.filter(({ session_id }) => session_id === session(number, count))
        const first = micros(items[0])
        assert.deepStrictEqual(
          items.map((event) => [event.actor.id, micros(event) - first]),
          items.map((_, item) => [`item-${item}`, item])
        )
        assert.strictEqual(items.length, 10)
      }
    }
    assert.deepStrictEqual(await client.verify(), wholeVerification(events.length))
  })

  it("takes nothing while it is a year ahead, and goes on when it is right again", async () => {
    const before = await log()
    shift(YEAR)
    const refused = await client.send({ actor_id: "clock", action: "clock.read" })
    assert.strictEqual(refused.status, 503)
    assert.strictEqual(errorCode(refused), "unavailable")
    assert.match(refused.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
    const batch = await client.request("POST", "/api/v1/events/batch", {
      events: [{ actor_id: "clock", action: "clock.read" }]
    })
    assert.strictEqual(batch.status, 503)
    assert.strictEqual((await fetch(`${baseUrl}/readyz`)).status, 503)
    // It still is alive, and reads.
    assert.strictEqual((await fetch(`${baseUrl}/healthz`)).status, 200)
    assert.deepStrictEqual(await log(), before)
    assert.isTrue((await client.verify()).valid)

    shift(0)
    assert.strictEqual((await fetch(`${baseUrl}/readyz`)).status, 200)
    const { id } = await send()
    const events = await sequenced([id])
    assert.strictEqual(events.length, before.length + 1)
    assert.isBelow(micros(events.at(-1)), (Date.now() + 60_000) * 1000)
    assert.isTrue((await client.verify()).valid)
  })
})
