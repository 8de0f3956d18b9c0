/** The sentences of a workspace, set on the console's page and told by its list, in a real browser. */
import { because, noChromium } from "@cairn/testing/Chromium"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers } from "../support/CairnProcess.ts"
import { ConsoleStage } from "../support/ConsoleStage.ts"
import { peopleDatabases } from "../support/SignInSteps.ts"

describe.skipIf(noChromium)(`sentences of one's own in the console${because}`, () => {
  killLeftovers()
  const databases = peopleDatabases("SQLite")
  let stage: ConsoleStage

  beforeAll(async () => {
    stage = await ConsoleStage.start({ database: (await databases.newDatabase()).database })
  })
  afterAll(() => stage?.stop())

  it("are refused by line, saved, told by the list, and removed again", async () => {
    const client = apiClient(stage.server.baseUrl, stage.server.key)
    const event = { actor_id: "ada", actor_name: "Ada", action: "kettle.boiled", resource_name: "Kettle 7" }
    assert.strictEqual((await client.send(event)).status, 202)
    const open = await stage.open()
    const { page } = open
    await open.goTo("viewer")
    const lines = page.getByLabel("Your sentences, one a line")
    const save = page.getByRole("button", { name: "Save sentences" })
    await lines.fill("kettle.*: {actor} made tea")
    await save.click()
    await page.getByText("Not an action, a language and a sentence, or given twice: kettle.*").waitFor()
    await lines.fill("kettle.* en: {who} made tea")
    await save.click()
    await page.getByText(/^kettle\.\*\.en: must have no other braces/).waitFor()
    assert.deepStrictEqual(await open.violations(), [])
    await lines.fill("kettle.* en: {actor} made tea with {resource}")
    await save.click()
    await page.getByText("Saved.").waitFor()
    await page.reload()
    await lines.waitFor()
    assert.strictEqual(await lines.inputValue(), "kettle.* en: {actor} made tea with {resource}")
    await open.goTo("events?action=kettle.boiled")
    await page.locator("main [data-row]", { hasText: "Ada made tea with Kettle 7" }).waitFor()
    await open.goTo("viewer")
    await lines.fill("")
    await save.click()
    await page.getByText("Saved.").waitFor()
    const answer = await client.request("GET", "/api/v1/viewer/settings")
    assert.deepStrictEqual(answer.body, { data: { sentences: {} } })
    assert.deepStrictEqual(
      open.errors.filter((error) => !/status of (?:401|422)/.test(error)),
      []
    )
    await open.close()
  })
})
