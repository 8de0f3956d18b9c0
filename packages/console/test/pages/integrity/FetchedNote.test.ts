import { en, languageOf, ServiceClock } from "@cairn/ui/locale"
import { assert, describe, it } from "@effect/vitest"
import { readNewest } from "../../../src/page/pages/integrity/FetchedNote.ts"

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 10, 25, 12)

describe("the newest checkpoint", () => {
  it.each([5, -5])("was signed just now also where the browser's clock is %d hours ahead", async (hours) => {
    const clock = new ServiceClock(() => NOW + hours * HOUR)
    const ask = clock.listening(
      async () => new Response("a note", { headers: { date: new Date(NOW).toUTCString() } })
    )
    const checkpoints = { latest: async () => (await ask("http://cairn.test")).text() }
    const { note, at } = await readNewest(clock)({ checkpoints } as never, new AbortController().signal)
    assert.deepStrictEqual([note, at], ["a note", "2026-11-25T12:00:00.000Z"])
    assert.strictEqual(languageOf("en", en).moments.relative(Date.parse(at), clock.now()), "now")
  })
})
