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

/** Milliseconds within which every process has ended, also on a busy machine. */
const SOON = 60_000

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
  let cairn: number
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
    cairn = Number(/kill -STOP (\d+)/.exec(program.printed())?.[1])
    browser = await launchChromium()
  })

  afterAll(async () => {
    await browser?.close()
    if (child?.pid !== undefined && isAnyLeft()) process.kill(-child.pid, "SIGKILL")
    await ended
  })

  /** Whether any program of the example runs: they are one process group. */
  const isAnyLeft = () => {
    try {
      return process.kill(-(child.pid ?? 0), 0)
    } catch {
      return false
    }
  }

  const newPage = async () => {
    const page = await browser.newPage()
    page.setDefaultTimeout(PATIENCE)
    return page
  }

  /** The status of an answer. */
  const ask = async (path: string, method = "GET") =>
    (await fetch(origin.replace(PRODUCT_HOST, "127.0.0.1") + path, { method })).status

  it("leads from a button to a proof", async () => {
    const page = await newPage()
    const { errors } = watch(page)
    await page.goto(origin)
    await page.getByRole("button", { name: "Pay 1001" }).click()
    await page.getByText("Invoice 1001 is paid, and the audit log has it.").waitFor()
    const log = page.frameLocator("iframe")
    await log.getByText("invoice.paid").first().waitFor()
    assert.include(await log.locator("body").innerText(), "Ada Lovelace")
    await page.getByRole("button", { name: "Show the proof of 1001" }).click()
    await page.getByText("invoice.paid of invoice 1001 by Ada Lovelace: intact").waitFor()
    const proof = await page.locator("#proof li").allInnerTexts()
    assert.include(proof.join("\n"), "Proven: It is event ")
    // What only others can tell is said, and of what the application knows there is nothing left.
    assert.deepStrictEqual(
      proof.filter((line) => !line.startsWith("Proven: ")),
      ["Not checked: It is in no anchor yet"]
    )
    assert.deepStrictEqual(errors, [])
    await page.close()
  })

  it("pays and says so while the audit log is away, and shows how the event arrives", async () => {
    const page = await newPage()
    await page.goto(origin)
    const pay = page.getByRole("button", { name: "Pay 1002" })
    await pay.waitFor()
    process.kill(cairn, "SIGSTOP")
    await pay.click()
    const waits = page.getByText("Invoice 1002 is paid. Its event waits in the outbox")
    await waits.waitFor()
    assert.strictEqual(await ask("/invoices/1002/proof"), 202)
    assert.strictEqual(await ask("/viewer"), 503)
    // Who comes back during the outage sees the same.
    await page.reload()
    await waits.or(page.getByText("The audit log does not answer.")).waitFor()
    await page.getByRole("cell", { name: "paid; its event waits" }).waitFor()
    process.kill(cairn, "SIGCONT")
    await page.getByText("Invoice 1002 is paid, and the audit log has it.").waitFor()
    await page.getByRole("button", { name: "Show the proof of 1002" }).click()
    await page.getByText("invoice.paid of invoice 1002 by Ada Lovelace: intact").waitFor()
    await page.close()
  })

  it("pays each invoice once, and knows which there are", async () => {
    await Promise.all([1001, 1002].map((id) => ask(`/invoices/${id}/pay`, "POST")))
    const paid = await Promise.all([1001, 1002].map((id) => ask(`/invoices/${id}/pay`, "POST")))
    assert.deepStrictEqual(paid, [409, 409])
    for (const id of ["1003", "nope", "%00", "%F0", "' OR 1=1 --", "9".repeat(1000)]) {
      for (const [path, method] of [["pay", "POST"] as const, ["proof", "GET"] as const]) {
        const status = await ask(`/invoices/${id}/${path}`, method)
        assert.include([400, 404, 414], status, `${path} of ${id}`)
      }
    }
  })

  it("ends whole when npm is told to, also while Cairn stands still", async () => {
    process.kill(cairn, "SIGSTOP")
    child.kill("SIGTERM")
    await ended
    const until = performance.now() + SOON
    while (isAnyLeft()) {
      if (performance.now() > until) assert.fail("processes are left")
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })
})
