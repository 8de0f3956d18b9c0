/**
 * `<cairn-viewer>` of a real server, embedded by the snippets of docs/Viewer.md in a product on another
 * origin, in a real browser.
 */
import { createServer } from "node:http"
import { join } from "node:path"
import { ordinaryEvents } from "@cairn/testing"
import {
  because,
  launchChromium,
  noChromium,
  PATIENCE,
  PRODUCT_HOST,
  SERVICE_HOST,
  watch
} from "@cairn/testing/Chromium"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Browser, BrowserContext } from "playwright-core"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { cairnJson, killLeftovers, startServer } from "../support/CairnProcess.ts"
import { seedTenant } from "../support/SeedDatabase.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { htmlSnippet, reactScript, vueScript } from "../support/ViewerSnippets.ts"

/** A product, whose pages hold what they are given and whose server makes tokens. */
const startProduct = (pages: ReadonlyMap<string, string>, client: ApiClient) =>
  new Promise<{ readonly origin: string; readonly stop: () => void }>((resolve) => {
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://product")
      if (pathname !== "/audit-log-token") {
        response.writeHead(200, { "content-type": "text/html" }).end(pages.get(pathname) ?? "")
        return
      }
      client.request("POST", "/api/v1/viewer-token", {}).then(
        ({ status, body }) =>
          response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
        () => response.destroy()
      )
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const stop = () => {
        server.closeAllConnections()
        server.close()
      }
      resolve({ origin: `http://${PRODUCT_HOST}:${port}`, stop })
    })
  })

describe.skipIf(noChromium)(`the snippets that embed the viewer${because}`, () => {
  const folder = temporaryFolder()
  killLeftovers()
  const pages = new Map<string, string>()
  let browser: Browser
  let context: BrowserContext
  let product: Awaited<ReturnType<typeof startProduct>>
  let stranger: Awaited<ReturnType<typeof startProduct>>

  beforeAll(async () => {
    const database = join(folder, "cairn.db")
    const events = ordinaryEvents(40, { seed: 9 })
    const { workspaceId, key } = await seedTenant(database, { name: "Product", events })
    const server = await startServer({ database })
    const client = apiClient(server.baseUrl, key)
    product = await startProduct(pages, client)
    stranger = await startProduct(pages, client)
    const update = ["workspace", "update", workspaceId, "--frame-ancestors", product.origin]
    await cairnJson(update, { database })
    const service = `http://${SERVICE_HOST}:${new URL(server.baseUrl).port}`
    const around = (body: string) =>
      `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>Product</title>${body}`
    const loaded = (script: string) =>
      around(
        `<script type="module" src="${service}/viewer/element.js"></script><main></main>
        <script type="module">${script.replaceAll("</script", "<\\/script")}</script>`
      )
    pages.set("/html", around(htmlSnippet(service)))
    pages.set("/react", loaded(await reactScript()))
    pages.set("/vue", loaded(await vueScript()))
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    product?.stop()
    stranger?.stop()
  })
  afterEach(() => context?.close())

  const visit = async (path: string, origin = product.origin) => {
    context = await browser.newContext({ locale: "en-GB" })
    context.setDefaultTimeout(PATIENCE)
    const page = await context.newPage()
    const watched = watch(page)
    await page.goto(`${origin}${path}`)
    return { page, viewer: page.locator("cairn-viewer").frameLocator("iframe"), ...watched }
  }

  it("show the log, without a word on the console or a token in an address", async () => {
    const { page, viewer, errors, addresses } = await visit("/html")
    await viewer.locator('[data-row="0"]').waitFor()
    assert.deepStrictEqual(errors, [])
    for (const address of addresses) assert.notInclude(address, "eyJ")
    assert.notInclude(page.frames()[1]?.url() ?? "", "eyJ")
  })

  for (const [name, path] of [
    ["React", "/react"],
    ["Vue", "/vue"]
  ] as const) {
    it(`lead, by ${name}, to what a reader has seen`, async () => {
      const { page, viewer, errors } = await visit(path)
      await viewer.locator('[data-row="3"]').click()
      await viewer.getByRole("dialog").waitFor()
      await page.waitForURL((url) => (url.searchParams.get("log") ?? "").includes("event="))
      await page.reload()
      await viewer.getByRole("dialog").waitFor()
      assert.deepStrictEqual(errors, [])
      const { height = 0 } = (await page.locator("cairn-viewer iframe").boundingBox()) ?? {}
      assert.isAbove(height, 640 - 1, "it is as high as it wants to be")
    })
  }

  it("say why and what to set, where the workspace does not allow it", async () => {
    const { page, viewer, errors, addresses } = await visit("/react", stranger.origin)
    const heading = viewer.getByRole("heading", { name: "This page may not be embedded here" })
    await heading.waitFor()
    const text = await viewer.locator("main").innerText()
    assert.include(text, stranger.origin)
    assert.include(text, "viewer_frame_ancestors")
    assert.include(text, `--frame-ancestors ${stranger.origin}`)
    // The snippet shows what `cairn-error` says.
    assert.include(await page.getByRole("alert").first().innerText(), stranger.origin)
    assert.include(errors.join("\n"), `cairn-viewer: The workspace does not allow`)
    assert.notInclude(addresses.join(), "/api/v1/")
  })
})
