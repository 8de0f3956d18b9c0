/** The page on which an auditor checks an evidence file, in a real browser, from a real server. */
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { because, noChromium, PATIENCE } from "@cairn/testing/Chromium"
import { checkEvidence, evidenceReportHtml, layerTools, parseKnowledge, platformTools } from "@cairn/verifier"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Result, Schema, Stream } from "effect"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { killLeftovers, type Server, startServer } from "../support/CairnProcess.ts"
import * as files from "../support/EvidenceFiles.ts"
import { startOutside } from "../support/Outside.ts"
import { launchPeopleBrowser } from "../support/PeopleBrowser.ts"
import { peopleDatabases } from "../support/SignInSteps.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const manifest = createRequire(import.meta.url).resolve("@cairn/verifier/package.json")
const { version } = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ version: Schema.String }))
)(readFileSync(manifest, "utf8"))

/** A file as a person chooses it. */
const chosen = (name: string, bytes: Uint8Array) => ({
  name,
  mimeType: "application/gzip",
  buffer: Buffer.from(bytes)
})

const WHOLE = chosen("whole.cairn", files.whole)
const EARLIER = chosen("earlier.cairn", files.earlier)

/** Drops files onto the page, as from a folder. */
const drop = async (page: Page, ...dropped: ReadonlyArray<ReturnType<typeof chosen>>) => {
  const data = await page.evaluateHandle(
    `((files) => {
      const data = new DataTransfer()
      for (const [name, text] of files) {
        data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name))
      }
      return data
    })(${JSON.stringify(dropped.map(({ name, buffer }) => [name, buffer.toString("base64")]))})`
  )
  await page.locator(".check-drop").dispatchEvent("dragover", { dataTransfer: data })
  await page.locator(".check-drop").dispatchEvent("drop", { dataTransfer: data })
}

