/** The console when something cannot be reached, was updated, or is no longer allowed: it says so. */
import { because, noChromium } from "@cairn/testing/Chromium"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Page, Route } from "playwright-core"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers, startServer } from "../support/CairnProcess.ts"
import { ConsoleStage, type OpenPage } from "../support/ConsoleStage.ts"
import { PAGES } from "../support/ConsoleWalk.ts"
import { addMember, operatorLink, peopleDatabases } from "../support/SignInSteps.ts"

/** Milliseconds for one test, on a busy machine. */
const LONG_ENOUGH = 300_000

const OWNER = "ada@example.com"

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (route: Route) =>
    route.fulfill({ status, contentType: "application/json", headers, body: JSON.stringify(body) })

const unavailable = json(503, { error: "unavailable", message: "The inbox is full" }, { "retry-after": "30" })

const words = (page: Page): Promise<string> => page.locator("main").innerText()

/** Waits for words in the page's main part. */
const says = (page: Page, text: RegExp): Promise<void> =>
  page.locator("main").filter({ hasText: text }).first().waitFor()

describe.skipIf(noChromium)(`the console${because}`, () => {
  killLeftovers()
  const databases = peopleDatabases("SQLite")
  let database: Parameters<typeof operatorLink>[0]
  let stage: ConsoleStage

  beforeAll(async () => {
    const made = await databases.newDatabase()
    database = { database: made.database }
    const server = await startServer({ ...database, tenant: true })
    await addMember(database, server.workspaceId, OWNER, "owner")
    stage = await ConsoleStage.of(server, await operatorLink(database, OWNER))
  }, LONG_ENOUGH)
  afterAll(() => stage?.stop())

  const opened = async (use: (open: OpenPage) => Promise<void>) => {
    const open = await stage.open()
    try {
      await use(open)
      const uncaught = open.errors.filter((error) => !/Failed to load resource|net::ERR/.test(error))
      assert.deepStrictEqual(uncaught, [])
    } finally {
      await open.close()
    }
  }

  it(
    "says that a page could not be loaded, loads anew once by itself, and goes on when it can",
    () =>
      opened(async ({ page, goTo }) => {
        let asked = 0
        let isGone = true
        await goTo("events")
        await page.route(/\/console\/.*Members.*\.(?:js|css)$/, (route) => {
          asked++
          return isGone ? json(404, { error: "not_found" })(route) : route.continue()
        })
        let loads = 0
        page.on("load", () => loads++)
        await page.getByRole("link", { name: "Members", exact: true }).click()
        await says(page, /This page could not be loaded/)
        await page.waitForTimeout(2_000)
        await says(page, /This page could not be loaded/)
        assert.isAbove(asked, 0)
        assert.isAtMost(loads, 1, "it loads anew again and again")
        // Other pages go on.
        await page.getByRole("link", { name: "Usage", exact: true }).click()
        await says(page, /This month|Usage/)
        await page.getByRole("link", { name: "Members", exact: true }).click()
        await says(page, /This page could not be loaded/)
        isGone = false
        await page.getByRole("button", { name: "Try again" }).click()
        await page.getByRole("heading", { name: "Members", level: 1 }).waitFor()
      }),
    LONG_ENOUGH
  )

  it(
    "says so without a connection, and goes on by itself when it is back",
    () =>
      opened(async ({ page, goTo }) => {
        await goTo("")
        await page.context().setOffline(true)
        await page.getByRole("link", { name: "Usage", exact: true }).click()
        await says(page, /This page could not be loaded/)
        await page.context().setOffline(false)
        await page.getByRole("heading", { name: "Usage", level: 1 }).waitFor()
      }),
    LONG_ENOUGH
  )

  it(
    "has words on the screen while the service has not said who has signed in",
    () =>
      opened(async ({ page }) => {
        let answer = () => {}
        const answered = new Promise<void>((resolve) => {
          answer = resolve
        })
        await page.route(/\/api\/v1\/me$/, async (route) => {
          await answered
          await route.continue()
        })
        await page.goto(`${stage.home}/events`, { waitUntil: "commit" })
        await page.getByRole("status").filter({ hasText: "Loading…" }).waitFor()
        await page.getByRole("status").filter({ hasText: "has not answered yet" }).waitFor()
        answer()
        await page.getByRole("heading", { name: "Events", level: 1 }).waitFor()
      }),
    LONG_ENOUGH
  )

  it(
    "says on every page that the service cannot answer, and not that there were too many requests",
    () =>
      opened(async ({ page, goTo }) => {
        for (const { name } of PAGES) {
          await page.unrouteAll()
          await page.route(/\/api\/v1\/(?!me$)/, unavailable)
          await page.goto(`${stage.home}/${name}`)
          await page.locator("main h1").first().waitFor()
          await page.waitForTimeout(500)
          assert.notInclude(await words(page), "Too many requests", name)
          assert.isNotEmpty((await words(page)).trim(), name)
        }
        await page.unrouteAll()
        await page.route(/\/api\/v1\/(?!me$)/, unavailable)
        await goTo("members").catch(() => {})
        await says(page, /The service cannot answer right now/)
      }),
    LONG_ENOUGH
  )

  it(
    "says that the access has ended, and not that the role is too low",
    async () => {
      const { server } = stage
      const owner = apiClient(server.baseUrl, server.key)
      const member = await addMember(database, server.workspaceId, "bob@example.com", "auditor")
      const bob = await stage.as(await operatorLink(database, "bob@example.com"))
      const { page, goTo, close } = await bob.open()
      await goTo("events")
      const end = Date.now() + 2_000
      const ending = { expires_at: new Date(end).toISOString() }
      const changed = await owner.request("PATCH", `/api/v1/members/${member.id}`, ending)
      assert.strictEqual(changed.status, 200)
      await page.waitForTimeout(Math.max(0, end - Date.now()) + 1_000)
      await page.getByRole("link", { name: "Members", exact: true }).click()
      await page.getByText("You are in no workspace").waitFor()
      await page.getByText("or your access has ended").waitFor()
      await close()
    },
    LONG_ENOUGH
  )
})
