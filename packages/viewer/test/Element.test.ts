/** `<cairn-viewer>` on a product's page, in a real browser, on another origin than the service. */
import { Micros } from "@cairn/core/encoding"
import { ordinaryEvents } from "@cairn/testing"
import { because, launchChromium, noChromium, PATIENCE, SERVICE_HOST, watch } from "@cairn/testing/Chromium"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Browser, BrowserContext, Frame, Page } from "playwright-core"
import { type ElementHost, startElementHost } from "./support/ElementHost.ts"
import { dataOf, FakeService, NOW } from "./support/FakeService.ts"
import { testTenant } from "./support/TestTenant.ts"
import { builtFiles } from "./support/ViewerStage.ts"

const tenant = testTenant(ordinaryEvents(120, { seed: 31 }), {
  until: NOW * 1_000 - 90 * Micros.SECOND
})

/** A token, as far as the page reads it; the service of the test takes every one. */
const tokenFor = (seconds: number, name = "first"): string => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
  const exp = Math.floor(NOW / 1_000) + seconds
  return [part({ alg: "HS256" }), part({ sub: tenant.workspaceId, exp, name }), "c2ln"].join(".")
}

/** Waits until something holds. */
const until = async (page: Page, holds: () => boolean): Promise<void> => {
  const deadline = performance.now() + PATIENCE
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`it does not come to hold: ${holds}`)
    await page.waitForTimeout(20)
  }
}

describe.skipIf(noChromium)(`<cairn-viewer>${because}`, () => {
  let service: FakeService
  let host: ElementHost
  let browser: Browser
  let context: BrowserContext

  beforeAll(async () => {
    service = await FakeService.start(await builtFiles(), dataOf(tenant))
    host = await startElementHost(`http://${SERVICE_HOST}:${service.port}`)
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    host?.stop()
    service?.stop()
  })
  afterEach(async () => {
    await context?.close()
    service.instead = () => undefined
    service.requests.length = 0
  })

  const visit = async (body: string, head = "") => {
    host.answer = () => ({ token: tokenFor(3_600) })
    context = await browser.newContext({ locale: "en-GB" })
    context.setDefaultTimeout(PATIENCE)
    const page = await context.newPage()
    const watched = watch(page)
    await page.goto(host.page(body, head))
    return { page, ...watched }
  }
  /** The viewer's document, once it shows an event. */
  const shown = async (page: Page, index = 0): Promise<Frame> => {
    const element = page.locator("cairn-viewer").nth(index)
    const handle = await element.locator("iframe").elementHandle()
    const frame = await handle?.contentFrame()
    if (frame === null || frame === undefined) throw new Error("the element has no frame")
    await frame.waitForSelector('[data-row="0"]')
    return frame
  }

  it("fetches a token and shows the log with it, and the token is in no address and no attribute", async () => {
    const { page, errors, addresses } = await visit('<cairn-viewer token-url="/token"></cairn-viewer>')
    const frame = await shown(page)
    assert.deepStrictEqual(errors, [])
    const [, payload = ""] = tokenFor(0).split(".")
    assert.isAbove(payload.length, 40)
    for (const address of addresses) assert.notInclude(address, "eyJ")
    assert.notInclude(frame.url(), "eyJ")
    const html = await page.evaluate<string>(
      `document.querySelector("cairn-viewer").outerHTML + document.querySelector("cairn-viewer").shadowRoot.innerHTML`
    )
    assert.notInclude(html, "eyJ")
    assert.match(service.asked("/api/v1/events")[0]?.authorization ?? "", /^Bearer eyJ/)
  })

  it("gets another token before one ends, while the reader goes on", async () => {
    host.answer = () => ({})
    const { page } = await visit("")
    let issued = 0
    host.answer = () => ({ token: tokenFor(4, `token ${issued++}`) })
    await page.evaluate(
      `document.querySelector("main").innerHTML = '<cairn-viewer token-url="/token"></cairn-viewer>'`
    )
    const frame = await shown(page)
    const before = service.requests.length
    await until(page, () => issued > 1)
    assert.strictEqual(service.requests.length, before, "it was not loaded again")
    await frame.getByRole("button", { name: "Refresh" }).click()
    await until(page, () => service.requests.length > before)
    const bearer = service.requests.at(-1)?.authorization ?? ""
    assert.include(Buffer.from(bearer.split(".")[1] ?? "", "base64url").toString(), "token 1")
  })

  it("gets another token when the service takes the last one no more", async () => {
    const { page } = await visit('<cairn-viewer token-url="/token"></cairn-viewer>')
    const frame = await shown(page)
    const refused = service.asked("/api/v1/events")[0]?.authorization
    host.answer = () => ({ token: tokenFor(3_600, "second") })
    service.instead = ({ authorization }) =>
      authorization === refused ? { status: 401, body: { error: "unauthorized", message: "" } } : undefined
    await frame.getByRole("button", { name: "Refresh" }).click()
    await frame.getByText("120 events").waitFor()
    assert.notStrictEqual(service.requests.at(-1)?.authorization, refused)
  })
})