describe.skipIf(noChromium)(`the page to check an evidence file${because}`, () => {
  killLeftovers()
  const folder = temporaryFolder()
  const { newDatabase } = peopleDatabases("SQLite")
  let server: Server
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let requests: Array<string> = []
  let errors: Array<string> = []

  beforeAll(async () => {
    // Nobody is its owner, and nobody has signed in.
    server = await startServer({ database: (await newDatabase()).database })
    browser = await launchPeopleBrowser()
  })
  afterAll(() => server?.stop())

  /** Opens the page, and waits until nothing more is loaded. */
  const open = async (locale = "en-GB", width = 1_280) => {
    await context?.close()
    context = await browser.newContext({ locale, viewport: { width, height: 900 } })
    context.setDefaultTimeout(PATIENCE)
    page = await context.newPage()
    await page.goto(`${server.baseUrl}/verify`)
    await page.locator("meta[http-equiv=Content-Security-Policy i]").waitFor({ state: "attached" })
    await page.waitForLoadState("networkidle")
    requests = []
    errors = []
    page.on("request", (request) => {
      // What the page itself holds is read, and nothing is sent.
      if (!request.url().startsWith("blob:")) requests.push(request.url())
    })
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(message.text())
    })
    page.on("pageerror", (error) => errors.push(String(error)))
  }
  const choose = (...some: ReadonlyArray<ReturnType<typeof chosen>>) =>
    page.locator(".check-drop input").setInputFiles([...some])
  const verdict = (word: string) =>
    page.locator("#check-verdict", { hasText: new RegExp(`^${word}$`) }).waitFor()
  const report = () => page.locator(".check-sheet .report").innerText()

  it("checks a file that is dropped, without a session, and sends nothing", async () => {
    await open()
    await drop(page, WHOLE)
    await verdict("Intact by itself")
    assert.match(await report(), /Evidence report\n/)
    assert.include(await report(), "whole.cairn")
    assert.strictEqual(
      await page.locator("main [role=status]").innerText(),
      "Intact by itself. Every required check succeeded, but nothing that you typed in shows whose file this is. Add what you know above."
    )
    assert.isTrue(await page.evaluate<boolean>('document.activeElement.matches(".check-result")'))
    assert.deepStrictEqual(requests, [])
    assert.deepStrictEqual(errors, [])
    assert.deepStrictEqual(await context.cookies(), [])
  })

  it("says who did what and when in an event that was changed", async () => {
    await open()
    await choose(chosen("tampered.cairn", files.tampered))
    await verdict("Tampered")
    const content = JSON.parse(files.TAMPERED_EVENT?.content ?? "{}") as {
      actor: { id: string }
      action: string
      occurred_at: string
    }
    const row = await page.locator(".check-sheet .first .failures tbody tr").first().innerText()
    assert.match(row, /^17\t/)
    assert.include(row, content.action.slice(0, 15))
    assert.include(row, content.actor.id.slice(0, 15))
    assert.include(row, content.occurred_at.slice(0, 10))
    assert.deepStrictEqual(requests, [])
  })

  it("says of what is no evidence that it is none", async () => {
    await open()
    await choose(chosen("report.pdf", Buffer.from("%PDF-1.7 and so on")))
    await verdict("Unreadable")
    await choose(chosen("empty.cairn", new Uint8Array()))
    await verdict("Unreadable")
    assert.include(await report(), "empty.cairn")
    assert.deepStrictEqual(errors, [])
  })

  it("puts two files in order, lets them be swapped, and says when that is wrong", async () => {
    await open()
    await drop(page, WHOLE, EARLIER)
    await verdict("Intact since the earlier file")
    const lines = page.locator(".check-files li")
    assert.deepStrictEqual(
      (await lines.allInnerTexts()).map((line) => line.replace(/, .* events/, ", events")),
      ["Earlier file: earlier.cairn, events 1 to 50", "Later file: whole.cairn, events 1 to 60"]
    )
    await page.getByRole("button", { name: "The other way round" }).click()
    await page.getByText("They are the wrong way round.").waitFor()
    await verdict("Tampered")
    await page.getByRole("button", { name: "The other way round" }).click()
    await verdict("Intact since the earlier file")
    assert.strictEqual(await page.getByText("They are the wrong way round.").count(), 0)
    assert.deepStrictEqual(requests, [])
  })

  it("compares with a file that is added, and says so of two logs and of three files", async () => {
    await open()
    await choose(EARLIER)
    await verdict("Intact by itself")
    await page.locator(".check-add input").setInputFiles([WHOLE])
    await verdict("Intact since the earlier file")
    assert.include(await report(), "Earlier file")
    await choose(WHOLE, chosen("other.cairn", files.ofAnotherLog))
    await page.getByText("These are files of two different logs.").waitFor()
    await verdict("Tampered")
    await choose(WHOLE, WHOLE, WHOLE)
    await page.getByText("Choose one file, or an earlier and a later one.").waitFor()
  })

  it("checks again with what is known from elsewhere, and names a wrong one at its field", async () => {
    await open()
    await choose(WHOLE)
    await verdict("Intact by itself")
    const keys = page.getByLabel("Keys that sign the log")
    const address = page.getByLabel("Account that anchors")
    const blocks = page.getByLabel("Hashes of blocks")
    await keys.fill(files.KEY.slice(0, -3))
    await address.fill(files.ACCOUNT.slice(0, -1))
    await blocks.fill(`${files.BLOCKS[0]}\nno block`)
    await page.getByText("Correct what is marked above").waitFor()
    for (const [field, text] of [
      [keys, "This is not a whole key"],
      [address, "This is not an address"],
      [blocks, "This line is wrong: no block"]
    ] as const) {
      assert.strictEqual(await field.getAttribute("aria-invalid"), "true")
      const described = (await field.getAttribute("aria-describedby"))?.split(" ").at(-1)
      assert.include(await page.locator(`[id="${described}"]`).innerText(), text)
    }
    assert.strictEqual(await page.locator(".check-sheet").count(), 0)
    // Nothing is lost: the file is still chosen, and what is right stays.
    await keys.fill(files.KEY)
    await address.fill(files.ACCOUNT.toUpperCase().replace("0X", "0x"))
    await blocks.fill(files.BLOCKS.join("\n"))
    await verdict("Intact")
    assert.isTrue(await page.evaluate<boolean>('document.activeElement.matches("textarea")'))
    assert.strictEqual(await page.locator("[aria-invalid]").count(), 0)
    const statements = await page.locator(".check-sheet .statements th").allInnerTexts()
    assert.notInclude(statements.join(), "Failed")
    await page.getByLabel("Blockchain").selectOption("other")
    await page.getByText("Enter a whole number from 1 on.").waitFor()
    await page.getByLabel("Number of the chain").fill("10")
    await verdict("Tampered")
    await page.getByLabel("Blockchain").selectOption("base")
    await verdict("Intact")
    assert.deepStrictEqual(requests, [])
  })

  it("saves the report that the command would write, a file that runs and loads nothing", async () => {
    await open()
    await page.getByLabel("Keys that sign the log").fill(files.KEY)
    await drop(page, WHOLE)
    await verdict("Intact")
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save report" }).click()
    ])
    const saved = readFileSync(await download.path(), "utf8")
    const at = new Date(`${/(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/.exec(saved)?.slice(1).join("T")}Z`)
    const known = parseKnowledge(platformTools, {
      trustedKeys: [files.KEY],
      anchorAddress: null,
      blockHashes: []
    })
    const source = { name: WHOLE.name, stream: Stream.fromIterable([Uint8Array.from(files.whole)]) }
    const checked = await Effect.runPromise(
      Effect.provide(checkEvidence([source], Result.getOrThrow(known)), layerTools)
    )
    const facts = {
      files: checked.files,
      verifier: `@cairn/verifier ${version} in a browser`,
      page: new URL(page.url()).origin,
      at,
      chainId: 8453
    }
    assert.strictEqual(saved, evidenceReportHtml(checked.report, facts))
    const [{ sha256 } = { sha256: "" }] = checked.files
    const day = at.toISOString().slice(0, 10)
    assert.strictEqual(download.suggestedFilename(), `evidence-report-${day}-${sha256.slice(0, 8)}.html`)
    const outerHtml = (element: { outerHTML: string }) => element.outerHTML
    const shown = await page.locator(".check-sheet .report").evaluate(outerHtml)
    const file = join(folder, "report.html")
    writeFileSync(file, saved)
    const reader = await context.newPage()
    const loaded: Array<string> = []
    reader.on("request", (request) => loaded.push(request.url()))
    await reader.goto(`file://${file}`)
    assert.strictEqual(await reader.locator(".report").evaluate(outerHtml), shown)
    assert.strictEqual(await reader.locator("script").count(), 0)
    assert.deepStrictEqual(loaded, [`file://${file}`])
    assert.deepStrictEqual(requests, [])
  })

  it("is refused every request by the browser", async () => {
    await open()
    const answered: Array<string> = []
    page.on("response", (response) => answered.push(response.url()))
    const refused = await page.evaluate<ReadonlyArray<string>>(`(async () => {
      const came = []
      const attempt = (name, run) => run().then(() => came.push(name), () => undefined)
      await attempt("fetch", () => fetch("/api/v1/me"))
      await attempt("fetch elsewhere", () => fetch("https://elsewhere.example/"))
      await attempt("import", () => import("/console/assets/index.js?" + Math.random()))
      navigator.sendBeacon("/beacon", "x")
      await attempt("script", () => new Promise((resolve, reject) => {
        const script = document.createElement("script")
        script.onload = resolve
        script.onerror = reject
        try { script.src = "/docs" } catch (error) { reject(error) }
        document.head.append(script)
      }))
      await attempt("style", () => new Promise((resolve, reject) => {
        const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/console/x.css" })
        link.onload = resolve
        link.onerror = reject
        document.head.append(link)
      }))
      await attempt("image", () => new Promise((resolve, reject) => {
        const image = new Image()
        image.onload = resolve
        image.onerror = reject
        image.src = "/favicon.ico"
      }))
      const form = Object.assign(document.createElement("form"), { action: "/sign-out", method: "post" })
      document.body.append(form)
      form.submit()
      await new Promise((resolve) => setTimeout(resolve, 300))
      return came
    })()`)
    assert.deepStrictEqual(refused, [])
    assert.deepStrictEqual(answered, [])
    assert.strictEqual(page.url(), `${server.baseUrl}/verify`)
    assert.isAtLeast(errors.filter((error) => error.includes("Content Security Policy")).length, 5)
  })

  it("reaches nobody by WebRTC, and leads to no other address", async () => {
    const outside = await startOutside()
    try {
      await open()
      // What any other page of this browser reaches.
      const free = await context.newPage()
      await free.goto("about:blank")
      await free.evaluate(outside.call)
      assert.isAbove(outside.packets(), 0, "the trial itself does not work")
      const before = outside.packets()
      await page.evaluate(outside.call)
      assert.strictEqual(outside.packets(), before)
      await page.evaluate(outside.lead).catch(() => undefined)
      await free.waitForTimeout(1_000)
      assert.deepStrictEqual(outside.visits, [])
      await Promise.all([free.waitForURL(/127\.0\.0\.1/), free.evaluate(outside.lead).catch(() => undefined)])
      assert.include(outside.visits, "/left")
    } finally {
      outside.stop()
    }
  })

  it("prints the report and nothing else, from its first page on", async () => {
    await open()
    await choose(chosen("tampered.cairn", files.tampered))
    await verdict("Tampered")
    await page.emulateMedia({ media: "print" })
    const seen = await page.evaluate<string>("document.body.innerText")
    assert.strictEqual(seen.trim(), "")
    const first = await page.locator(".check-sheet .report").boundingBox()
    assert.isAtMost(first?.y ?? 100, 1)
    assert.isAtMost(first?.x ?? 100, 1)
    assert.isTrue(await page.locator(".check-sheet h1").isVisible())
    const pdf = await page.pdf({ format: "A4", preferCSSPageSize: true })
    writeFileSync(join(folder, "report.pdf"), pdf)
    await page.emulateMedia({ media: "screen" })
    assert.isTrue(await page.getByRole("heading", { name: "Check a file" }).isVisible())
  })

  it("can be cancelled, says that nothing is known then, and checks again", async () => {
    await open()
    await choose(chosen("long.cairn", files.long(20_000)))
    await page.getByRole("button", { name: "Cancel" }).click()
    await page.getByText("The check was cancelled.").waitFor()
    // It has ended: its progress does not come back.
    await page.waitForTimeout(500)
    assert.strictEqual(await page.locator("progress, .check-sheet").count(), 0)
    // The page could be drawn and used meanwhile.
    await page.evaluate(`globalThis.slowest = 0;
      (function look(before) {
        requestAnimationFrame((now) => { slowest = Math.max(slowest, now - before); look(now) })
      })(performance.now())`)
    await page.getByRole("button", { name: "Check again" }).click()
    await page.locator("progress").waitFor()
    await verdict("Intact by itself")
    const slowest = await page.evaluate<number>("slowest")
    console.info(`slowest frame of the page: ${Math.round(slowest)} ms`)
    assert.isAtMost(slowest, 2_000)
    assert.deepStrictEqual(errors, [])
  })

  it("gives no verdict on a file that was changed since it was chosen", async () => {
    await open()
    const file = join(folder, "changing.cairn")
    writeFileSync(file, files.whole)
    await page.locator(".check-drop input").setInputFiles(file)
    await verdict("Intact by itself")
    writeFileSync(file, files.tampered)
    await page.getByLabel("Keys that sign the log").fill(files.KEY)
    await page.getByText("changing.cairn could not be read to its end").waitFor()
    assert.strictEqual(await page.locator(".check-sheet").count(), 0)
    assert.strictEqual(await page.locator("#check-verdict").count(), 0)
  })

  it("needs no mouse", async () => {
    await open()
    const focused = () =>
      page.evaluate<string>(`(() => {
        const { activeElement: active, body } = document
        if (active === body) return ""
        return active.textContent || active.labels?.[0]?.textContent || active.ariaLabel || active.tagName
      })()`)
    const tabTo = async (name: string) => {
      for (let step = 0; step < 30; step++) {
        await page.keyboard.press("Tab")
        if ((await focused()).includes(name)) return
      }
      assert.fail(`the keyboard does not reach ${name}`)
    }
    // Asked for in time: the browser must know that a test chooses the file before it opens a dialog.
    const chooser = page.waitForEvent("filechooser")
    await tabTo("Choose a file")
    await page.keyboard.press("Enter")
    await (await chooser).setFiles([WHOLE])
    await verdict("Intact by itself")
    await tabTo("Save report")
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")])
    assert.match(download.suggestedFilename(), /^evidence-report-/)
    await tabTo("Check another file")
    await page.keyboard.press("Enter")
    await page.locator(".check-sheet").waitFor({ state: "detached" })
    assert.strictEqual(await page.evaluate<string>("document.activeElement.type"), "file")
    await tabTo("Keys that sign the log")
  })
})
