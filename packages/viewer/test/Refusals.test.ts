/** What the page says where the service refuses what it asks for, and what its reader can do then. */
import { Micros } from "@cairn/core/encoding"
import { ordinaryEvents } from "@cairn/testing"
import { because, noChromium } from "@cairn/testing/Chromium"
import { firstOf } from "@cairn/testing/TrialCases"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { type Answer, dataOf, type SeenRequest } from "./support/FakeService.ts"
import { testTenant } from "./support/TestTenant.ts"
import { NOW, type OpenOptions, type OpenViewer, ViewerStage } from "./support/ViewerStage.ts"

const tenant = testTenant(ordinaryEvents(60, { seed: 5 }), { until: NOW * 1_000 - 90 * Micros.SECOND })

/** As the service refuses a parameter. */
const invalid = (field: string): Answer => ({
  status: 400,
  body: { error: "invalid_parameter", message: `${field}: no`, errors: [{ field, message: "no" }] }
})

/** Refuses a parameter as long as it has a value. */
const refusing =
  (name: string, value: string) =>
  ({ url }: SeenRequest): Answer | undefined =>
    url.searchParams.getAll(name).includes(value) ? invalid(name) : undefined

describe.skipIf(noChromium)(`a request that is refused${because}`, () => {
  let stage: ViewerStage
  let viewer: OpenViewer

  beforeAll(async () => {
    stage = await ViewerStage.start(dataOf(tenant), tenant.workspaceId)
  })
  afterAll(() => stage?.stop())
  afterEach(async () => {
    await viewer.close()
    stage.service.instead = () => undefined
    stage.service.requests.length = 0
  })

  const open = async (options: OpenOptions) => {
    viewer = await stage.open(options)
    return viewer.frame.getByRole("alert")
  }
  const first = () => viewer.frame.waitForSelector('[data-row="0"] time')
  const parameters = async () => new URLSearchParams(await viewer.frame.evaluate<string>("location.search"))

  it.each(
    firstOf(1, [
      ["en", "The filter is not valid: From", "Remove filter: From yesterdaze"],
      ["de", "Der Filter ist ungültig: Von", "Filter entfernen: Von yesterdaze"],
      ["ja", "フィルターが正しくありません：開始", "フィルターを削除: 開始 yesterdaze"]
    ] as const)
  )("names the condition in %s, and removes it alone", async (locale, title, button) => {
    stage.service.instead = refusing("from", "yesterdaze")
    const alert = await open({ query: `locale=${locale}&from=yesterdaze&to=2026-03-05&action=*` })
    await alert.getByText(title, { exact: true }).waitFor()
    await alert.getByRole("button", { name: button, exact: true }).click()
    await first()
    const left = await parameters()
    assert.deepStrictEqual([left.has("from"), left.get("to"), left.get("action")], [false, "2026-03-05", "*"])
    const others = viewer.errors.filter((error) => !error.includes("status of 400"))
    assert.deepStrictEqual(others, [])
  })

  it("leaves the rest of the page to its reader, who can change what is wrong above the list", async () => {
    stage.service.instead = refusing("country", "de")
    const alert = await open({ query: "country=de&country=FR" })
    await alert.getByRole("button", { name: "Remove filter: Country de, FR" }).waitFor()
    await viewer.frame
      .getByRole("button", { name: /^Remove filter: Country de$/i })
      .first()
      .click()
    await viewer.until("!document.querySelector('[role=\"alert\"]')")
    assert.deepStrictEqual((await parameters()).getAll("country"), ["FR"])
  })

  it("clears the filter where the service does not say which condition it is", async () => {
    stage.service.instead = ({ url }) =>
      url.searchParams.has("search")
        ? { status: 400, body: { error: "invalid_parameter", message: "no" } }
        : undefined
    const alert = await open({ query: "search=x" })
    await alert.getByText("The filter is not valid", { exact: true }).waitFor()
    await alert.getByRole("button", { name: "Clear filters" }).click()
    await first()
  })

  it("is no fault of the filter where another than the service answers", async () => {
    stage.service.instead = () => ({ status: 400, body: null, text: "<html>Bad request</html>" })
    const alert = await open({ query: "search=x" })
    await alert.getByText("The audit log could not be reached").waitFor()
  })

  it.each(
    firstOf(1, [
      ["ip_not_allowed", "This audit log may not be read from your network address."],
      ["insufficient_scope", "Its access does not cover reading this audit log."]
    ] as const)
  )("says of %s what is not allowed", async (error, text) => {
    stage.service.instead = () => ({ status: 403, body: { error, message: "no" } })
    const alert = await open({})
    await alert.getByText(text).waitFor()
  })

  it.each(
    firstOf(1, [
      [429, "Too many requests. Trying again in 2 s."],
      [503, "The service cannot answer right now. Trying again in 2 s."]
    ] as const)
  )("says of %i when it goes on, and goes on then", async (status, text) => {
    const headers = { "retry-after": "2" }
    stage.service.instead = () => ({ status, headers, body: { error: "x", message: "x" } })
    await open({})
    await viewer.frame.getByText(text, { exact: true }).waitFor()
    assert.strictEqual(await viewer.frame.getByRole("combobox").count(), 1)
    stage.service.instead = () => undefined
    await first()
  })
})
