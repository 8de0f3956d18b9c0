/**
 * Makes the pictures of docs/pictures: the console and the viewer of a demo, in a real Chromium. Run it when
 * the pages look different: `npm run generate:pictures`, or `npm run generate:pictures -- keys` for one.
 */
import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { chromium } from "playwright-core"

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..")
const pictures = join(root, "docs/pictures")
const folder = mkdtempSync(join(tmpdir(), "cairn-pictures-"))

const bin = join(root, "packages/server/bundle/bin.js")
const environment = {
  ...process.env,
  CAIRN_DATABASE_URL: `sqlite:${join(folder, "cairn.db")}`,
  CAIRN_PORT: "0"
}

/** An evidence file of the demo. */
const evidenceOf = (workspace) => {
  const file = join(folder, "evidence-2026-q1.cairn")
  execFileSync(process.execPath, [bin, "evidence", "-w", workspace, "--output", file], { env: environment })
  return file
}

/** Pages of the console, by the names of their pictures, and what is done on them before. */
const PAGES = [
  { name: "overview", path: "" },
  {
    name: "event",
    path: "events?search=customer.exported",
    act: async (page) => {
      await page.locator("[data-row]").first().click()
      await page.locator(".drawer .statement").waitFor()
    }
  },
  { name: "integrity", path: "integrity" },
  { name: "rules", path: "rules" },
  { name: "keys", path: "keys" },
  {
    name: "check",
    path: "check",
    act: async (page) => {
      const workspace = page.url().split("/")[4]
      await page.locator(".check-drop input").setInputFiles(evidenceOf(workspace))
      await page.locator("#check-verdict").waitFor()
      await page.locator(".check-result").evaluate((result) => {
        result.blur()
        result.scrollIntoView()
      })
    }
  }
]

/** Where a program is, or nothing, which lets the library look for one of its own. */
const programOnPath = (name) =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .map((part) => join(part, name))
    .find((file) => existsSync(file))

/** Starts the demo; resolves with the link of its console. */
const startDemo = () => {
  const server = spawn(process.execPath, [bin, "serve", "--demo"], {
    env: environment,
    stdio: ["ignore", "pipe", "inherit"]
  })
  const link = new Promise((found, failed) => {
    let text = ""
    server.stdout.on("data", (part) => {
      text += part
      const match = /^Console\s+(\S+)/m.exec(text)
      if (match !== null) found(match[1])
    })
    server.once("exit", (code) => failed(new Error(`the demo ended with ${code}`)))
  })
  return { link, stop: () => server.kill() }
}

const demo = startDemo()
const browser = await chromium.launch({
  executablePath: programOnPath("chromium"),
  args: ["--no-sandbox"]
})
try {
  const link = await demo.link
  mkdirSync(pictures, { recursive: true })
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: "en-GB" })
  await page.goto(link)
  await page.locator("main form button").click()
  await page.waitForURL(/\/w\/wsp_/)
  const home = /^.*\/w\/[^/?]+/.exec(page.url())[0]
  const wanted = process.argv.slice(2)
  for (const { name, path, act } of PAGES) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    await page.goto(path === "" ? home : `${home}/${path}`)
    await page.waitForLoadState("networkidle")
    await act?.(page)
    await page.screenshot({ path: join(pictures, `${name}.png`), animations: "disabled" })
  }
} finally {
  await browser.close()
  demo.stop()
  rmSync(folder, { recursive: true, force: true })
}
