/** Every page to sign in, in each language, light and dark, wide and narrow, in a real browser. */
import { because, noChromium } from "@cairn/testing/Chromium"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { LANGUAGES } from "../../../../src/http/signin/pages/index.ts"
import { casesIn, LONGEST, layoutsOf, MODES } from "./Layouts.ts"
import { PageStage } from "./PageStage.ts"
import { everywhere, samplePages } from "./SamplePages.ts"

const cases = casesIn()

describe.skipIf(noChromium)(`every page to sign in, in a browser${because}`, () => {
  let stage: PageStage

  beforeAll(async () => {
    stage = await PageStage.start()
  })
  afterAll(() => stage?.stop())

  it.each(layoutsOf(cases))("has no violation: $name in $language", async ({ page }) => {
    await stage.show(page)
    for (const { colorScheme, width } of MODES) {
      await stage.page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      await stage.page.setViewportSize({ width, height: 800 })
      assert.deepStrictEqual(await stage.violations(), [], `${colorScheme}, ${width} px`)
      assert.isAtMost(await stage.overhang(), 0)
    }
    assert.deepStrictEqual(stage.errors, [])
    assert.deepStrictEqual(stage.reports, [])
  })

  it.each(cases)("fits into 320 pixels, also with larger letters: $name in $language", async ({ page }) => {
    await stage.page.setViewportSize({ width: 320, height: 640 })
    await stage.show(page)
    assert.isAtMost(await stage.overhang(), 0)
    // WCAG 2.2, 1.4.4: text may be twice as large.
    await stage.page.evaluate('document.documentElement.style.fontSize = "200%"')
    assert.isAtMost(await stage.overhang(), 0)
  })

  it.each(LANGUAGES)("fits into 320 pixels with the longest addresses and names in %s", async (language) => {
    await stage.page.setViewportSize({ width: 320, height: 640 })
    for (const [name, page] of Object.entries(samplePages(language, everywhere(LONGEST)))) {
      await stage.show(page)
      assert.isAtMost(await stage.overhang(), 0, name)
    }
  })
})
