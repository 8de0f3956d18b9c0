/** The error of a call whose time is over names the limit that was given, whatever tries there were. */
import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { Cairn } from "../src/index.ts"

/** Fails at once, then gives no answer until it is told that nobody waits for one. */
const fadingService = () => {
  let tries = 0
  const fetch = (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
    new Promise((_resolve, reject) => {
      tries++
      if (tries < 3) reject(new Error("away"))
      signal.addEventListener("abort", () => reject(signal.reason))
    })
  return { fetch: fetch as unknown as typeof globalThis.fetch, tries: () => tries }
}

const calls: Readonly<Record<string, (cairn: Cairn, timeoutMillis: number) => Promise<unknown>>> = {
  "record an event": (cairn, timeoutMillis) =>
    cairn.record({ actor_id: "ada", action: "a.b" }, { timeoutMillis }),
  "read a thing": (cairn, timeoutMillis) => cairn.workspace.get({ timeoutMillis }),
  "read a page": (cairn, timeoutMillis) => cairn.events.list({}, { timeoutMillis }).page()
}

describe("A call whose time is over", () => {
  beforeEach(() => {
    vi.useFakeTimers()
    // Ahead of the timers, as a clock with fractions is of timers without.
    let now = 0
    vi.spyOn(performance, "now").mockImplementation(() => {
      now += 7.3
      return now
    })
  })
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  for (const [name, call] of Object.entries(calls)) {
    for (const [limit, said] of [
      [5000, "5000"],
      [5000.0625, "5001"]
    ] as const) {
      it(`says so in whole milliseconds: ${name}, within ${limit}`, async () => {
        const { fetch, tries } = fadingService()
        const retry = { baseMillis: 1, maxMillis: 1 }
        const options = { url: "https://audit.test", apiKey: "key", fetch, retry, handleExit: false }
        const error = call(new Cairn(options), limit).catch(String)
        await vi.advanceTimersByTimeAsync(6000)
        assert.strictEqual(tries(), 3)
        assert.strictEqual(await error, `CairnTimeoutError: not done within ${said} ms`)
      })
    }
  }
})
