import { expect, it } from "vitest"
import { Drain } from "../src/Drain.ts"
import { memoryQueue } from "../src/MemoryQueue.ts"
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
