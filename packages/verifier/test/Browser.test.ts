/** The verifier in a browser, over plain http, where WebCrypto is missing. */
import { accessSync, constants } from "node:fs"
import { createServer, type Server } from "node:http"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { ProvenEvent } from "@cairn/core"
import { provenEvent, testBundle, testCheckpoint, testLog } from "@cairn/testing"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Browser, chromium, type Page } from "playwright-core"
import { rolldown } from "rolldown"
import type { EventReport, Report } from "../src/index.ts"
import { signer } from "./Bundles.ts"

/** A name that is no `localhost`, which browsers trust without TLS. */
const HOST = "cairn.test"

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const executablePath = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "chromium"))
  .find(isExecutable)

const because = executablePath === undefined ? " (skipped: no chromium on the PATH)" : ""

const log = testLog({ events: 50, periods: [20] })
const lines = testBundle(log, { signer })
const tampered = lines.map((line) =>
  line.endsWith('"sequence":17,"type":"event"}\n')
    ? line.replace(/"salt":"\w+"/, `"salt":"${"0".repeat(32)}"`)
    : line
)

/** The scenario, the verifier and the core as one module for a browser. */
const bundle = async () => {
  const build = await rolldown({
    input: fileURLToPath(new URL("BrowserScenario.ts", import.meta.url)),
    platform: "browser",
    resolve: { conditionNames: ["@cairn/source", "browser", "import", "default"] },
    logLevel: "silent"
  })
  const { output } = await build.generate({ format: "esm" })
  await build.close()
  assert.lengthOf(output, 1)
  return output[0]
}

const serve = (module: string): Promise<Server> => {
  const files = new Map<string, readonly [string, string | Uint8Array]>([
    ["/scenario.js", ["text/javascript", module]],
    ["/good", ["application/gzip", gzipSync(lines.join(""))]],
    ["/tampered", ["application/gzip", gzipSync(tampered.join(""))]],
    ["/damaged", ["application/gzip", gzipSync(lines.join("")).subarray(0, 4_000)]]
  ])
  return new Promise((resolve) => {
    const server = createServer((request, response) => {
      const [type, body] = files.get(request.url ?? "") ?? [
        "text/html",
        "<!doctype html><title>Cairn</title>"
      ]
      response.setHeader("Content-Type", type)
      response.end(body)
    })
    server.listen(0, "127.0.0.1", () => resolve(server))
  })
}

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

describe("the verifier's main entry", () => {
  it("imports no module of Node", async () => {
    const { imports } = await bundle()
    assert.deepStrictEqual(imports, [])
  })
})

describe.skipIf(executablePath === undefined)(`the verifier in a browser${because}`, () => {
  let server: Server | undefined
  let browser: Browser | undefined
  let page: Page

  beforeAll(async () => {
    server = await serve((await bundle()).code)
    browser = await chromium.launch({
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ["--no-sandbox", `--host-resolver-rules=MAP ${HOST} 127.0.0.1`]
    })
    page = await browser.newPage()
    await page.goto(`http://${HOST}:${portOf(server)}/`)
  })
  afterAll(async () => {
    await browser?.close()
    server?.close()
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
