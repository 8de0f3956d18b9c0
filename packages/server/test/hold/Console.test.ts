/** The console on a real server, walked as a person would, with the demo's week in it. */
import { because, holdsIn, noChromium } from "@cairn/testing/Chromium"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers } from "../support/CairnProcess.ts"
import { ConsoleStage, type Look } from "../support/ConsoleStage.ts"
import { PAGES } from "../support/ConsoleWalk.ts"
import { listMembers, operatorLink, peopleDatabases } from "../support/SignInSteps.ts"
import { DATABASES } from "../support/TestDatabase.ts"

/** Milliseconds for a walk over all pages, on a busy machine. */
const LONG_ENOUGH = 900_000

const LOCALES = ["en-GB", "de-DE", "ja-JP"]
const SCHEMES = ["light", "dark"] as const
const WIDTHS = [1_280, 390]

/** Every way to look at the pages. */
const ALL: ReadonlyArray<Look> = LOCALES.flatMap((locale) =>
  SCHEMES.flatMap((scheme) => WIDTHS.map((width) => ({ locale, scheme, width })))
)

const WHOLE = isEndurance()

/** Few, in which each scheme and width is looked at, and the language of the longest words. */
const FEW: Readonly<Record<(typeof DATABASES)[number], ReadonlyArray<Look>>> = {
  SQLite: [{ locale: "en-GB", scheme: "light", width: 1_280 }],
  PostgreSQL: [{ locale: "de-DE", scheme: "dark", width: 390 }]
}

const MILLION = 1_000_000

/** Fifty events of a log of a million, from a place on. */
const pageOfMillion = (first: number) => ({
  data: Array.from({ length: 50 }, (_, index) => ({
    id: `00000000-0000-4000-8000-${String(first + index).padStart(12, "0")}`,
    actor: { id: "ada", name: "Ada", type: "user" },
    action: "document.viewed",
    action_category: null,
    resource: { type: "document", id: String(first + index), name: null },
    targets: [],
    metadata: null,
    tenant_id: null,
    session_id: null,
    ip_country: null,
    ip_city: null,
    idempotency_key: null,
    version: null,
    integrity: { event_hash: "0".repeat(64), previous_event_hash: null },
    occurred_at: "2026-03-04T12:00:00.000000Z",
    created_at: "2026-03-04T12:00:00.000000Z"
  })),
  pagination: { has_more: true, next_cursor: String(first + 50), total: MILLION }
})

