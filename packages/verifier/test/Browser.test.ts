/** The verifier in a browser, over plain http, where WebCrypto is missing. */
import { gzipSync } from "node:zlib"
import { ProvenEvent } from "@cairn/core/proof"
import { provenEvent, testBundle, testCheckpoint, testLog } from "@cairn/testing"
import {
  because,
  bundleForBrowser,
  noChromium,
  type PageServer,
  SERVICE_HOST,
  type Served,
  servePages
} from "@cairn/testing/Chromium"
import { connectChromium } from "@cairn/testing/SharedChromium"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Browser, Page } from "playwright-core"
import type { EventReport, Report } from "../src/index.ts"
import { signer } from "./Bundles.ts"

const log = testLog({ events: 50, periods: [20] })
const lines = testBundle(log, { signer })
const tampered = lines.map((line) =>
  line.endsWith('"sequence":17,"type":"event"}\n')
    ? line.replace(/"salt":"\w+"/, `"salt":"${"0".repeat(32)}"`)
    : line
)

/** The scenario, the verifier and the core as one module for a browser. */
const bundle = () => bundleForBrowser(new URL("BrowserScenario.ts", import.meta.url))

const serve = (module: string): Promise<PageServer> => {
  const gzip = (body: Uint8Array): Served => ({ contentType: "application/gzip", body })
  const files = new Map<string, Served>([
    ["/scenario.js", { contentType: "text/javascript", body: module }],
    ["/good", gzip(gzipSync(lines.join("")))],
    ["/tampered", gzip(gzipSync(tampered.join("")))],
    ["/damaged", gzip(gzipSync(lines.join("")).subarray(0, 4_000))]
  ])
  return servePages(({ pathname }) => files.get(pathname))
}

describe("the verifier's main entry", () => {
  it("imports no module of Node", async () => {
    const { imports } = await bundle()
    assert.deepStrictEqual(imports, [])
  })
})

describe.skipIf(noChromium)(`the verifier in a browser${because}`, () => {
  let server: PageServer | undefined
  let browser: Browser | undefined
  let page: Page

  beforeAll(async () => {
    server = await serve((await bundle()).code)
    browser = await connectChromium()
    page = await browser.newPage()
    await page.goto(`http://${SERVICE_HOST}:${server.port}/`)
  })
  afterAll(async () => {
    await browser?.close()
    server?.stop()
  })

  const call = <A>(name: string, argument: unknown): Promise<A> =>
    page.evaluate<A>(`import("/scenario.js").then((module) => module.${name}(${JSON.stringify(argument)}))`)

  it("has no WebCrypto to fall back on", async () => {
    assert.isTrue(await page.evaluate("globalThis.crypto.subtle === undefined"))
  })

  it("finds an intact bundle intact", async () => {
    const report = await call<Report>("verifyBundleAt", "/good")
    assert.strictEqual(report.verdict, "intact", JSON.stringify(report.failed))
    assert.deepStrictEqual(report.counts, { events: 50, removed: 0, legacy: 0, anchors: 1 })
  })

  it("finds what was tampered with, and what is damaged", async () => {
    const { failed } = await call<Report>("verifyBundleAt", "/tampered")
    assert.deepStrictEqual(
      failed.map(({ code }) => code),
      ["content_changed"]
    )
    assert.strictEqual((await call<Report>("verifyBundleAt", "/damaged")).verdict, "unreadable")
  })

  it("proves one event by its proof", async () => {
    const proof = Schema.encodeSync(ProvenEvent)(provenEvent(log, 12, 50))
    const claim = { event: null, proof, checkpoint: testCheckpoint(log, 50, signer) }
    const report = await call<EventReport>("verifyClaim", claim)
    assert.strictEqual(report.event_hash, log.events[11]?.eventHash ?? "")
    const forged = { ...claim, proof: { ...proof, salt: "0".repeat(32) } }
    assert.strictEqual((await call<EventReport>("verifyClaim", forged)).verdict, "tampered")
  })
})
