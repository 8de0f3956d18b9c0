/** What the console does when people come and go, in a real browser. */
import { because, noChromium } from "@cairn/testing/Chromium"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers } from "../support/CairnProcess.ts"
import { ConsoleStage, type OpenPage } from "../support/ConsoleStage.ts"
import { operatorLink, peopleDatabases, postMember } from "../support/SignInSteps.ts"

describe.skipIf(noChromium)(`people in the console${because}`, () => {
  killLeftovers()
  const databases = peopleDatabases("SQLite")
  let stage: ConsoleStage
  let opened: Array<OpenPage> = []
  let database = ""

  beforeAll(async () => {
    database = (await databases.newDatabase()).database
    stage = await ConsoleStage.start({ database })
  })
  afterAll(() => stage?.stop())
  afterEach(async () => {
    for (const open of opened) await open.close()
    opened = []
  })

  /** Opens the console as the owner, or as whom a link is for. */
  const openAs = async (email?: string) => {
    const theirs = email === undefined ? stage : await stage.as(await operatorLink({ database }, email))
    const open = await theirs.open()
    opened.push(open)
    return open
  }
  const client = () => apiClient(stage.server.baseUrl, stage.server.key)

  it("who lowers and then removes somebody is asked about the keys that the person has made", async () => {
    const { id } = await postMember(client(), "kim@example.com", "admin")
    const theirs = await openAs("kim@example.com")
    await theirs.goTo("keys")
    const made = await theirs.page.evaluate<ReadonlyArray<number>>(`(async () => {
      const workspace = location.pathname.split("/")[2]
      const headers = { "content-type": "application/json", "x-cairn-workspace": workspace }
      const make = (name, scopes) =>
        fetch("/api/v1/api-keys", { method: "POST", headers, body: JSON.stringify({ name, scopes }) })
      const answers = [await make("Kim sends", ["ingest"]), await make("Kim reads", ["read"])]
      return answers.map(({ status }) => status)
    })()`)
    assert.deepStrictEqual(made, [201, 201])
    const { page, goTo } = await openAs()
    const tick = (name: string) => page.getByRole("checkbox", { name: new RegExp(name) })
    await goTo(`members/${id}`)
    assert.strictEqual(await tick("Kim").count(), 0)
    await page.getByRole("radio", { name: /^Auditor/ }).check()
    await tick("Kim sends").waitFor()
    // An auditor reads, and sends nothing.
    assert.isTrue(await tick("Kim sends").isChecked())
    assert.isFalse(await tick("Kim reads").isChecked())
    await page.getByRole("button", { name: "Save" }).click()
    await goTo("keys")
    await page.getByRole("row", { name: /Kim sends.*Revoked/s }).waitFor()
    assert.strictEqual(await page.getByRole("row", { name: /Kim reads.*Revoked/s }).count(), 0)
    await goTo(`members/${id}`)
    await page.getByRole("button", { name: "Remove member" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("checkbox", { name: /Kim reads/ }).waitFor()
    assert.isTrue(await dialog.getByRole("checkbox", { name: /Kim reads/ }).isChecked())
    await dialog.getByRole("textbox").fill("kim@example.com")
    await dialog.getByRole("button", { name: "Remove member" }).click()
    await page.waitForURL(/\/members$/)
    await goTo("keys")
    await page.getByRole("row", { name: /Kim reads.*Revoked/s }).waitFor()
  })

  it("a tab that shows one person begins anew once another has signed in in the browser", async () => {
    await postMember(client(), "ann@example.com", "auditor")
    await postMember(client(), "bob@example.com", "admin")
    const { page, goTo } = await openAs("ann@example.com")
    await goTo("events")
    await page.evaluate("globalThis.isKept = true")
    const other = await page.context().newPage()
    await other.goto(`${stage.server.baseUrl}${await operatorLink({ database }, "bob@example.com")}`)
    await other.locator("main form button").click()
    await other.waitForURL(/\/w\/wsp_/)
    const refused = page.waitForResponse((answer) => answer.status() === 403)
    const anew = page.waitForEvent("load")
    await Promise.all([refused, anew, page.getByRole("link", { name: "Members" }).first().click()])
    assert.isFalse(await page.evaluate<boolean>('"isKept" in globalThis'))
    await page.getByText("bob@example.com").first().waitFor()
    const me = await page.evaluate<string>(`fetch("/api/v1/me").then((answer) => answer.text())`)
    assert.include(me, "bob@example.com")
  })
})
