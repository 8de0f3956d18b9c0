/**
 * The viewer against WCAG 2.2 AA as far as axe-core can tell, and its pictures at three sizes and in both
 * themes.
 */

import { readFileSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { ordinaryEvents } from "@cairn/testing"
import { because, noChromium } from "@cairn/testing/Chromium"
import { firstOf } from "@cairn/testing/TrialCases"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import type { AxeResults } from "axe-core"
import { dataOf } from "./support/FakeService.ts"
import { testTenant } from "./support/TestTenant.ts"
import { NOW, type OpenViewer, ViewerStage } from "./support/ViewerStage.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Where the pictures go; the folder is ignored by version control. */
const artefacts = fileURLToPath(new URL("../artefacts/", import.meta.url))

const SIZES = [
  { size: "phone", width: 360, height: 740 },
  { size: "tablet", width: 820, height: 1_180 },
  { size: "desktop", width: 1_440, height: 900 }
]
const cases = SIZES.flatMap((size) => (["light", "dark"] as const).map((theme) => ({ ...size, theme })))

const CHANGED = {
  actor_id: "user_ada",
  actor_name: "Ada Lovelace",
  action: "settings.updated",
  resource: "settings",
  resource_name: "Engine settings",
  metadata: {
    before: { colour: "red", rows: 10 },
    after: { colour: "blue", rows: 20 },
    nested: { deep: { list: [1, 2] } }
  }
}
const tenant = testTenant([...ordinaryEvents(149, { seed: 4 }), CHANGED], { until: NOW * 1_000 - 90_000_000 })
const forged = tenant.stored.at(-4)?.id

describe.skipIf(noChromium)(`the viewer, for everyone${because}`, () => {
  let stage: ViewerStage
  let viewer: OpenViewer | undefined

  beforeAll(async () => {
    await mkdir(artefacts, { recursive: true })
    const show = dataOf(tenant, (event) =>
      event.id === forged ? { ...event, action: "user.promoted" } : event
    )
    stage = await ViewerStage.start(show, tenant.workspaceId)
  })
  afterAll(() => stage?.stop())
  afterEach(async () => {
    await viewer?.close()
    viewer = undefined
    stage.service.instead = () => undefined
  })

  /** In the page, for the elements that pass take longer to hand over than all rules to run. */
  const violations = async ({ frame }: OpenViewer) => {
    if (!(await frame.evaluate<boolean>('"axe" in globalThis'))) await frame.evaluate(axe)
    const found = await frame.evaluate<AxeResults["violations"]>(
      'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)'
    )
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)
  }
  /** Waits until what is shown has been drawn and no longer moves. */
  const isStill = ({ frame }: OpenViewer) =>
    frame.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      .then(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)))
      .then(() => undefined)`)

  it.each(firstOf(1, cases))(
    "has no violation on a $size in $theme, list and drawer",
    async ({ size, width, height, theme }) => {
      viewer = await stage.open({ query: `theme=${theme}`, context: { viewport: { width, height } } })
      const { page, frame } = viewer
      await frame.waitForSelector('[data-row="3"] .mark[data-mark="broken"]')
      await frame.waitForSelector(".bar", { state: "attached" })
      await page.screenshot({ path: `${artefacts}list-${size}-${theme}.png` })
      assert.deepStrictEqual(await violations(viewer), [])
      assert.isAtMost(await frame.evaluate<number>("document.documentElement.scrollWidth - innerWidth"), 0)
      await frame.locator('[data-row="0"]').click()
      await frame.waitForSelector(".statement")
      await isStill(viewer)
      await page.screenshot({ path: `${artefacts}drawer-${size}-${theme}.png` })
      assert.deepStrictEqual(await violations(viewer), [])
    }
  )

  it.each(
    firstOf(1, [
      ["an event whose verification failed", `event=${forged}`, 200, ".statement[data-mark=broken]"],
      ["nothing that matches", "search=nothing-of-the-kind", 200, ".notice-title"],
      ["an expired token", "", 401, ".notice-title"],
      ["a service that fails", "", 500, ".notice-title"]
    ] as const)
  )("has no violation with %s", async (name, query, status, selector) => {
    if (status !== 200) stage.service.instead = () => ({ status, body: {} })
    viewer = await stage.open({ query, context: { viewport: { width: 820, height: 700 } } })
    await viewer.frame.waitForSelector(selector)
    await isStill(viewer)
    await viewer.page.screenshot({ path: `${artefacts}${name.replaceAll(" ", "-")}.png` })
    assert.deepStrictEqual(await violations(viewer), [])
  })

  it.each(
    firstOf(1, [
      ["en", "dark", 1_280],
      ["de", "light", 360],
      ["ja", "dark", 390]
    ] as const)
  )(
    "has no violation in %s in %s at %i px, with suggestions and the calendar open",
    async (locale, theme, width) => {
      viewer = await stage.open({
        query: `locale=${locale}&theme=${theme}&accent=ffcc00&action=user.*&action=settings.*&search=a`,
        context: { viewport: { width, height: 740 } }
      })
      const { frame, page } = viewer
      const overflow = "document.documentElement.scrollWidth - innerWidth"
      await frame.waitForSelector('[data-row="0"] .mark:not([data-mark="checking"])')
      await frame.getByRole("combobox").fill("ada")
      await frame.getByRole("option", { name: /^Ada Lovelace/ }).waitFor()
      await page.screenshot({ path: `${artefacts}suggestions-${locale}.png` })
      assert.deepStrictEqual(await violations(viewer), [])
      assert.isAtMost(await frame.evaluate<number>(overflow), 0)
      await page.keyboard.press("Escape")
      await frame.locator(".period > button").click()
      await frame.locator('[aria-current="date"]').click()
      await page.screenshot({ path: `${artefacts}calendar-${locale}.png` })
      assert.deepStrictEqual(await violations(viewer), [])
      assert.isAtMost(await frame.evaluate<number>(overflow), 0)
    }
  )

  it("names rows, cells and marks for those who listen", async () => {
    viewer = await stage.open()
    await viewer.frame.waitForSelector('[data-row="3"] .mark[data-mark="broken"]')
    const tree = await viewer.frame.locator(".list").ariaSnapshot()
    assert.match(tree, /^- grid "Audit log":/)
    assert.match(tree, /row "Verified 1 minute ago Ada Lovelace updated Engine settings settings\.updated/)
    assert.match(tree, /row "Verification failed .* user\.promoted/)
  })

  it("is read at four times the size without scrolling sideways", async () => {
    // WCAG 2.2, 1.4.10: 320 CSS pixels are a width of 1,280 at 400 %.
    viewer = await stage.open({ context: { viewport: { width: 320, height: 256 } } })
    await viewer.frame.waitForSelector('[data-row="0"]', { state: "attached" })
    assert.isAtMost(
      await viewer.frame.evaluate<number>("document.documentElement.scrollWidth - innerWidth"),
      0
    )
    await viewer.frame.evaluate(`document.documentElement.style.fontSize = "200%"`)
    await isStill(viewer)
    assert.isAtMost(
      await viewer.frame.evaluate<number>("document.documentElement.scrollWidth - innerWidth"),
      0
    )
  })
})
