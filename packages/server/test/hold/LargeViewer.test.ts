/**
 * The viewer over a large log, on both databases: a week of events, or a million of them where trials run
 * whole.
 */
import { existsSync } from "node:fs"
import type { EventInput } from "@cairn/core/event"
import { because, launchChromium, noChromium, PATIENCE, SERVICE_HOST } from "@cairn/testing/Chromium"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { builtPage } from "@cairn/viewer"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Browser, Page } from "playwright-core"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { DATABASES, testDatabases } from "../support/TestDatabase.ts"

const unbuilt = !existsSync(new URL("index.html", builtPage))
const reason = `${because}${unbuilt ? " (skipped: the page is not built, `npm run build` does)" : ""}`

const EVENTS = isEndurance() ? 1_000_000 : 6_000
const BATCH = 100
/** Milliseconds for anything that takes the longer the more events there are. */
const LONG_ENOUGH = 180_000 + 5 * EVENTS
const WEEK = 7 * 86_400_000
/** Each so many events is one of Ada's. */
const RARE = 997
/** Events of a session. */
const SESSION = 20
const SCREENS = 40
/** Bytes a second of a slow connection. */
const SLOW = 50_000

/** Events occurred in another order than that of the log, all within the week before `end`. */
const eventAt = (index: number, end: number): EventInput => ({
  occurred_at: new Date(end - ((index * 7_919) % EVENTS) * Math.floor(WEEK / EVENTS)).toISOString(),
  actor_id: index % RARE === 0 ? "usr_ada" : `usr_${index % 61}`,
  actor_name: index % RARE === 0 ? "Ada Lovelace" : `Person ${index % 61}`,
  action: index % 3 === 0 ? "document.deleted" : "document.viewed",
  resource: "document",
  resource_id: `doc_${index}`,
  resource_name: `Document ${index}`,
  session_id: `ses_${Math.floor(index / SESSION)}`,
  metadata: { index }
})

const ADAS = Math.ceil(EVENTS / RARE)

const decodeToken = Schema.decodeUnknownSync(Schema.Struct({ token: Schema.String }))
const decodeTotal = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Struct({ total: Schema.Number }) }))

const told = (count: number) => `${count.toLocaleString("en")} ${count === 1 ? "event" : "events"}`

for (const kind of DATABASES) {
  describe.skipIf(noChromium || unbuilt)(`the viewer of ${EVENTS} events on ${kind}${reason}`, () => {
    killLeftovers()
    const { newDatabase } = testDatabases(kind)
    const end = Date.now() - 60_000
    let client: ApiClient
    let address: string
    let browser: Browser

    const countOf = async (query: Record<string, string>) =>
      decodeTotal((await client.get("/events/count", query)).body).data.total

    beforeAll(async () => {
      const { database } = await newDatabase()
      const tenant = await makeTenant("Large", { database })
      const server = await startServer({ database })
      client = apiClient(server.baseUrl, tenant.key)
      for (let at = 0; at < EVENTS; at += 4 * BATCH)
        await Promise.all(
          [0, 1, 2, 3].map((part) => {
            const first = at + part * BATCH
            const count = Math.max(0, Math.min(BATCH, EVENTS - first))
            const events = Array.from({ length: count }, (_, index) => eventAt(first + index, end))
            return count === 0 ? undefined : client.acceptBatch(events)
          })
        )
      await eventually(
        "all are in the chain and in the index",
        async () => ((await countOf({ search: "Ada Lovelace" })) === ADAS ? true : undefined),
        LONG_ENOUGH
      )
      const { body } = await client.request("POST", "/api/v1/viewer-token", { ttl: 86_400 })
      const { port } = new URL(server.baseUrl)
      address = `http://${SERVICE_HOST}:${port}/viewer?${new URLSearchParams({ locale: "en", token: decodeToken(body).token })}`
      browser = await launchChromium()
    }, LONG_ENOUGH)
    afterAll(() => browser?.close())

    const open = async (query = "", slow = false): Promise<Page> => {
      const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1_280, height: 800 } })
      context.setDefaultTimeout(PATIENCE)
      const page = await context.newPage()
      if (slow) {
        const session = await context.newCDPSession(page)
        await session.send("Network.enable")
        const bytes = { downloadThroughput: SLOW, uploadThroughput: SLOW }
        await session.send("Network.emulateNetworkConditions", { offline: false, latency: 0, ...bytes })
      }
      await page.goto(`${address}${query}`, { waitUntil: "commit" })
      return page
    }

    it("shows all, newest occurrence first, with few rows, however far one scrolls", async () => {
      const page = await open("&resource=document")
      await page.getByText(told(EVENTS), { exact: true }).waitFor()
      const seen = new Set<number>()
      // The end of what is loaded stops the scrolling until more has come.
      for (let screen = 0; screen < 20 * SCREENS && seen.size < SCREENS; screen++) {
        await page.evaluate(`new Promise((resolve) => {
          scrollBy(0, innerHeight * 0.9)
          requestAnimationFrame(() => requestAnimationFrame(resolve))
        })`)
        await page.waitForFunction(
          `document.querySelectorAll(".rows .row").length > 10 && document.querySelector(".rows .cell-wait") === null`
        )
        assert.isAtMost(await page.locator(".rows .row").count(), 60)
        const times = await page.locator("[data-row]").evaluateAll((rows) =>
          rows
            .map((row) => [
              Number(row.getAttribute("data-row")),
              Date.parse(row.querySelector("time")?.getAttribute("datetime") ?? "")
            ])
            .sort(([one = 0], [other = 0]) => one - other)
            .map(([, time = Number.NaN]) => time)
        )
        assert.deepStrictEqual(
          times,
          times.toSorted((one, other) => other - one)
        )
        seen.add(times.at(-1) ?? Number.NaN)
      }
      assert.strictEqual(seen.size, SCREENS)
      await page.context().close()
    })

    it("finds one person, one session and one day", async () => {
      const page = await open()
      await page.locator(".search-box input").fill("Ada")
      await page.getByRole("option", { name: /^Ada Lovelace usr_ada/ }).click()
      await page.getByText(told(ADAS), { exact: true }).waitFor()
      assert.strictEqual(ADAS, await countOf({ actor_id: "usr_ada" }))
      await page.locator('[data-row="0"]').click()
      await page.locator(".drawer").getByRole("button", { name: "Only this session" }).click()
      await page.getByText(told(SESSION), { exact: true }).waitFor()
      await page.context().close()
      const from = new Date(end - WEEK / 2).toISOString()
      const day = { from, to: new Date(Date.parse(from) + 86_400_000).toISOString() }
      const total = await countOf({ ...day, time: "occurred" })
      assert.isAbove(total, EVENTS / 8)
      const narrowed = await open(`&${new URLSearchParams(day)}`)
      await narrowed.getByText(told(total), { exact: true }).waitFor()
      await narrowed.context().close()
    })

    it("has its first rows soon over a slow connection", async () => {
      const began = performance.now()
      const page = await open("", true)
      await page.locator('[data-row="0"] time').waitFor()
      const slow = performance.now() - began
      await page.context().close()
      const again = performance.now()
      const quick = await open()
      await quick.locator('[data-row="0"] time').waitFor()
      await quick.locator(".search-box input").fill("Ada")
      await quick.getByRole("option", { name: /^Search for Ada/ }).waitFor()
      console.info(
        `${kind}, ${EVENTS} events: first rows after ${slow.toFixed(0)} ms at ${SLOW / 1_000} kB/s; ` +
          `interactive after ${(performance.now() - again).toFixed(0)} ms`
      )
      await quick.context().close()
    })
  })
}
