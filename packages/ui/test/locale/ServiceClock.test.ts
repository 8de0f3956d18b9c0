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
      clock.hear(answer(NOW + 6_000), browser)
      assert.strictEqual(clock.now(), NOW + 6_000)
    }
  })

  it("tells whoever has read it at once when it is put right, and not again for a second more or less", () => {
    const clock = new ServiceClock(() => NOW + 5 * HOUR)
    const read: Array<number> = []
    effect(() => {
      read.push(clock.now())
    })
    for (const late of [0, 1_000, -1_000, 1_500]) clock.hear(answer(NOW + late), NOW + 5 * HOUR)
    assert.deepStrictEqual(read, [NOW + 5 * HOUR, NOW])
  })

  it("is the browser's where that is right, or an answer does not say", () => {
    for (const date of [NOW - 59_000, NOW + 59_000, undefined, "yesterday", ""]) {
      const clock = new ServiceClock(() => NOW)
      clock.hear(answer(date), NOW)
      assert.strictEqual(clock.now(), NOW)
    }
  })

  it.each([
    "2026-01-15T17:00:00Z",
    "Thursday, 15-Jan-26 17:00:00 GMT",
    "Thu Jan 15 17:00:00 2026",
    "Thu, 15 Jan 2026 17:00:00 +0000",
    "Fri, 15 Jan 2026 17:00:00 GMT",
    "Invalid Date",
    "5"
  ])("takes no date in another form than HTTP's: %s", (date) => {
    const clock = new ServiceClock(() => NOW)
    clock.hear(answer(date), NOW)
    assert.strictEqual(clock.now(), NOW)
  })

  it("takes no answer that lay in a store", () => {
    const clock = new ServiceClock(() => NOW)
    const stored = answer(NOW - HOUR)
    stored.headers.set("age", "3600")
    clock.hear(stored, NOW)
    assert.strictEqual(clock.now(), NOW)
    const fresh = answer(NOW - HOUR)
    fresh.headers.set("age", "0")
    clock.hear(fresh, NOW)
    assert.strictEqual(clock.now(), NOW - HOUR)
  })

  it.each([61_000, 2 * HOUR, -HOUR])(
    "takes no answer during which the browser's clock went on by %d ms",
    async (wait) => {
      let browser = NOW
      const clock = new ServiceClock(() => browser)
      const ask = clock.listening(async () => {
        browser += wait
        return answer(NOW)
      })
      await ask("http://cairn.test")
      assert.strictEqual(clock.now(), NOW + wait)
    }
  )
})
