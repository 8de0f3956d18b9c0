/** An auditor's first visit: from the overview to a report of the log, with nothing but the console. */
import { readFileSync } from "node:fs"
import { because, noChromium } from "@cairn/testing/Chromium"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers } from "../support/CairnProcess.ts"
import { ConsoleStage } from "../support/ConsoleStage.ts"
import { listMembers, operatorLink, peopleDatabases } from "../support/SignInSteps.ts"

describe.skipIf(noChromium)(`an auditor in the console${because}`, () => {
  killLeftovers()
  const { newDatabase } = peopleDatabases("SQLite")
  let stage: ConsoleStage
  let database = ""

  beforeAll(async () => {
    database = (await newDatabase()).database
    stage = await ConsoleStage.start({ database })
  })
  afterAll(() => stage?.stop())

  it("exports evidence, checks it without uploading it, and saves the report", async () => {
    const members = await listMembers(apiClient(stage.server.baseUrl, stage.server.key))
    const email = members.find(({ role }) => role === "auditor")?.email ?? ""
    const theirs = await stage.as(await operatorLink({ database }, email))
    const { page, errors, goTo, close } = await theirs.open()
    await goTo("")
    await page.getByRole("link", { name: "Check the file here, in your browser" }).waitFor()
    await page.getByRole("link", { name: "Export an evidence file" }).click()
    await page.getByRole("button", { name: "Start export" }).click()
    // The newest one, whose file is there in a moment.
    await page.locator("main table tbody a", { hasText: "Evidence" }).first().click()
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click()
    ])
    const file = await download.path()
    await page.getByRole("link", { name: "Check the file in the browser" }).click()
    await page.getByRole("heading", { name: "Check a file" }).waitFor()
    await page.waitForLoadState("networkidle")
    const requests: Array<string> = []
    page.on("request", (request) => {
      // The page's own program may still be loaded.
      if (!/^blob:|\/console\/assets\//.test(request.url())) requests.push(request.url())
    })
    await page.locator(".check-drop input").setInputFiles(file)
    await page.locator("#check-verdict", { hasText: "Intact by itself" }).waitFor()
    const [report] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save report" }).click()
    ])
    const saved = readFileSync(await report.path(), "utf8")
    assert.include(saved, theirs.server.workspaceId)
    assert.include(saved, "INTACT BY ITSELF")
    assert.deepStrictEqual(requests, [])
    await goTo("integrity")
    await page.getByRole("link", { name: "Check an evidence file without trusting this service" }).click()
    await page.getByRole("heading", { name: "Check a file" }).waitFor()
    assert.deepStrictEqual(errors, [])
    await close()
  })
})
