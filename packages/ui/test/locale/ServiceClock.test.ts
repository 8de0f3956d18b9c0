import { assert, describe, it } from "@effect/vitest"
import { effect } from "@preact/signals"
import { ServiceClock } from "../../src/locale/ServiceClock.ts"

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 0, 15, 12)
const answer = (date: number | string | undefined): Response =>
  new Response("", {
    headers:
      date === undefined ? {} : { date: typeof date === "string" ? date : new Date(date).toUTCString() }
  })

describe("the clock of a page", () => {
  it("follows the service where the browser's is wrong by more than a minute, and goes on", async () => {
    for (const wrong of [-24 * HOUR, -61_000, 61_000, 3 * HOUR]) {
      let browser = NOW + wrong
      const clock = new ServiceClock(() => browser)
      const ask = clock.listening(async () => answer(NOW))
      await ask("http://cairn.test")
      assert.strictEqual(clock.now(), NOW)
      browser += 5_000
      assert.strictEqual(clock.now(), NOW + 5_000)
      // Somebody has set it right.
      browser = NOW + 6_000
      clock.hear(answer(NOW + 6_000))
      assert.strictEqual(clock.now(), NOW + 6_000)
    }
  })

  it("tells whoever has read it at once when it is put right, and not again for a second more or less", () => {
    const clock = new ServiceClock(() => NOW + 5 * HOUR)
    const read: Array<number> = []
    effect(() => {
      read.push(clock.now())
    })
    for (const late of [0, 1_000, -1_000, 1_500]) clock.hear(answer(NOW + late))
    assert.deepStrictEqual(read, [NOW + 5 * HOUR, NOW])
  })

  it("is the browser's where that is right, or an answer does not say", () => {
    for (const date of [NOW - 59_000, NOW + 59_000, undefined, "yesterday", ""]) {
      const clock = new ServiceClock(() => NOW)
      clock.hear(answer(date))
      assert.strictEqual(clock.now(), NOW)
    }
  })
})
