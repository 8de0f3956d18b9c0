/** A list of a million events: it is scrolled, not loaded. */
import type { Event } from "@cairn/core/event"
import { because, noChromium } from "@cairn/testing/Chromium"
import { isTrial } from "@cairn/testing/TrialCases"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { ServiceData } from "./support/FakeService.ts"
import { NOW, type OpenViewer, ViewerStage } from "./support/ViewerStage.ts"

const TOTAL = 1_000_000
/** Rows down to which the test goes: beyond what is kept at a time. */
const DEPTH = 3_000
const FRAMES = 90
/** Milliseconds that a frame takes at 60 a second. */
const FRAME = 1_000 / 60
/** Milliseconds after which the service answers. */
const DELAY = 50

/** Notes in the page since when which lists are waited for, and how many were asked for. */
const NOTES_LISTS = `
  const { fetch } = window
  window.asked = new Set()
  window.askings = 0
  window.fetch = (address, init) => {
    const answer = fetch(address, init)
    if (!String(address.url ?? address).split("?")[0].endsWith("/events")) return answer
    const one = { began: performance.now() }
    asked.add(one)
    askings += 1
    return answer.finally(() => asked.delete(one))
  }`

const eventAt = (index: number): Event => ({
  id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
  actor: { id: `user_${index % 97}`, name: `User ${index % 97}`, type: "user" },
  action: "document.viewed",
  action_category: null,
  resource: { type: "document", id: `doc_${index}`, name: `Document ${index}` },
  targets: [],
  metadata: { index, text: "x".repeat(200) },
  tenant_id: null,
  session_id: null,
  ip_country: "DE",
  ip_city: "Berlin",
  idempotency_key: null,
  version: null,
  integrity: { event_hash: "0".repeat(64), previous_event_hash: null },
  occurred_at: new Date(NOW - index * 1_000).toISOString(),
  created_at: new Date(NOW - index * 1_000).toISOString()
})

const data: ServiceData = {
  list: (parameters) => {
    const first = Number(parameters.get("cursor") ?? 0)
    return {
      data: Array.from({ length: 50 }, (_, index) => eventAt(first + index)),
      pagination: { has_more: true, next_cursor: String(first + 50), total: TOTAL }
    }
  },
  get: (id) => eventAt(Number(id.slice(-12))),
  histogram: () => ({
    data: {
      bucket_seconds: 86_400,
      buckets: Array.from({ length: 12 }, (_, day) => ({
        start: new Date(NOW - (12 - day) * 86_400_000).toISOString(),
        count: 86_400
      }))
    }
  }),
  proofs: () => ({ checkpoint: "", events: [] })
}

