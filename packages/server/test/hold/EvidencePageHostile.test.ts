/** Events that were written to break out of the report: they are text in it, and break nothing. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { hostileEvents } from "@cairn/testing"
import { because, noChromium, PATIENCE } from "@cairn/testing/Chromium"
import { assert, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { cairn, killLeftovers, startServer } from "../support/CairnProcess.ts"
import { withChangedContents } from "../support/EvidenceFiles.ts"
import { everywhere, HOSTILE_TEXTS } from "../support/HostileTexts.ts"
import { launchPeopleBrowser } from "../support/PeopleBrowser.ts"
import { peopleDatabases } from "../support/SignInSteps.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

describe.skipIf(noChromium)(`hostile events in an evidence report${because}`, () => {
  killLeftovers()
  const folder = temporaryFolder()
  const { newDatabase } = peopleDatabases("SQLite")

  it("are text, however long, and cannot run, turn what stands beside them, or widen the page", async () => {
    const { database } = await newDatabase()
    const server = await startServer({ database, tenant: true })
    const client = apiClient(server.baseUrl, server.key)
    for (const text of HOSTILE_TEXTS) await client.request("POST", "/api/v1/events", everywhere(text))
    for (const { json, refusedAt } of hostileEvents) {
      if (refusedAt === undefined) await client.request("POST", "/api/v1/events", JSON.parse(json))
    }
    const file = join(folder, "real.cairn")
    const written = await cairn(["evidence", "--workspace", "Tenant", "--output", file], { database })
    assert.strictEqual(written.code, 0, written.stderr)
    const bytes = readFileSync(file)
    const browser = await launchPeopleBrowser()
    for (const width of [1_280, 390]) {
      const context = await browser.newContext({ locale: "en-GB", viewport: { width, height: 900 } })
      context.setDefaultTimeout(PATIENCE)
      const page = await context.newPage()
      const errors: Array<string> = []
      page.on("console", (message) => {
        if (message.type() === "error") errors.push(message.text())
      })
      page.on("pageerror", (error) => errors.push(String(error)))
      page.on("dialog", (dialog) => assert.fail(`a dialog came up: ${dialog.message()}`))
      const check = async (name: string, buffer: Buffer, verdict: string) => {
        await page.locator(".check-drop input").setInputFiles([{ name, mimeType: "a/b", buffer }])
        await page.locator("#check-verdict", { hasText: verdict }).waitFor()
      }
      await page.goto(`${server.baseUrl}/verify`)
      // A real file of the service, as it is.
      await check("real.cairn", bytes, "Intact by itself")
      const tampered = Buffer.from(withChangedContents(bytes, () => true))
      for (const name of [
        "<img src=x onerror=globalThis.pwned=1>.cairn",
        "a\u202egpj.exe",
        "x".repeat(240)
      ]) {
        await check(name, tampered, "Tampered")
        const sheet = page.locator(".check-sheet .report")
        assert.include(await sheet.innerText(), "<script>globalThis.pwned")
        const harm = await page.evaluate<string>(`String(globalThis.pwned ?? "") +
          [...document.querySelectorAll("main script, main img, main iframe, main style, h1#out, a[href^=javascript]")]
            .concat([...document.querySelector(".check-sheet > div").shadowRoot.querySelectorAll(
              "script, img, svg, iframe, style, a, [href], [src], [onload], [onerror], #out")])
            .map((element) => element.outerHTML)`)
        assert.strictEqual(harm, "", name)
        const isTurned = /[\u202a-\u202e\u2066-\u2069]/
        assert.notMatch(await sheet.innerText(), isTurned)
        assert.notMatch(await page.locator("body").innerText(), isTurned)
        const overhang = await page.evaluate<number>(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert.isAtMost(overhang, 0, `${name} at ${width}`)
      }
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Save report" }).click()
      ])
      const saved = readFileSync(await download.path(), "utf8")
      assert.notMatch(saved, /<(?:script|img|svg|iframe)/)
      writeFileSync(join(folder, "report.html"), saved)
      const reader = await context.newPage()
      await reader.goto(`file://${join(folder, "report.html")}`)
      assert.strictEqual(await reader.evaluate("String(globalThis.pwned)"), "undefined")
      assert.strictEqual(await reader.locator("h1").count(), 1)
      assert.deepStrictEqual(errors, [])
      await context.close()
    }
    await server.stop()
  }, 600_000)
})
