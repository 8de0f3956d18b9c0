/** What stands on the page can be read: nothing is cut, squeezed or left waiting, in a real browser. */
import { Micros } from "@cairn/core/encoding"
import { ordinaryEvents } from "@cairn/testing"
import { because, noChromium } from "@cairn/testing/Chromium"
import { firstOf } from "@cairn/testing/TrialCases"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { dataOf } from "./support/FakeService.ts"
import { testTenant } from "./support/TestTenant.ts"
import { NOW, type OpenOptions, type OpenViewer, ViewerStage } from "./support/ViewerStage.ts"

const CHANGED = {
  actor_id: "user_ada",
  action: "role.updated",
  metadata: {
    before: { permissions: ["invoices:read"], owner: { name: "Ada Lovelace", team: "Engines" } },
    after: { permissions: ["invoices:read", "invoices:write"], owner: null }
  }
}

/** Events a second apart until now: two pages of them, and a histogram of less than an hour. */
const tenant = testTenant([...ordinaryEvents(59, { seed: 5 }), CHANGED], {
  until: NOW * 1_000,
  gap: Micros.SECOND
})

describe.skipIf(noChromium)(`the viewer's texts${because}`, () => {
  let stage: ViewerStage
  let viewer: OpenViewer | undefined

  beforeAll(async () => {
    stage = await ViewerStage.start(dataOf(tenant), tenant.workspaceId)
  })
  afterAll(() => stage?.stop())
  afterEach(() => viewer?.close())

  const open = async (options?: OpenOptions) => {
    viewer = await stage.open(options)
    await viewer.frame.waitForSelector('[data-row="0"]')
    return viewer
  }

  it("say nothing of loading below the end of a list of two pages", async () => {
    const { until, frame } = await open()
    await until(
      `(scrollTo(0, document.documentElement.scrollHeight), document.querySelector('[data-row="59"] time'))`
    )
    await until(`document.querySelector(".notice") === null`)
    assert.strictEqual(await frame.locator(".notice").count(), 0)
  })

  it("stand in lines, not in letters, in a table of what changed", async () => {
    const { frame } = await open()
    await frame.locator('[data-row="0"]').click()
    await frame.waitForSelector(".changes")
    const narrow = await frame.evaluate<ReadonlyArray<string>>(
      `Array.from(document.querySelectorAll(".changes dd"), (value) => [value.textContent, value.clientWidth])
        .filter(([, width]) => width < 60).map(String)`
    )
    assert.deepStrictEqual(narrow, [])
    const lines = await frame.evaluate<number>(
      `(() => {
        const range = document.createRange()
        const [value] = Array.from(document.querySelectorAll(".changes dd")).filter((dd) => dd.textContent === "Ada Lovelace")
        range.selectNodeContents(value)
        return new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size
      })()`
    )
    assert.isAtMost(lines, 2)
  })

  it.each(
    firstOf(2, [
      ["en-US", "Asia/Kolkata", "Mar 4, 2026, 5:30:00 PM GMT+5:30", 1_280],
      ["de", "Europe/Berlin", "04.03.2026, 13:00:00 MEZ", 1_280],
      ["ja", "Asia/Tokyo", "2026/03/04 21:00:00 JST", 1_280],
      ["en-US", "Asia/Kolkata", "Mar 4, 2026, 5:30:00 PM GMT+5:30", 800],
      ["en-US", "Asia/Kolkata", "Mar 4, 2026, 5:30:00 PM GMT+5:30", 400]
    ] as const)
  )("tell exact times whole, with their zone: %s, %s, %s, %i px", async (locale, timezoneId, text, width) => {
    const { frame } = await open({
      query: `time=absolute&locale=${locale}`,
      context: { timezoneId, viewport: { width, height: 720 } }
    })
    const time = frame.locator('[data-row="0"] time')
    assert.strictEqual((await time.textContent())?.replace(/\s/g, " "), text)
    const cut = await frame.evaluate<ReadonlyArray<string>>(
      `Array.from(document.querySelectorAll('[data-row="0"], [data-row="0"] .cell-time'))
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ className }) => className)`
    )
    assert.deepStrictEqual(cut, [])
    assert.isTrue(
      await frame.evaluate<boolean>(
        `document.querySelector('[data-row="0"]').getBoundingClientRect().right <= innerWidth`
      )
    )
  })

  it("label the histogram whole, and each tick of less than an hour differently", async () => {
    const { frame } = await open()
    await frame.waitForSelector(".tick-count")
    const cut = await frame.evaluate<ReadonlyArray<string>>(
      `(() => {
        const { top } = document.querySelector(".histogram").getBoundingClientRect()
        const range = document.createRange()
        return Array.from(document.querySelectorAll(".tick"))
          .filter((label) => (range.selectNodeContents(label), range.getBoundingClientRect().top < top))
          .map((label) => label.textContent)
      })()`
    )
    assert.deepStrictEqual(cut, [])
    const ticks = await frame.locator(".tick-time").allTextContents()
    const told = ticks.filter((tick) => tick !== "")
    assert.isAbove(told.length, 2)
    assert.strictEqual(new Set(told).size, told.length, told.join())
  })
})
