/** The pages in a real browser, under their policy: for everyone, on every screen, with any text. */
import { because, noChromium } from "@cairn/testing/Chromium"
import { firstOf, isTrial } from "@cairn/testing/TrialCases"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { casesIn, LONGEST, layoutsOf, MODES } from "./Layouts.ts"
import { PageStage } from "./PageStage.ts"
import { everywhere, ORDINARY, samplePages } from "./SamplePages.ts"

/** In German, whose words are the longest; `EveryPage.trial.ts` looks at each language. */
const cases = casesIn(["de"])
const layouts = layoutsOf(cases)

describe.skipIf(noChromium)(`the pages to sign in, in a browser${because}`, () => {
  let stage: PageStage

  beforeAll(async () => {
    stage = await PageStage.start()
  })
  afterAll(() => stage?.stop())

  it("would be found to breach their policy", async () => {
    await stage.show('<!doctype html><html lang="en"><title>x</title><style>p{color:red}</style><p>x</p>')
    await stage.page.waitForTimeout(100)
    assert.isAbove(stage.errors.length, 0)
    assert.isAbove(stage.reports.length, 0)
    await stage.stop()
    stage = await PageStage.start()
  })

  it.each(
    firstOf(
      4,
      layouts.map((layout, index) => ({ ...layout, ...MODES[index % MODES.length] }))
    )
  )(
    "have no violation: $name, $colorScheme, $width px",
    async ({ page, colorScheme = "light", width = 1_280 }) => {
      await stage.show(page)
      await stage.page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      await stage.page.setViewportSize({ width, height: 800 })
      assert.deepStrictEqual(await stage.violations(), [])
      assert.isAtMost(await stage.overhang(), 0)
      assert.deepStrictEqual(stage.errors, [])
      assert.deepStrictEqual(stage.reports, [])
    }
  )

  it.each(firstOf(4, cases))("fit into 320 pixels, also with larger letters: $name", async ({ page }) => {
    await stage.page.setViewportSize({ width: 320, height: 640 })
    await stage.show(page)
    assert.isAtMost(await stage.overhang(), 0)
    // WCAG 2.2, 1.4.4: text may be twice as large.
    await stage.page.evaluate('document.documentElement.style.fontSize = "200%"')
    assert.isAtMost(await stage.overhang(), 0)
  })

  if (isTrial())
    it("fit into 320 pixels with the longest addresses and names", async () => {
      await stage.page.setViewportSize({ width: 320, height: 640 })
      for (const [name, page] of Object.entries(samplePages("de", everywhere(LONGEST)))) {
        await stage.show(page)
        assert.isAtMost(await stage.overhang(), 0, name)
      }
    })

  it.each(firstOf(4, layouts))("have buttons for fingers: $name", async ({ page }) => {
    await stage.page.setViewportSize({ width: 390, height: 800 })
    await stage.show(page)
    const small = await stage.page.evaluate<ReadonlyArray<string>>(
      `Array.from(document.querySelectorAll("button, a, input:not([type=hidden])"))
        .filter((element) => element.getBoundingClientRect().height < 44)
        .map(({ outerHTML }) => outerHTML)`
    )
    assert.deepStrictEqual(small, [])
  })

  it("load their style sheet, and nothing from elsewhere", async () => {
    await stage.page.emulateMedia({ colorScheme: "light" })
    await stage.show(samplePages("en")["sign-in"] ?? "")
    assert.strictEqual(
      await stage.page.evaluate<string>(
        'getComputedStyle(document.querySelector(".button.first")).backgroundColor'
      ),
      "rgb(11, 92, 173)"
    )
    for (const address of stage.addresses) {
      assert.isTrue(address.startsWith(stage.address("/")) || address.startsWith("data:"), address)
    }
  })

  it("show where the keyboard is, and send what was typed", async () => {
    await stage.show(samplePages("en")["sign-in"] ?? "")
    const outlines: Array<string> = []
    for (let press = 0; press < 3; press++) {
      await stage.page.keyboard.press("Tab")
      outlines.push(
        await stage.page.evaluate<string>(
          "(({ localName }, { outlineStyle }) => localName + ' ' + outlineStyle)(document.activeElement, getComputedStyle(document.activeElement))"
        )
      )
    }
    assert.deepStrictEqual(outlines, ["a solid", "input solid", "button solid"])
    await stage.page.fill("#email", "ada@example.com")
    await Promise.all([stage.page.waitForNavigation(), stage.page.press("#email", "Enter")])
    assert.deepStrictEqual(stage.sent.at(-1), {
      path: "/sign-in/email",
      fields: { return: ORDINARY.returnTo, email: "ada@example.com" }
    })
    assert.deepStrictEqual(stage.reports, [])
  })

  it.each(
    firstOf(1, [
      "<script>globalThis.pwned = 1</script>",
      `"><img src=x onerror='globalThis.pwned = 1'>`,
      "</title></main><h1 id=out>out</h1><!--",
      "' autofocus onfocus='globalThis.pwned = 1"
    ])
  )("show a hostile text as a text, which breaks nothing: %s", async (text) => {
    for (const [name, page] of Object.entries(samplePages("en", everywhere(text)))) {
      if (name === "needs-https-by-number") continue
      await stage.show(page)
      const found = await stage.page.evaluate<ReadonlyArray<string>>(
        `[String(globalThis.pwned), ...Array.from(
          document.querySelectorAll("script, style, img, iframe, #out, [autofocus], [onfocus], [onerror]"),
          ({ outerHTML }) => outerHTML
        )]`
      )
      assert.deepStrictEqual(found, ["undefined"], name)
      assert.strictEqual(await stage.page.locator("h1").count(), 1, name)
      assert.strictEqual(await stage.page.locator("footer bdi").textContent(), text, name)
    }
    assert.deepStrictEqual(stage.reports, [])
  })
})
