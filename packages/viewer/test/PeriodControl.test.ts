/** The control for time as people use it, in a real browser. */
import { Micros } from "@cairn/core/encoding"
import { ordinaryEvents } from "@cairn/testing"
import { because, noChromium } from "@cairn/testing/Chromium"
import { firstOf } from "@cairn/testing/TrialCases"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { dataOf } from "./support/FakeService.ts"
import { testTenant } from "./support/TestTenant.ts"
import { NOW, type OpenOptions, type OpenViewer, ViewerStage } from "./support/ViewerStage.ts"

/** Events twelve hours apart, until 2026-03-04T12:00:00Z, a Wednesday. */
const tenant = testTenant(ordinaryEvents(200, { seed: 21 }), {
  until: NOW * 1_000,
  gap: 12 * 3_600 * Micros.SECOND
})

describe.skipIf(noChromium)(`the period${because}`, () => {
  let stage: ViewerStage
  let viewer: OpenViewer

  beforeAll(async () => {
    stage = await ViewerStage.start(dataOf(tenant), tenant.workspaceId)
  })
  afterAll(() => stage?.stop())
  afterEach(() => viewer.close())

  const open = async (options?: OpenOptions) => {
    viewer = await stage.open(options)
    const { frame, page } = viewer
    await frame.waitForSelector("[data-row], .notice-title")
    const panel = frame.getByRole("dialog", { name: "Period" })
    return {
      frame,
      page,
      panel,
      button: frame.locator(".period > button"),
      /** The times that the address holds. */
      times: (name: "from" | "to") => new URL(frame.url()).searchParams.get(name),
      is: (expected: string) =>
        viewer.until(`new URLSearchParams(location.search).get("period") === ${JSON.stringify(expected)}`)
    }
  }

  it("is chosen by a name, which the address, the button and a chip keep", async () => {
    const { frame, panel, button, is } = await open()
    assert.match((await button.textContent()) ?? "", /All time$/)
    await button.click()
    await panel.getByRole("button", { name: "Last 7 days" }).click()
    await is("week")
    await frame.getByText("15 events", { exact: true }).waitFor()
    assert.match((await button.textContent()) ?? "", /Last 7 days$/)
    assert.isFalse(await panel.isVisible())
    await viewer.until(`document.activeElement.closest(".period") !== null`)
    await frame.getByRole("button", { name: /^Remove filter: Period Last 7 days, 25 Feb/ }).click()
    await frame.getByText("200 events", { exact: true }).waitFor()
  })

  it.each(
    firstOf(2, [
      ["Today", "today", "2026-03-03T23:00:00.000Z", null],
      ["Yesterday", "yesterday", "2026-03-02T23:00:00.000Z", "2026-03-03T22:59:59.999999Z"],
      ["Last 90 days", "quarter", "2025-12-04T12:00:00.000Z", null],
      ["Last month", "last_month", "2026-01-31T23:00:00.000Z", "2026-02-28T22:59:59.999999Z"]
    ] as const)
  )("has %s", async (name, period, from, to) => {
    const { panel, button, is } = await open()
    await button.click()
    await panel.getByRole("button", { name, exact: true }).click()
    await is(period)
    await viewer.until(`document.querySelector(".total").textContent !== "200 events"`)
    const list = viewer.addresses
      .map((address) => new URL(address))
      .findLast(({ pathname }) => pathname.endsWith("/events"))
    assert.strictEqual(list?.searchParams.get("from"), from)
    assert.strictEqual(list?.searchParams.get("to"), to)
  })

  it("is chosen day by day with the keys of a date grid", async () => {
    const { page, panel, button, times } = await open()
    await button.click()
    await viewer.until(`document.activeElement.getAttribute("aria-pressed") === "true"`)
    await panel.locator('[data-day="2026-03-04"]').focus()
    const at = (day: string) => viewer.until(`document.activeElement.dataset.day === "${day}"`)
    for (const [key, day] of [
      ["ArrowLeft", "2026-03-03"],
      ["ArrowUp", "2026-02-24"],
      ["Home", "2026-02-23"],
      ["End", "2026-03-01"],
      ["PageUp", "2026-02-01"],
      ["Shift+PageUp", "2025-02-01"],
      ["Shift+PageDown", "2026-02-01"],
      ["ArrowRight", "2026-02-02"],
      ["ArrowDown", "2026-02-09"]
    ] as const) {
      await page.keyboard.press(key)
      await at(day)
    }
    await page.keyboard.press("Enter")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("ArrowRight")
    await at("2026-02-11")
    await page.keyboard.press("Space")
    assert.deepStrictEqual(await panel.locator('[aria-selected="true"]').allTextContents(), ["9", "10", "11"])
    await panel.getByRole("button", { name: "Apply" }).click()
    await viewer.until(`document.querySelector(".total").textContent === "6 events"`)
    assert.strictEqual(times("from"), "2026-02-08T23:00:00.000Z")
    assert.strictEqual(times("to"), "2026-02-11T22:59:59.999999Z")
    assert.match((await button.textContent()) ?? "", /9\s?–\s?11 Feb(ruary)? 2026$/)
    await button.click()
    assert.strictEqual(await panel.getByLabel("From: date").inputValue(), "2026-02-09")
    assert.strictEqual(await panel.getByLabel("To: time").inputValue(), "")
    await page.keyboard.press("Escape")
    assert.isFalse(await panel.isVisible())
  })

  it("is typed with times, and not taken where the end comes first", async () => {
    const { panel, button, times, frame } = await open()
    await button.click()
    await panel.getByLabel("From: date").fill("2026-03-03")
    await panel.getByLabel("From: time").fill("13:00:01")
    await panel.getByLabel("To: date").fill("2026-03-02")
    await panel.getByText("The end is before the beginning.").waitFor()
    await panel.getByRole("button", { name: "Apply" }).click()
    assert.isTrue(await panel.isVisible())
    await panel.getByLabel("To: date").fill("")
    await panel.getByRole("button", { name: "Apply" }).click()
    await frame.getByText("2 events", { exact: true }).waitFor()
    assert.strictEqual(times("from"), "2026-03-03T12:00:01.000Z")
    assert.isNull(times("to"))
    assert.match((await button.textContent()) ?? "", /From 3 Mar 2026, 13:00$/)
    await frame.getByRole("button", { name: /^Remove filter: From 3 Mar 2026, 13:00:01/ }).click()
    await frame.getByText("200 events", { exact: true }).waitFor()
  })

  it.each(
    firstOf(2, [
      ["en-GB", "March 2026", "Mon"],
      ["en-US", "March 2026", "Sun"],
      ["de", "März 2026", "Mo"],
      ["ja", "2026年3月", "日"]
    ] as const)
  )("has the months and weeks of %s", async (locale, month, weekday) => {
    const { button, frame } = await open({ query: `locale=${locale}` })
    await button.click()
    assert.strictEqual(await frame.locator(".calendar-head > span").textContent(), month)
    assert.strictEqual(await frame.locator('.calendar [role="columnheader"]').first().textContent(), weekday)
    await frame.locator('.calendar [aria-current="date"]', { hasText: "4" }).waitFor()
  })

  it("has the days of the zone that times are shown in", async () => {
    const { button, panel, times } = await open({ query: "zone=utc" })
    await button.click()
    await panel.getByText(/UTC/).waitFor()
    await panel.locator('[data-day="2026-03-02"]').click()
    await panel.getByRole("button", { name: "Apply" }).click()
    await viewer.until(`document.querySelector(".total").textContent === "2 events"`)
    assert.strictEqual(times("from"), "2026-03-02T00:00:00.000Z")
    assert.strictEqual(times("to"), "2026-03-02T23:59:59.999999Z")
  })

  it("gives way to whatever else is pressed", async () => {
    const { button, panel, frame } = await open()
    await button.click()
    await panel.waitFor()
    await frame.locator(".total").click()
    await panel.waitFor({ state: "detached" })
  })

  it("shows its dates and times whole, at any width", async () => {
    const { page, button, frame } = await open({ query: "period=last_week" })
    await button.click()
    for (const width of [1_280, 800, 390]) {
      await page.setViewportSize({ width, height: 800 })
      const cut = await frame.evaluate<ReadonlyArray<string>>(`
        [...document.querySelectorAll(".edge input")].flatMap((input) => {
          const given = input.offsetWidth
          input.style.flex = "none"
          input.style.width = "max-content"
          const needed = input.offsetWidth
          input.style.flex = input.style.width = ""
          return given < needed ? [given + " of " + needed] : []
        })`)
      assert.deepStrictEqual(cut, [], `at ${width}`)
      const overflow = "document.documentElement.scrollWidth - innerWidth"
      assert.isAtMost(await frame.evaluate<number>(overflow), 0)
    }
  })
})
