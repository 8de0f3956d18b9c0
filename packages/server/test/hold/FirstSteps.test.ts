/** The overview of a workspace that nobody has used yet: what to do first, until something was done. */
import { because, noChromium } from "@cairn/testing/Chromium"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers, startServer } from "../support/CairnProcess.ts"
import { ConsoleStage } from "../support/ConsoleStage.ts"
import { addMember, operatorLink, peopleDatabases } from "../support/SignInSteps.ts"

const LONG_ENOUGH = 300_000

describe.skipIf(noChromium)(`a workspace that nobody has used yet${because}`, () => {
  killLeftovers()
  const databases = peopleDatabases("SQLite")
  let stage: ConsoleStage | undefined
  afterAll(() => stage?.stop())
  beforeAll(async () => {
    const { database } = await databases.newDatabase()
    const server = await startServer({ database, tenant: true })
    await addMember({ database }, server.workspaceId, "ada@example.com", "owner")
    stage = await ConsoleStage.of(server, await operatorLink({ database }, "ada@example.com"))
  }, LONG_ENOUGH)

  it(
    "says what to do first, leads to the form of each, and stops when an application has sent an event",
    async () => {
      if (stage === undefined) return assert.fail("it has not started")
      const { page, goTo, close, errors } = await stage.open()
      await goTo("")
      const card = page
        .locator("section, article, div")
        .filter({ has: page.getByText("First steps") })
        .last()
      await card.waitFor()
      const steps = await page.locator(".overview-steps a").allInnerTexts()
      assert.lengthOf(steps, 3)
      for (const step of steps) {
        await goTo("")
        await page.getByRole("link", { name: step }).click()
        await page.locator("main form").first().waitFor()
      }
      const { server } = stage
      await apiClient(server.baseUrl, server.key).send({ actor_id: "ada", action: "invoice.paid" })
      await page.waitForTimeout(1_000)
      await goTo("")
      await page.getByText("The last seven days").waitFor()
      assert.strictEqual(await page.locator(".overview-steps").count(), 0)
      assert.deepStrictEqual(errors, [])
      await close()
    },
    LONG_ENOUGH
  )
})
