/** Names and events that were written to break out of the console: they are text, and break nothing. */
import { HOSTILE_MARKUP, hostileEvents } from "@cairn/testing"
import { because, noChromium } from "@cairn/testing/Chromium"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { killLeftovers, startServer } from "../support/CairnProcess.ts"
import { ConsoleStage, type OpenPage } from "../support/ConsoleStage.ts"
import { PAGES } from "../support/ConsoleWalk.ts"
import { everywhere, HOSTILE_TEXTS } from "../support/HostileTexts.ts"
import { addMember, operatorLink, peopleDatabases } from "../support/SignInSteps.ts"

/** Milliseconds for a walk over all pages, on a busy machine. */
const LONG_ENOUGH = 900_000

const OWNER = "ada@example.com"

const maker = (client: ApiClient) => async (path: string, body: unknown) => {
  const { status } = await client.request("POST", path, body)
  assert.oneOf(status, [201, 202], `${path} ${JSON.stringify(body)}`)
}

/** Whatever of a workspace has a name gets each of the texts. */
const nameAll = async (client: ApiClient, text: string): Promise<void> => {
  const make = maker(client)
  await make("/api/v1/events", everywhere(text))
  await make("/api/v1/api-keys", { name: text, scopes: ["read"] })
  await make("/api/v1/webhooks", {
    url: `https://hooks.example.com/${encodeURIComponent(text)}`,
    description: text
  })
  await make("/api/v1/alert-rules", {
    name: text,
    rule_type: "repeated_action",
    action: text.slice(0, 200),
    parameters: { threshold: 1_000, window_seconds: 60 }
  })
}

describe.skipIf(noChromium)(`hostile names and events in the console${because}`, () => {
  killLeftovers()
  const databases = peopleDatabases("SQLite")
  let stage: ConsoleStage
  let open: OpenPage

  beforeAll(async () => {
    const { database } = await databases.newDatabase()
    const server = await startServer({ database, tenant: true })
    const client = apiClient(server.baseUrl, server.key)
    await addMember({ database }, server.workspaceId, OWNER, "owner")
    for (const text of HOSTILE_TEXTS) await nameAll(client, text)
    const make = maker(client)
    await make("/api/v1/exports", { search: HOSTILE_MARKUP[1] })
    await make("/api/v1/log-streams", {
      name: HOSTILE_MARKUP[1],
      action: HOSTILE_MARKUP[1],
      destination: { type: "https", url: "https://hooks.example.com/" }
    })
    for (const { json, refusedAt } of hostileEvents) {
      if (refusedAt === undefined) await client.request("POST", "/api/v1/events", JSON.parse(json))
    }
    await client.request("PATCH", "/api/v1/workspace", { name: HOSTILE_MARKUP[1] })
    stage = await ConsoleStage.of(server, await operatorLink({ database }, OWNER))
    open = await stage.open()
    open.page.on("dialog", (dialog) => assert.fail(`a dialog came up: ${dialog.message()}`))
  }, LONG_ENOUGH)
  afterAll(() => stage?.stop())

  /** What must never come to be. The viewer's own frame is the console's. */
  const isUnharmed = async (where: string) => {
    const harm = await open.page.evaluate<string>(
      `String(globalThis.pwned ?? "") + [...document.querySelectorAll("main script, main img, main iframe[srcdoc], main style, h1#out, a[href^=javascript]")].map((element) => element.outerHTML)`
    )
    assert.strictEqual(harm, "", where)
    assert.isFalse(
      await open.page.evaluate<boolean>(
        `/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText + document.title)`
      ),
      `${where}: a character that turns text`
    )
    // An id in the address that is none is not found.
    assert.deepStrictEqual(
      open.errors.filter((error) => !error.includes("status of 404")),
      [],
      where
    )
  }

  it(
    "are text on every page and in every dialog",
    async () => {
      for (const { name, openings } of PAGES) {
        await open.goTo(name)
        await isUnharmed(`/${name}`)
        for (const opening of openings) {
          if (!opening.fromAnywhere) await open.goTo(name)
          await opening.open(open.page)
          await open.quiet()
          await isUnharmed(`/${name}, ${opening.name}`)
        }
      }
    },
    LONG_ENOUGH
  )

  it(
    "are text in each open event",
    async () => {
      await open.goTo("events")
      await open.page.locator("[data-row]").first().click()
      await open.page.locator(".drawer .statement").waitFor()
      for (let step = 0; step < 40; step++) {
        await isUnharmed(open.page.url())
        await open.page.keyboard.press("ArrowRight")
      }
    },
    LONG_ENOUGH
  )

  it("in the address do nothing", async () => {
    for (const text of HOSTILE_TEXTS) {
      await open.goTo(`events?${new URLSearchParams({ search: text, event: text })}`)
      await isUnharmed(text)
      await open.page.goto(`${stage.home}/${encodeURIComponent(text)}`)
      await open.page.locator("main h1").first().waitFor()
    }
  })
})
