/** Every page to sign in, in each language, light and dark, wide and narrow, in a real browser. */
import { because, noChromium } from "@cairn/testing/Chromium"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { LANGUAGES } from "../../../../src/http/signin/pages/index.ts"
import { casesIn, LONGEST, layoutsOf, MODES } from "./Layouts.ts"
import { PageStage } from "./PageStage.ts"
import { everywhere, samplePages } from "./SamplePages.ts"

const cases = casesIn()

/** Light and dark, wide and narrow: in the short form each once, on every other page the other way round. */
const modesOf = (index: number) =>
  isEndurance() ? MODES : MODES.filter((_, at) => (at === 0 || at === 3) === (index % 2 === 0))

describe.skipIf(noChromium)(`every page to sign in, in a browser${because}`, () => {
  let stage: PageStage

  beforeAll(async () => {
    stage = await PageStage.start()
  })
  afterAll(() => stage?.stop())

  it.each(layoutsOf(cases).map((layout, index) => ({ ...layout, modes: modesOf(index) })))(
    "has no violation: $name in $language",
    async ({ page, modes }) => {
      await stage.show(page)
      for (const { colorScheme, width } of modes) {
        await stage.page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
        await stage.page.setViewportSize({ width, height: 800 })
        assert.deepStrictEqual(await stage.violations(), [], `${colorScheme}, ${width} px`)
        assert.isAtMost(await stage.overhang(), 0)
      }
      assert.deepStrictEqual(stage.errors, [])
      assert.deepStrictEqual(stage.reports, [])
    }
  )

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
