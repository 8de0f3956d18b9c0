import { expect, it, vi } from "vitest"
import { Drain } from "../src/Drain.ts"
import { CairnConnectionError } from "../src/Errors.ts"
import { memoryQueue } from "../src/MemoryQueue.ts"
import type { PreparedEvent } from "../src/Prepared.ts"
import type { Sender } from "../src/Sender.ts"

const nothing = { send: async () => ({ outcomes: [] }) } as unknown as Sender

it("ends a flush at whatever moment of an earlier one it begins", async () => {
  const stuck: Array<number> = []
  for (let moment = 0; moment < 30; moment++) {
    const drain = new Drain({ events: memoryQueue(), sender: nothing, report: () => {} })
    const never = new AbortController().signal
    void drain.flush(never)
    for (let tick = 0; tick < moment; tick++) await undefined
    let isDone = false
    void drain.flush(never).then(() => {
      isDone = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    if (!isDone) stuck.push(moment)
  }
  expect(stuck).toEqual([])
})

it("does not look again and again at events that wait for another one with their key", async () => {
  const queue = memoryQueue()
  let looks = 0
  let tries = 0
  const sent: Array<string> = []
  // The first of key k gets through with its third try.
  const send: Sender["send"] = async (events) => {
    const isFailing = ({ json }: PreparedEvent) => json === '"first"' && ++tries < 3
    const failing = events.filter(isFailing)
    const others = events.filter((event) => !failing.includes(event))
    for (const { json } of others) sent.push(JSON.parse(json))
    const outcomes = others.map(({ key }) => ({ key, status: "queued" as const, id: key }))
    return { outcomes, failing, ...(failing.length > 0 ? { error: new CairnConnectionError("cut") } : {}) }
  }
  const drain = new Drain({
    events: {
      ...queue,
      take: (limit) => {
        looks++
        return queue.take(limit)
      }
    },
    sender: { send } as Sender,
    batch: { delayMillis: 0 },
    retry: { baseMillis: 20 },
    report: () => {}
  })
  for (const [key, text] of [
    ["k", "first"],
    ["other", "other"],
    ["k", "second"]
  ] as const) {
    await queue.add({ key, json: JSON.stringify(text) })
    drain.notify()
  }
  await vi.waitFor(() => expect(queue.size()).toBe(0), { timeout: 10_000 })
  expect(sent).toEqual(["other", "first", "second"])
  // Once for each batch, once for each try of the first, and once each to see that there is nothing.
  expect(looks).toBeLessThan(12)
})