for (const kind of DATABASES) {
  describe.skipIf(noChromium)(`the console on ${kind}${because}`, () => {
    killLeftovers()
    const databases = peopleDatabases(kind)
    let stage: ConsoleStage
    let database = ""

    beforeAll(async () => {
      database = (await databases.newDatabase()).database
      stage = await ConsoleStage.start({ database })
    })
    afterAll(() => stage?.stop())

    it.each(WHOLE ? ALL : FEW[kind])(
      "has no violation on any page or in any dialog, in $locale, $scheme, at $width",
      async (look) => {
        const open = await stage.open(look)
        const faults: Array<string> = []
        const check = async (where: string) => {
          for (const violation of await open.violations()) faults.push(`${where}: ${violation}`)
          const overhang = await open.overhang()
          if (overhang > 0) faults.push(`${where}: ${overhang} pixels stand over the side`)
          if ((await open.page.locator("main tr, main [data-row]").count()) > 60)
            faults.push(`${where}: more than 60 rows`)
        }
        for (const { name, openings } of PAGES) {
          await open.goTo(name)
          await check(`/${name}`)
          for (const opening of openings) {
            if (!opening.fromAnywhere) await open.goTo(name)
            await opening.open(open.page)
            await open.quiet()
            await check(`/${name}, ${opening.name}`)
          }
        }
        assert.deepStrictEqual(faults, [])
        assert.deepStrictEqual(open.errors, [])
        await open.close()
      },
      LONG_ENOUGH
    )

    it.skipIf(kind === "PostgreSQL" && !WHOLE)(
      "has no violation in any dialog that a button opens, on any page or the page of any thing",
      async () => {
        const open = await stage.open()
        const { page } = open
        const opened: Array<string> = []
        const faults: Array<string> = []
        const addresses = ["viewer?tenant=acme"]
        for (const { name } of PAGES) {
          addresses.push(name)
          await open.goTo(name)
          const thing = page.locator("main table tbody a").first()
          const href = (await thing.count()) === 0 ? null : await thing.getAttribute("href")
          const own = new RegExp(`/${name}/[^?]+`).exec(href ?? "")?.[0]
          if (own !== undefined) addresses.push(own.slice(1))
        }
        const arrive = async (address: string) => {
          await open.goTo(address)
          // There is nothing to shorten while nothing is typed.
          const days = page.getByLabel("Days that contents are kept")
          if ((await days.count()) > 0) await days.fill("1")
        }
        // Every third one in the short form.
        for (const address of addresses.filter((_, at) => WHOLE || at % 3 === 0)) {
          await arrive(address)
          const buttons = page.locator("main button:enabled")
          // Of the buttons of a kind, which stand in every row, the first.
          const kinds = new Set<string>()
          const texts = await buttons.allInnerTexts()
          for (const [index, text] of texts.entries()) {
            const [word = ""] = text.trim().split(/\s/)
            if (kinds.has(word)) continue
            kinds.add(word)
            await arrive(address)
            await buttons
              .nth(index)
              .click({ timeout: 2_000 })
              .catch(() => undefined)
            await page.waitForTimeout(300)
            if ((await page.locator("dialog[open]").count()) === 0) continue
            opened.push(`/${address}: ${text}`)
            for (const violation of await open.violations()) faults.push(`/${address}, ${text}: ${violation}`)
          }
        }
        console.info(`dialogs opened: ${opened.join("; ")}`)
        assert.deepStrictEqual(faults, [])
        assert.isAtLeast(opened.length, WHOLE ? 18 : 6)
        await open.close()
      },
      LONG_ENOUGH
    )

    // What a role may is the same on both.
    it
      .skipIf(kind === "PostgreSQL" && !WHOLE)
      .each(WHOLE ? ["admin", "developer", "auditor", "member"] : ["auditor", "member"])(
      "offers to the role %s only pages that it may see, whole",
      async (role) => {
        const members = await listMembers(apiClient(stage.server.baseUrl, stage.server.key))
        const email = members.find((member) => member.role === role)?.email ?? ""
        const theirs = await stage.as(await operatorLink({ database }, email))
        const open = await theirs.open()
        const refused: Array<string> = []
        open.page.on("response", (response) => {
          if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`)
        })
        await open.goTo("")
        const links = open.page.getByRole("navigation", { name: "Pages" }).getByRole("link")
        const names = await links.evaluateAll((all) =>
          all.map((link) => new URL((link as unknown as { href: string }).href).pathname.split("/")[3] ?? "")
        )
        assert.isAtLeast(names.length, 5)
        for (const name of names) {
          await open.goTo(name)
          // That pages have no violation is looked at above, as the owner sees them.
          if (WHOLE) assert.deepStrictEqual(await open.violations(), [], `/${name}`)
        }
        assert.deepStrictEqual(refused, [])
        assert.deepStrictEqual(open.errors, [])
        // What is not offered is refused by the service, and the page says so.
        for (const { name } of PAGES.filter((page) => !names.includes(page.name))) {
          await open.goTo(name)
          assert.deepStrictEqual(await open.violations(), [], `/${name}, refused`)
          if (!WHOLE) break
        }
        await open.close()
      },
      LONG_ENOUGH
    )

    it("shows a log of a million with few rows and requests, however far one scrolls", async () => {
      const open = await stage.open()
      const { page } = open
      let asked: Array<string> = []
      await page.route("**/api/v1/events*", async (route) => {
        const url = new URL(route.request().url())
        asked.push(url.pathname)
        const first = Number(url.searchParams.get("cursor") ?? 0)
        await route.fulfill({ json: pageOfMillion(first) })
      })
      await page.route("**/api/v1/events/count*", (route) =>
        route.fulfill({ json: { data: { total: MILLION } } })
      )
      await page.route("**/api/v1/events/proofs", (route) => {
        asked.push("proofs")
        return route.fulfill({ json: { checkpoint: "", events: [] } })
      })
      await open.goTo("events")
      await page.getByText("1,000,000 events").waitFor()
      for (let screen = 1; screen <= 40; screen++) {
        asked = []
        await page.evaluate("scrollBy(0, innerHeight)")
        await holdsIn(
          page.mainFrame(),
          `[...document.querySelectorAll("[data-row]")].some((row) => row.getBoundingClientRect().top > innerHeight / 2 && row.querySelector("time"))`
        )
        await open.quiet()
        assert.isAtMost(asked.length, 4, `screen ${screen}: ${asked}`)
        assert.isAtMost(await page.locator("main [data-row]").count(), 60)
      }
      await open.close()
    })
  })
}
