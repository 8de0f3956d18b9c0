/** The example as a reader tries it: one command, then the buttons of its page in a real browser. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { fileURLToPath } from "node:url"
import {
  because,
  launchChromium,
  noChromium,
  PATIENCE,
  PRODUCT_HOST,
  SERVICE_HOST,
  watch
} from "@cairn/testing/Chromium"
import { listening } from "@cairn/testing/ListeningProgram"
import type { Browser } from "playwright-core"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

describe.skipIf(noChromium)(`the example of invoices${because}`, () => {
  let child: ChildProcess
  let ended: Promise<number | null>
  let origin: string
  let browser: Browser

  beforeAll(async () => {
    const [port, cairnPort] = [await freePort(), await freePort()]
    origin = `http://${PRODUCT_HOST}:${port}`
    const env = Object.entries(process.env).filter(([name]) => !name.startsWith("CAIRN_"))
    const started = spawn("npm", ["start", "--ignore-scripts"], {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      env: {
        ...Object.fromEntries(env),
        NODE_OPTIONS: "",
        PORT: String(port),
        ORIGIN: origin,
        CAIRN_PORT: String(cairnPort),
        CAIRN_BASE_URL: `http://${SERVICE_HOST}:${cairnPort}`
      },
      detached: true
    })
    child = started
    const program = listening(started)
    ended = program.ended
    await program.port
    browser = await launchChromium()
  })

  afterAll(async () => {
    await browser?.close()
    if (child?.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM")
    await ended
  })

  it("leads from a button to a proof", async () => {
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE)
    const { errors } = watch(page)
    await page.goto(origin)
    await page.getByRole("button", { name: "Pay 1001" }).click()
    await page.getByText("Invoice 1001 is paid, and the audit log has it.").waitFor()
    const log = page.frameLocator("iframe")
    await log.getByText("invoice.paid").first().waitFor()
    assert.include(await log.locator("body").innerText(), "Ada Lovelace")
    await page.getByRole("button", { name: "Show the proof of 1001" }).click()
    await page.getByText("invoice.paid of invoice 1001 by Ada Lovelace: intact").waitFor()
    assert.isAbove(await page.locator("#proof li").count(), 0)
    // What was not paid is in no log; what was is paid once.
    const here = origin.replace(PRODUCT_HOST, "127.0.0.1")
    assert.strictEqual((await fetch(`${here}/invoices/1002/proof`)).status, 202)
    assert.strictEqual((await fetch(`${here}/invoices/1001/pay`, { method: "POST" })).status, 409)
    assert.deepStrictEqual(errors, [])
  })
})
