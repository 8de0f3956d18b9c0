/** How the page comes to be: the list first, nothing that jumps, and little to wait for on a slow line. */
import { gzipSync } from "node:zlib"
import { Micros } from "@cairn/core/encoding"
import { ordinaryEvents } from "@cairn/testing"
import { because, noChromium } from "@cairn/testing/Chromium"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { dataOf, type SeenRequest } from "./support/FakeService.ts"
import { testTenant } from "./support/TestTenant.ts"
import { builtFiles, NOW, type OpenViewer, ViewerStage } from "./support/ViewerStage.ts"

/** Bytes that a slow line brings in the two seconds within which the first rows are there. */
const TWO_SECONDS = 2 * 50_000

const tenant = testTenant(ordinaryEvents(120, { seed: 10 }), { until: NOW * 1_000 - 90 * Micros.SECOND })

describe.skipIf(noChromium)(`the viewer that is opened${because}`, () => {
  let stage: ViewerStage
  let viewer: OpenViewer

  beforeAll(async () => {
    stage = await ViewerStage.start(dataOf(tenant), tenant.workspaceId)
  })
  afterAll(() => stage?.stop())
  afterEach(async () => {
    await viewer.close()
    stage.service.delayOf = () => 0
    stage.service.requests.length = 0
  })

  const isList = ({ url }: SeenRequest) => url.pathname === "/api/v1/events"

  /** Lets the list wait until the function is called that is given back. */
  const holdList = (): (() => void) => {
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    stage.service.delayOf = (request) => (isList(request) ? answered : 0)
    return () => answer()
  }

  it("asks for its list before all else, and for nothing else until it is there", async () => {
    const answer = holdList()
    viewer = await stage.open()
    await viewer.frame.waitForSelector(".list[aria-busy='true']")
    const asked = () => stage.service.asked("/api/").map(({ url }) => url.pathname)
    // What it would ask for beside its list has had time to come.
    await viewer.frame.evaluate(
      "new Promise((resolve) => requestIdleCallback(() => setTimeout(resolve, 300)))"
    )
    assert.deepStrictEqual(asked(), ["/api/v1/events"])
    answer()
    await viewer.frame.waitForSelector('[data-row="0"] time')
    await viewer.frame.getByText("120 events").waitFor()
    assert.includeMembers(
      asked(),
      ["events/count", "events/histogram", "events/proofs", "viewer/settings"].map(
        (path) => `/api/v1/${path}`
      )
    )
  })

  it("shows its rows while count and histogram are still awaited", async () => {
    stage.service.delayOf = (request) => (isList(request) ? 0 : 60_000)
    viewer = await stage.open()
    await viewer.frame.waitForSelector('[data-row="0"] time')
    await viewer.frame.getByText("Counting…").waitFor()
    assert.strictEqual(await viewer.frame.locator(".bar").count(), 0)
  })

  it("has what its first rows need within two seconds at 50 kB a second", async () => {
    holdList()
    viewer = await stage.open()
    await viewer.frame.waitForSelector(".list[aria-busy='true']")
    // What was asked for before there is a row.
    const asked = new Set(viewer.addresses.map((address) => new URL(address).pathname))
    assert.lengthOf(await viewer.frame.$$('[data-row="0"] time'), 0)
    const files = (await builtFiles())
      .filter(({ path }) => asked.has(path))
      .map(({ encoded }) => encoded.br?.length ?? Number.NaN)
    assert.isAtLeast(files.length, 3, [...asked].join())
    const list = JSON.stringify(dataOf(tenant).list(new URLSearchParams({ limit: "50" })))
    // As the service answers: the page in Brotli, the list in gzip.
    const bytes = files.reduce((sum, size) => sum + size, 0) + gzipSync(list).length
    console.info(`The first rows: ${bytes} bytes`)
    // Two fifths are left for the way there and back, and for starting the page.
    assert.isBelow(bytes, 0.6 * TWO_SECONDS)
  })

  it.each([
    [1_280, 720],
    [390, 740]
  ])("does not jump while it is read, at %i by %i", async (width, height) => {
    const answer = holdList()
    const { delayOf } = stage.service
    stage.service.delayOf = (request) =>
      isList(request) ? delayOf(request) : request.url.pathname.endsWith("/histogram") ? 600 : 400
    viewer = await stage.open({ context: { viewport: { width, height } }, framed: false })
    await viewer.frame.waitForSelector(".list[aria-busy='true'] .cell-wait")
    const at = () =>
      viewer.frame.evaluate<number>(`document.querySelector(".rows").getBoundingClientRect().top`)
    const waiting = await at()
    answer()
    await viewer.frame.waitForSelector('[data-row="0"] time')
    const read = await at()
    await viewer.frame.waitForSelector(".bar", { state: "attached" })
    await viewer.frame.getByText("50 of 50 shown events verified").waitFor()
    assert.deepStrictEqual([waiting, read], [await at(), await at()])
    const shift = await viewer.frame.evaluate<number>(`new Promise((resolve) => {
      let sum = 0
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value
      }).observe({ type: "layout-shift", buffered: true })
      setTimeout(() => resolve(sum), 200)
    })`)
    assert.isBelow(shift, 0.02)
  })

  it("is printed with every row that was read, what filters it and its zone, and without controls", async () => {
    viewer = await stage.open({ framed: false, query: "search=e&theme=dark" })
    await viewer.frame.waitForSelector('[data-row="0"] time')
    await viewer.until(
      `(scrollTo(0, document.documentElement.scrollHeight), document.querySelector('[data-row="119"] time'))`
    )
    const rows = Number.parseInt((await viewer.frame.locator(".total").textContent()) ?? "", 10)
    assert.isAbove(rows, 60)
    assert.isBelow(await viewer.frame.locator("[data-row]").count(), 60)
    await viewer.page.emulateMedia({ media: "print" })
    try {
      // At once: a browser takes its picture right after.
      const printed = await viewer.frame.evaluate<number>(
        `(dispatchEvent(new Event("beforeprint")), document.querySelectorAll("[data-row] time").length)`
      )
      assert.strictEqual(printed, rows)
      const head = (await viewer.frame.locator(".print-head").textContent()) ?? ""
      for (const text of ["Search: e", `${rows} of ${rows} events`, "Occurred: Europe/Berlin", "4 Mar 2026"])
        assert.include(head, text)
      assert.match((await viewer.frame.locator('[data-row="0"] time').textContent()) ?? "", /4 Mar 2026.*CET/)
      assert.strictEqual(await viewer.frame.locator("main button:visible, main input:visible").count(), 0)
      const overlap = await viewer.frame.evaluate<number>(`(() => {
        const rows = Array.from(document.querySelectorAll("[data-row]"), (row) => row.getBoundingClientRect())
        return rows.filter(({ top }, index) => index > 0 && top < rows[index - 1].bottom - 1).length
      })()`)
      assert.strictEqual(overlap, 0)
      assert.strictEqual(
        await viewer.frame.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor"),
        "rgb(255, 255, 255)"
      )
      await viewer.frame.evaluate(`dispatchEvent(new Event("afterprint"))`)
      assert.isBelow(await viewer.frame.locator("[data-row]").count(), 60)
    } finally {
      await viewer.page.emulateMedia({ media: null })
    }
  })
})
