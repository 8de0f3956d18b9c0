/**
 * The viewer that the server itself serves, in a real browser, in a frame of a product on another origin,
 * over plain http.
 */
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Event, EventInput } from "@cairn/core/event"
import { ordinaryEvents } from "@cairn/testing"
import {
  because,
  holdsIn,
  launchChromium,
  noChromium,
  PATIENCE,
  type Product,
  SERVICE_HOST,
  startProduct,
  watch
} from "@cairn/testing/Chromium"
import { builtPage } from "@cairn/viewer"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Browser, BrowserContext, Frame } from "playwright-core"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { cairnJson, killLeftovers, type Server, startServer, type Tenant } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const SHIFTED_CLOCK = new URL("../support/ShiftedClock.mjs", import.meta.url).href

const unbuilt = !existsSync(new URL("index.html", builtPage))
const reason = `${because}${unbuilt ? " (skipped: the page is not built, `npm run build` does)" : ""}`

const of = (tenant_id: string, count: number, seed: number): ReadonlyArray<EventInput> =>
  ordinaryEvents(count, { seed }).map((event) => ({ ...event, tenant_id }))

/** Shown to the reader: three lots, so that they are spread over some seconds. */
const LOTS = [of("acme", 60, 1), of("acme", 50, 2), of("acme", 30, 3)]
const CHANGED: EventInput = {
  actor_id: "user_ada",
  actor_name: "Ada Lovelace",
  action: "settings.updated",
  resource: "settings",
  resource_id: "set_1",
  tenant_id: "acme",
  metadata: {
    before: { colour: "red", limits: { rows: 10 }, kept: 1 },
    after: { colour: "blue", limits: { rows: 20 }, kept: 1, added: true },
    reason: "spring"
  }
}
/** What the tenant must not see, not even that it is there. */
const SECRET = "zwiebelkuchen"
const THEIRS = of("globex", 40, 4).map((event): EventInput => ({ ...event, metadata: { recipe: SECRET } }))

const SHOWN = LOTS.flat().length + 1

const decodeToken = Schema.decodeUnknownSync(Schema.Struct({ token: Schema.String }))
const decodeProofs = Schema.decodeUnknownSync(Schema.Struct({ events: Schema.Array(Schema.Unknown) }))

