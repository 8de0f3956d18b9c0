/** The report on paper, printed by a real browser: one page and an appendix. */
import { naughtyStrings, testBundle, testLog } from "@cairn/testing"
import { because, noChromium } from "@cairn/testing/Chromium"
import { connectChromium } from "@cairn/testing/SharedChromium"
import { firstOf } from "@cairn/testing/TrialCases"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Browser, Page } from "playwright-core"
import type { VerifyOptions } from "../../src/index.ts"
import { serviceKey, signer, signerOf } from "../Bundles.ts"
import { chain, edit, editContent, event, honest, knowing, type Lines, log } from "../tampering/Tampering.ts"
import { reportOf, type TestFile } from "./Documents.ts"

const known: VerifyOptions = { ...knowing, trustedKeys: [serviceKey], knownBlocks: chain.blocks }
const LONG = "Wide ".repeat(60)
const UNBROKEN = "W".repeat(255)

const withNames = (name: string): Lines =>
  [3, 4, 5, 17, 18].reduce<Lines>(
    (lines, sequence) =>
      edit(
        lines,
        event(sequence),
        editContent({ action: `a.${name}`, actor: { id: name, name, type: "user" } })
      ),
    honest
  )

const file = (content: Lines | Uint8Array, name = "bundle.gz"): TestFile => ({ name, content })
const foreign = testBundle(log, { signer: signerOf(9) })
const allWrong = honest.map((line) => line.replace(/"salt":"\w+"/, `"salt":"${"0".repeat(32)}"`))

const cases: ReadonlyArray<
  readonly [string, readonly [TestFile] | readonly [TestFile, TestFile], VerifyOptions]
> = [
  ["an intact file, with all that can be known", [file(honest)], known],
  ["an intact file, alone", [file(honest)], {}],
  ["an empty range", [file(testBundle(testLog({ events: 3 }), { from: 4, to: 3, signer }))], {}],
  ["a file that is none", [file(Uint8Array.of(1, 2, 3))], known],
  ["a file of which all is wrong", [file(allWrong)], known],
  ["a file that another key signed", [file(foreign)], known],
  ["events with long names", [file(withNames(LONG), LONG)], known],
  ["events with unbroken names", [file(withNames(UNBROKEN), UNBROKEN)], known],
  ["two files, all of the later wrong", [file(honest, UNBROKEN), file(allWrong, UNBROKEN)], known],
  ["two files, the earlier wrong", [file(allWrong, LONG), file(honest, LONG)], known],
  ["two files of other logs", [file(testBundle(testLog({ events: 9, seed: 2 }))), file(honest)], known],
  ["two files, with nothing known", [file(honest), file(honest)], {}],
  ...naughtyStrings
    .filter((text) => text !== "")
    .filter((_, index) => index % 12 === 0)
    .map((text) => [`events named ${JSON.stringify(text)}`, [file(withNames(text), text)], known] as const)
]

/** Pages of a PDF: Chromium writes one object of this type for each. */
const pagesOf = (pdf: Uint8Array): number =>
  Buffer.from(pdf)
    .toString("latin1")
    .match(/\/Type\s*\/Page\b/g)?.length ?? 0

describe.skipIf(noChromium)(`a printed report${because}`, () => {
  let browser: Browser | undefined
  let page: Page
  const errors: Array<string> = []

  beforeAll(async () => {
    browser = await connectChromium()
    page = await browser.newPage()
    page.on("console", (message) => errors.push(message.text()))
    page.on("pageerror", (error) => errors.push(String(error)))
    page.on("request", (request) => errors.push(`it asked for ${request.url()}`))
  })
  afterAll(async () => {
    await browser?.close()
  })

  it.each(firstOf(3, cases))("is one page and an appendix: %s", async (_, files, options) => {
    // The sentence of a page is the longer one.
    const { html } = await Effect.runPromise(
      reportOf(files, options, { page: "https://audit.a-service-with-a-long-name.example:8443" })
    )
    await page.setContent(html)
    const style = await page.evaluate<string>(
      'getComputedStyle(document.querySelector(".verdict .word")).fontWeight'
    )
    assert.strictEqual(style, "700", "its own policy forbids its style")
    const sideways = await page.evaluate<number>(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert.isAtMost(sideways, 0, "it is wider than the window")
    const pages = async (without: string) => {
      await page.setContent(html)
      if (without !== "") await page.evaluate(`document.querySelector("${without}").remove()`)
      return [pagesOf(await page.pdf({ format: "A4" })), pagesOf(await page.pdf({ format: "Letter" }))]
    }
    assert.deepStrictEqual(await pages(".appendix"), [1, 1], "more than one page")
    const appendix = await pages(".first")
    const whole = await pages("")
    assert.deepStrictEqual(
      whole,
      appendix.map((count) => count + 1),
      "the appendix does not begin on a page of its own"
    )
    assert.deepStrictEqual(errors, [])
  })
})
