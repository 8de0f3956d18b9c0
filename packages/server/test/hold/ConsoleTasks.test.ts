/** What people come to the console for, done from beginning to end on a real server. */
import { because, noChromium } from "@cairn/testing/Chromium"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { killLeftovers } from "../support/CairnProcess.ts"
import { ConsoleStage, type OpenPage } from "../support/ConsoleStage.ts"
import { peopleDatabases } from "../support/SignInSteps.ts"

describe.skipIf(noChromium)(`in the console${because}`, () => {
  killLeftovers()
  const databases = peopleDatabases("SQLite")
  let stage: ConsoleStage
  let open: OpenPage

  beforeAll(async () => {
    stage = await ConsoleStage.start(await databases.newDatabase())
  })
  afterAll(() => stage?.stop())
  afterEach(async () => {
    assert.deepStrictEqual(open.errors, [])
    await open.close()
  })

  it("one finds who exported what last week, from the page of exports", async () => {
    open = await stage.open()
    const { page } = open
    await open.goTo("exports?new=csv")
    await page.getByRole("button", { name: "Start export" }).click()
    const row = page.locator("main tbody tr").first()
    await row.getByRole("button", { name: "Download" }).waitFor()
    const owner = await row.locator("td[data-label='Requested by'] a").innerText()
    const download = page.waitForEvent("download")
    await row.getByRole("button", { name: "Download" }).click()
    await (await download).path()
    await row.getByRole("link", { name: "CSV" }).click()
    await page.locator(".facts").getByRole("link", { name: owner }).waitFor()
    await open.goTo("exports")
    await page.getByRole("link", { name: "This week" }).click()
    await page.waitForURL(/period=this_week/)
    await page.getByRole("button", { name: /^Remove filter: Period This week/ }).waitFor()
    const list = page.locator("main [data-row]")
    await list.filter({ hasText: "cairn.access.downloads" }).first().waitFor()
    await list.filter({ hasText: "cairn.export.created" }).first().waitFor()
    for (const text of await list.allInnerTexts()) {
      assert.match(text, /cairn\.(?:export|access\.downloads)/)
    }
    assert.include(await list.filter({ hasText: "cairn.export.created" }).first().innerText(), owner)
    await page.reload()
    await list.first().waitFor()
    assert.strictEqual(await page.getByRole("combobox", { name: "Period" }).inputValue(), "this_week")
  })
})