describe.skipIf(noChromium)(`a list of a million events${because}`, () => {
  let stage: ViewerStage
  let viewer: OpenViewer

  beforeAll(async () => {
    stage = await ViewerStage.start(data)
    viewer = await stage.open({ framed: false })
    await viewer.page.addInitScript(NOTES_LISTS)
    await viewer.page.reload()
    await viewer.frame.waitForSelector('[data-row="0"]')
  })
  afterAll(() => stage?.stop())

  const scrollTo = (row: number) =>
    viewer.until(
      `(scrollTo(0, document.querySelector(".rows").offsetTop + ${row} * 44), document.querySelector('[data-row="${row}"] time'))`
    )
  const nodes = () => viewer.frame.evaluate<number>(`document.querySelectorAll("*").length`)

  it("tells how long it is", async () => {
    await viewer.frame.getByText("1,000,000 events").waitFor()
    assert.strictEqual(await viewer.frame.getAttribute(".list", "aria-rowcount"), "1000001")
  })

  /**
   * Turns a wheel as fast as hands can, there and back; gives the time of the processor that a frame took, in
   * milliseconds.
   */
  const turnWheel = async () => {
    const session = await viewer.page.context().newCDPSession(viewer.page)
    // Time of the page's thread, so that whatever else the machine does is not counted.
    await session.send("Performance.enable", { timeDomain: "threadTicks" })
    const taken = async () => {
      const { metrics } = await session.send("Performance.getMetrics")
      return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN
    }
    const before = await taken()
    await viewer.frame.evaluate(`new Promise((resolve) => {
      let frames = 0
      const step = () => {
        if (frames++ === ${FRAMES}) return resolve()
        scrollBy(0, frames <= ${FRAMES / 2} ? -240 : 240)
        requestAnimationFrame(step)
      }
      requestAnimationFrame(step)
    })`)
    const perFrame = (1_000 * ((await taken()) - before)) / FRAMES
    await session.detach()
    return perFrame
  }

  if (isTrial()) {
    it("takes no longer to draw a frame far down than at its head, and has no more in the document", async () => {
      const [nodesBefore, head] = [await nodes(), await turnWheel()]
      await scrollTo(0)
      for (let row = 40; row <= DEPTH; row += 40) await scrollTo(row)
      assert.isBelow(await viewer.frame.locator("[data-row]").count(), 60)
      assert.isBelow(await nodes(), nodesBefore * 2)
      assert.include(await viewer.frame.locator(`[data-row="${DEPTH}"]`).textContent(), `Document ${DEPTH}`)
      const far = await turnWheel()
      assert.isAbove(await viewer.frame.locator("[data-row] time").count(), 10)
      assert.isAbove(far, 0)
      // A list that drew what it has read, or looked through it, would take a hundred times as long there.
      assert.isBelow(far, 3 * head)
    })
  }

  if (isTrial()) {
    it("leaves nothing blank for long while it is scrolled, down and back up", async () => {
      stage.service.delayOf = ({ url }) => (url.pathname === "/api/v1/events" ? DELAY : 0)
      try {
        for (const [from, by] of [
          [0, 220],
          [DEPTH, -220]
        ]) {
          await scrollTo(from ?? 0)
          const { longest, most, askedFor } = await viewer.frame.evaluate<{
            longest: number
            most: number
            askedFor: number
          }>(
            `new Promise((resolve) => {
            let [frames, last, blank, longest, most, ended] = [0, performance.now(), 0, 0, 0, false]
            const before = askings
            const isBlank = (y) => {
              const row = document.elementFromPoint(innerWidth / 2, y)?.closest(".row")
              return !row || row.querySelector(".cell-wait") !== null
            }
            const step = () => {
              if (ended) return
              const now = performance.now()
              // A frame that the machine had no time for is none that the list left blank.
              const shown = Math.min(now - last, ${FRAME})
              last = now
              requestAnimationFrame(step)
              // Neither is one in which the service is late: the reader's hand waits for it.
              if (Array.from(asked).some(({ began }) => now - began > ${DELAY + FRAME})) return
              blank = [0.3, 0.6, 0.95].some((share) => isBlank(innerHeight * share)) ? blank + shown : 0
              longest = Math.max(longest, blank)
              most = Math.max(most, document.querySelectorAll(".rows .row").length)
              if (frames++ === 240) {
                ended = true
                return resolve({ longest, most, askedFor: askings - before })
              }
              scrollBy(0, ${by})
            }
            requestAnimationFrame(step)
          })`
          )
          assert.isAbove(askedFor, 0, "what is shown is asked for meanwhile")
          assert.isBelow(longest, 300)
          assert.isAtMost(most, 60)
        }
      } finally {
        stage.service.delayOf = () => 0
      }
    })
  }

  if (isTrial()) {
    it("reads again what it has let go of, when the reader comes back", async () => {
      const asked = stage.service.asked("/api/v1/events").length
      await scrollTo(0)
      await viewer.until(`document.querySelector('[data-row="0"] time')`)
      assert.include(await viewer.frame.locator('[data-row="0"]').textContent(), "Document 0")
      assert.isAbove(stage.service.asked("/api/v1/events").length, asked)
      const again = stage.service
        .asked("/api/v1/events")
        .findLast(({ url }) => url.pathname === "/api/v1/events" && !url.searchParams.has("cursor"))
      assert.strictEqual(again?.url.searchParams.get("to"), eventAt(0).created_at, "the list did not move on")
    })
  }
})
