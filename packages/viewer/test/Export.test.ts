/** What the filter finds, as a file: only where the token allows it, and whole or not at all. */
import { text } from "node:stream/consumers"
import { Micros } from "@cairn/core/encoding"
import { ordinaryEvents } from "@cairn/testing"
import { because, noChromium } from "@cairn/testing/Chromium"
import { firstOf } from "@cairn/testing/TrialCases"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { dataOf } from "./support/FakeService.ts"
import { testTenant } from "./support/TestTenant.ts"
import { NOW, type OpenViewer, ViewerStage, viewerToken } from "./support/ViewerStage.ts"

const tenant = testTenant(ordinaryEvents(60, { seed: 9 }), { until: NOW * 1_000 - 90 * Micros.SECOND })

/** Has the browser ask where to save, and keep what is written in the page. */
const WITH_PICKER = `(() => {
  globalThis.saved = ""
  globalThis.file = { closed: false, removed: false, name: "" }
  globalThis.showSaveFilePicker = async ({ suggestedName }) => {
    file.name = suggestedName
    return {
      createWritable: async () => new WritableStream({
        write: (bytes) => { saved += new TextDecoder().decode(bytes) },
        close: () => { file.closed = true }
      }),
      remove: async () => { file.removed = true }
    }
  }
})()`

describe.skipIf(noChromium)(`an export of what is filtered${because}`, () => {
  let stage: ViewerStage
  let viewer: OpenViewer

  beforeAll(async () => {
    stage = await ViewerStage.start(dataOf(tenant), tenant.workspaceId)
  })
  afterAll(() => stage?.stop())
  afterEach(async () => {
    await viewer.close()
    stage.service.instead = () => undefined
    stage.service.delayOf = () => 0
    stage.service.requests.length = 0
  })

  const open = async (claims: object, query = "") => {
    viewer = await stage.open({ token: viewerToken(tenant.workspaceId, claims), query })
    await viewer.frame.waitForSelector('[data-row="0"] time')
  }
  const button = (format: string) => viewer.frame.getByRole("button", { name: `Export as ${format}` })

  it.each(firstOf(2, [{}, { export: false }, { export: "true" }, { export: 1 }]))(
    "is not offered to the holder of a token with %j",
    async (claims) => {
      await open(claims)
      assert.strictEqual(await viewer.frame.getByRole("button", { name: /^Export/ }).count(), 0)
    }
  )

  it("is downloaded with its filter, its times and the token in no address", async () => {
    await open({ export: true }, "action=user.*&clock=recorded")
    const coming = viewer.page.waitForEvent("download")
    await button("NDJSON").click()
    const download = await coming
    assert.match(download.suggestedFilename(), /^audit-log-2026-03-04\.ndjson$/)
    const lines = (await text(await download.createReadStream())).trimEnd().split("\n")
    const found = tenant.stored
      .map(tenant.eventOf)
      .filter(({ action }) => action.startsWith("user."))
      .map(({ id }) => id)
    assert.isAbove(found.length, 0)
    assert.deepStrictEqual(lines.map((line) => JSON.parse(line).id).sort(), found.sort())
    await viewer.frame.getByText("Exported", { exact: true }).waitFor()
    const [asked] = stage.service.asked("/api/v1/events/export")
    assert.strictEqual(asked?.url.search, "?action=user.*&time=recorded&format=ndjson")
    assert.match(asked?.authorization ?? "", /^Bearer /)
    assert.deepStrictEqual(viewer.errors, [])
  })

  it("goes to the file that the reader chose as it comes, where the browser can", async () => {
    await open({ export: true })
    await viewer.frame.evaluate(WITH_PICKER)
    await button("CSV").click()
    await viewer.until("file.closed")
    assert.strictEqual(await viewer.frame.evaluate<string>("file.name"), "audit-log-2026-03-04.csv")
    assert.lengthOf((await viewer.frame.evaluate<string>("saved")).trimEnd().split("\n"), 60)
  })

  it("does nothing where the reader chooses no file", async () => {
    await open({ export: true })
    await viewer.frame.evaluate(
      `globalThis.showSaveFilePicker = async () => { throw new DOMException("", "AbortError") }`
    )
    await button("CSV").click()
    await button("CSV").waitFor()
    assert.lengthOf(stage.service.asked("/api/v1/events/export"), 0)
    assert.strictEqual(await viewer.frame.locator(".export-error").count(), 0)
  })

  it("is downloaded where the browser may not ask, as in a frame", async () => {
    await open({ export: true })
    await viewer.frame.evaluate(
      `globalThis.showSaveFilePicker = async () => { throw new DOMException("", "SecurityError") }`
    )
    const coming = viewer.page.waitForEvent("download")
    await button("CSV").click()
    assert.match((await coming).suggestedFilename(), /\.csv$/)
  })

  it.each(
    firstOf(2, [
      [401, {}, "Not exported: This view has expired"],
      [403, {}, "Not exported: This may not be exported, or the month's exports are used up."],
      [429, { "retry-after": "30" }, "Not exported: The service is busy. Try again in 30 s."],
      [500, {}, "Not exported: The audit log could not be reached"]
    ] as const)
  )(
    "says why there is none when the service answers %i, and leaves the list as it is",
    async (status, headers, text) => {
      await open({ export: true })
      await viewer.frame.evaluate(WITH_PICKER)
      stage.service.instead = ({ url }) =>
        url.pathname.endsWith("/export") ? { status, headers, body: { error: "x", message: "x" } } : undefined
      await button("CSV").click()
      await viewer.frame.getByRole("alert").filter({ hasText: text }).waitFor()
      assert.isTrue(await viewer.frame.evaluate<boolean>("file.removed && !file.closed"))
      assert.isTrue(await viewer.frame.locator('[data-row="0"] time').isVisible())
      await button("CSV").waitFor()
    }
  )

  it("leaves no part of a file when it breaks off", async () => {
    await open({ export: true })
    await viewer.frame.evaluate(WITH_PICKER)
    stage.service.instead = ({ url }) =>
      url.pathname.endsWith("/export")
        ? { status: 200, headers: { "content-length": "1000000" }, body: null, text: "id,action\n" }
        : undefined
    await button("CSV").click()
    await viewer.until("saved !== ''")
    await viewer.frame.getByRole("button", { name: /^Cancel export/ }).waitFor()
    stage.service.breakOff()
    await viewer.frame.getByRole("alert").filter({ hasText: "Not exported" }).waitFor()
    assert.isTrue(await viewer.frame.evaluate<boolean>("file.removed && !file.closed"))
  })

  it("ends when the reader cancels it", async () => {
    await open({ export: true })
    stage.service.delayOf = ({ url }) => (url.pathname.endsWith("/export") ? 60_000 : 0)
    await button("CSV").click()
    await viewer.frame.getByRole("button", { name: /^Cancel export/ }).click()
    await button("CSV").waitFor()
    assert.strictEqual(await viewer.frame.locator(".export-error").count(), 0)
  })
})