describe.skipIf(noChromium || unbuilt)(`the viewer of a server${reason}`, () => {
  const folder = temporaryFolder()
  killLeftovers()
  const database = join(folder, "cairn.db")
  const clock = join(folder, "clock")
  let tenant: Tenant
  let server: Server
  let client: ApiClient
  let product: Product
  let browser: Browser
  let contexts: Array<BrowserContext> = []
  let events: ReadonlyArray<Event>
  let theirs: Event | undefined

  const listed = async (tenant_id: string, count: number) =>
    eventually(`${count} events of ${tenant_id} are in the chain`, async () => {
      const found = await client.list({ tenant_id })
      return found.length === count && found.every(({ integrity }) => integrity.event_hash !== null)
        ? found
        : undefined
    })

  beforeAll(async () => {
    const [first = [], second = [], third = []] = LOTS
    tenant = await seedTenant(database, { name: "Product", events: [...first, ...THEIRS] })
    server = await startServer({
      database,
      preload: [SHIFTED_CLOCK],
      variables: { TEST_CLOCK_FILE: clock }
    })
    client = apiClient(server.baseUrl, tenant.key)
    await client.acceptBatch(second)
    product = await startProduct()
    const update = ["workspace", "update", tenant.workspaceId, "--frame-ancestors", product.origin]
    await cairnJson(update, { database })
    await client.acceptBatch(third)
    await client.accept(CHANGED)
    events = await listed("acme", SHOWN)
    theirs = (await listed("globex", THEIRS.length))[0]
    const ids = events.slice(0, 100).map(({ id }) => id)
    await eventually("a checkpoint covers them", async () => {
      const { body } = await client.request("POST", "/api/v1/events/proofs", { ids })
      return decodeProofs(body).events.length === ids.length || undefined
    })
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    product?.stop()
  })
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()))
    contexts = []
  })

  const issue = async () => {
    const { body } = await client.request("POST", "/api/v1/viewer-token", { tenant_id: "acme" })
    return decodeToken(body).token
  }
  const address = (query: Record<string, string>) =>
    `http://${SERVICE_HOST}:${new URL(server.baseUrl).port}/viewer?${new URLSearchParams({ locale: "en", ...query })}`

  /** Opens a product's page with the viewer in its frame; `script` runs in the product's page. */
  const open = async (query: Record<string, string> = {}, around = product, script = "") => {
    const context = await browser.newContext({ locale: "en-GB", timezoneId: "Europe/Berlin" })
    contexts.push(context)
    context.setDefaultTimeout(PATIENCE)
    const page = await context.newPage()
    const watched = watch(page)
    if (script !== "") await page.addInitScript(script)
    const token = await issue()
    await page.goto(around.around(address({ token, ...query })))
    const frame = page.frames()[1]
    if (frame === undefined) throw new Error("the product's page has no frame")
    return { ...watched, page, frame, token }
  }
  /** The same, once the newest event has its mark. */
  const openRead = async (query: Record<string, string> = {}) => {
    const opened = await open(query)
    await opened.frame.waitForSelector('[data-row="0"] .mark:not([data-mark="checking"])')
    return opened
  }
  const total = async (frame: Frame) => Number.parseInt(await frame.locator(".total").innerText(), 10)
  const parameters = (frame: Frame) => new URL(frame.url()).searchParams

  it("lists a tenant's events, all of them as they are scrolled to, and verifies each in the browser", async () => {
    const { frame, errors, addresses } = await openRead()
    assert.isTrue(await frame.evaluate<boolean>("globalThis.crypto.subtle === undefined"))
    assert.strictEqual(await total(frame), SHOWN)
    const marks = new Map<string, string>()
    for (const row of [15, 40, 65, 90, 115, SHOWN - 1]) {
      await holdsIn(
        frame,
        `(scrollTo(0, document.querySelector(".rows").offsetTop + ${row - 8} * 44),
          document.querySelector('[data-row="${row}"] .mark:not([data-mark="checking"])'))`
      )
      const seen = await frame.evaluate<ReadonlyArray<[string, string]>>(
        `[...document.querySelectorAll('[data-row]:has(.mark:not([data-mark="checking"]))')].map((row) => [row.dataset.row, row.querySelector(".mark").dataset.mark])`
      )
      for (const [index, mark] of seen) marks.set(index, mark)
    }
    assert.isAbove(marks.size, 100)
    assert.deepStrictEqual([...new Set(marks.values())], ["proven"])
    const asked = (path: string) => addresses.filter((text) => new URL(text).pathname === path).length
    assert.strictEqual(asked("/api/v1/events"), 3)
    assert.strictEqual(asked("/api/v1/events/proofs"), 3, "one request a page")
    assert.deepStrictEqual(errors, [], "nothing violated the policy")
  })

  it("asks nobody but its own service, and keeps the token out of every address but the first", async () => {
    const { frame, addresses, token } = await openRead()
    const own = new URL(address({})).origin
    assert.deepStrictEqual(
      addresses.filter((text) => ![own, product.origin].includes(new URL(text).origin)),
      []
    )
    const [around, first, ...others] = addresses
    assert.include(around, encodeURIComponent(token))
    assert.include(first, token)
    assert.isAbove(others.length, 3)
    for (const text of [...others, frame.url()]) assert.notInclude(text, token)
    assert.strictEqual(await frame.evaluate<string>("document.cookie"), "")
  })

  it("survives a reload of its frame, without the token in its address", async () => {
    const { frame } = await openRead()
    await frame.evaluate("void setTimeout(() => location.reload())")
    await frame.waitForURL((url) => !url.searchParams.has("token"))
    await frame.waitForSelector('[data-row="0"] .mark[data-mark="proven"]')
    assert.strictEqual(parameters(frame).get("workspace"), tenant.workspaceId)
    assert.strictEqual(await total(frame), SHOWN)
  })

  it("is not shown in the frame of a product that the workspace does not name", async () => {
    const stranger = await startProduct()
    try {
      const { frame, errors } = await open({}, stranger)
      await eventually("the browser refuses", () => errors.find((text) => text.includes("frame-ancestors")))
      assert.isFalse(frame.url().startsWith("http://cairn.test"), frame.url())
    } finally {
      stranger.stop()
    }
  })

  it("filters by what is typed, and has the filters in its address", async () => {
    const { frame } = await openRead()
    const action = events.find(({ action }) => action !== CHANGED.action)?.action ?? ""
    const box = frame.getByRole("combobox", { name: "Search and filter" })
    await box.fill(`action:${action}`)
    await frame.getByRole("option", { name: new RegExp(`^${action} .*\\d+$`) }).click()
    const { pagination } = await client.page({ tenant_id: "acme", action, limit: 1 })
    await frame.getByText(new RegExp(`^${pagination.total} events?$`)).waitFor()
    assert.strictEqual(parameters(frame).get("action"), action)
    const again = await openRead({ search: "lovelace" })
    await again.frame.getByText("1 event", { exact: true }).waitFor()
    assert.strictEqual(parameters(again.frame).get("search"), "lovelace")
  })

  it("filters by the period that is brushed in the histogram", async () => {
    const { page, frame } = await openRead()
    await frame.waitForSelector(".bar", { state: "attached" })
    const plot = frame.locator(".plot")
    assert.match((await plot.getAttribute("aria-label")) ?? "", new RegExp(`^${SHOWN} events from`))
    const box = await plot.boundingBox()
    if (box === null) throw new Error("the histogram is not there")
    const from = box.x + 60
    await page.mouse.move(from, box.y + 30)
    await page.mouse.down()
    await page.mouse.move(from + (box.width - 60) * 0.3, box.y + 40, { steps: 4 })
    await page.mouse.up()
    await holdsIn(frame, "location.search.includes('from=') && location.search.includes('to=')")
    const chosen = parameters(frame)
    const range = { from: chosen.get("from") ?? "", to: chosen.get("to") ?? "" }
    const { pagination } = await client.page({ tenant_id: "acme", ...range, limit: 1 })
    assert.isAbove(pagination.total, 0)
    assert.isBelow(pagination.total, SHOWN)
    await frame.getByText(`${pagination.total} events`, { exact: true }).waitFor()
  })

  it("opens an event with before and after, its proof in words, and copies it as JSON", async () => {
    const { page, frame } = await openRead()
    await frame.locator('[data-row="0"]').click()
    const rows = await frame.locator(".changes tbody tr").allTextContents()
    assert.deepStrictEqual(rows, [
      "colour ~ changedredblue",
      "limits › rows ~ changed1020",
      "added + addednot settrue"
    ])
    const statement = frame.locator(".statement")
    assert.strictEqual(await statement.getAttribute("data-mark"), "proven")
    assert.include(await statement.textContent(), "Your browser computed this itself")
    await frame.getByRole("button", { name: "Copy as JSON" }).click()
    await frame.getByText("Copied").waitFor()
    await frame.evaluate(`document.querySelector(".drawer-body").prepend(document.createElement("textarea"))`)
    await frame.locator(".drawer-body textarea").focus()
    await page.keyboard.press("ControlOrMeta+V")
    const pasted = await frame.locator(".drawer-body textarea").inputValue()
    assert.deepStrictEqual(JSON.parse(pasted), events[0])
  })

  it("shows nothing of another tenant, whatever its address asks for", async () => {
    const { frame } = await openRead()
    assert.notInclude(await frame.locator("body").innerText(), SECRET)
    const searched = await open({ search: SECRET })
    await searched.frame.getByText("No event matches").waitFor()
    const widened = await openRead({ tenant_id: "globex" })
    assert.strictEqual(await total(widened.frame), SHOWN)
    const opened = await open({ event: theirs?.id ?? "" })
    await opened.frame.getByText("This event is not here").waitFor()
  })

  it("says that its token has expired, and goes on with the one that the product gives it", async () => {
    const answer = `addEventListener("message", async ({ data, source }) => {
      if (data.type === "cairn.viewer.expired") source.postMessage({ type: "cairn.viewer.token", token: await freshToken() }, "*")
    })`
    const stale = await issue()
    writeFileSync(clock, "7200")
    try {
      const silent = await open({ token: stale })
      await silent.frame.getByText("This view has expired").waitFor()
      const context = await browser.newContext()
      contexts.push(context)
      const page = await context.newPage()
      await page.exposeFunction("freshToken", issue)
      await page.addInitScript(answer)
      await page.goto(product.around(address({ token: stale })))
      await page.frameLocator("iframe").getByText(`${SHOWN} events`).waitFor()
    } finally {
      writeFileSync(clock, "0")
    }
  })

  it("shows a broken mark on an event that was changed behind the service's back, and on no other", async () => {
    const [victim] = events.slice(3)
    const db = new DatabaseSync(database, { timeout: 10_000 })
    db.exec("DROP TRIGGER event_is_never_changed")
    const { changes } = db
      .prepare("UPDATE event SET content = replace(content, :action, 'nothing.happened') WHERE id = :id")
      .run({ action: victim?.action ?? "", id: victim?.id ?? "" })
    db.close()
    assert.strictEqual(Number(changes), 1)
    const { frame, errors } = await openRead()
    await frame.waitForSelector('[data-row="3"] .mark[data-mark="broken"]')
    assert.include(await frame.locator('[data-row="3"]').innerText(), "nothing.happened")
    for (const row of [0, 1, 2, 4, 5]) {
      await frame.waitForSelector(`[data-row="${row}"] .mark[data-mark="proven"]`)
    }
    assert.strictEqual(await frame.locator('.mark[data-mark="broken"]').count(), 1)
    await frame.locator('[data-row="3"]').click()
    assert.include(await frame.locator(".statement").innerText(), "Verification failed")
    assert.deepStrictEqual(errors, [])
  })

  it("leaves to a page of the product's own what the token may read, and nothing else", async () => {
    const { page } = await open()
    const token = await issue()
    const read = (path: string, bearer: string) =>
      page.evaluate(
        async ({ url, authorization }) => {
          const answer = await fetch(url, { headers: { authorization } }).catch(() => undefined)
          return answer === undefined
            ? "kept from the page"
            : `${answer.status} ${answer.headers.has("x-request-id")}`
        },
        {
          url: `http://${SERVICE_HOST}:${new URL(server.baseUrl).port}${path}`,
          authorization: `Bearer ${bearer}`
        }
      )
    assert.strictEqual(await read("/api/v1/events?limit=1", token), "200 true")
    assert.strictEqual(await read("/api/v1/events?limit=0", token), "400 true")
    assert.strictEqual(await read("/api/v1/workspace", token), "kept from the page")
    assert.strictEqual(await read("/api/v1/events?limit=1", tenant.key), "kept from the page")
  })

  it("is not all that a browser is shown: the documentation runs under a policy without inline scripts", async () => {
    const context = await browser.newContext()
    contexts.push(context)
    const page = await context.newPage()
    const refused: Array<string> = []
    page.on("console", (message) => {
      if (message.text().includes("Content Security Policy")) refused.push(message.text())
    })
    await page.goto(`http://${SERVICE_HOST}:${new URL(server.baseUrl).port}/docs`)
    await page.locator(".opblock-summary-control").first().click({ timeout: PATIENCE })
    await page.locator(".opblock-body").first().waitFor({ timeout: PATIENCE })
    assert.deepStrictEqual(refused, [])
  })
})
