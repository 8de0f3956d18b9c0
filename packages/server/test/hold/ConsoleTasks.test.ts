/** What people come to the console for, done from beginning to end on a real server. */
import { because, noChromium } from "@cairn/testing/Chromium"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers } from "../support/CairnProcess.ts"
import { ConsoleStage, type OpenPage } from "../support/ConsoleStage.ts"
import { listMembers, operatorLink, peopleDatabases } from "../support/SignInSteps.ts"

describe.skipIf(noChromium)(`in the console${because}`, () => {
  killLeftovers()
  const databases = peopleDatabases("SQLite")
  let stage: ConsoleStage
  let open: OpenPage
  let database = ""

  beforeAll(async () => {
    database = (await databases.newDatabase()).database
    stage = await ConsoleStage.start({ database })
  })
  afterAll(() => stage?.stop())
  afterEach(async () => {
    // The browser tells of each answer to who is not signed in.
    assert.deepStrictEqual(
      open.errors.filter((error) => !error.includes("status of 401")),
      []
    )
    await open.close()
  })

  it("one finds who exported what last week, from the page of exports", async () => {
    open = await stage.open()
    const { page } = open
    await open.goTo("exports?new=csv")
    await page.getByRole("button", { name: "Start export" }).click()
    const row = page.locator("main tbody tr").first()
    await row.getByRole("button", { name: "Download" }).waitFor()
    const owner = await row.locator("td[data-label='Requested by'] a").innerText()
    const download = page.waitForEvent("download")
    await row.getByRole("button", { name: "Download" }).click()
    await (await download).path()
    await row.getByRole("link", { name: "CSV" }).click()
    await page.locator(".facts").getByRole("link", { name: owner }).waitFor()
    await open.goTo("exports")
    await page.getByRole("link", { name: "This week" }).click()
    await page.waitForURL(/period=this_week/)
    await page.getByRole("button", { name: /^Remove filter: Period This week/ }).waitFor()
    const list = page.locator("main [data-row]")
    await list.filter({ hasText: "cairn.access.downloads" }).first().waitFor()
    await list.filter({ hasText: "cairn.export.created" }).first().waitFor()
    for (const text of await list.allInnerTexts()) {
      assert.match(text, /cairn\.(?:export|access\.downloads)/)
    }
    assert.include(await list.filter({ hasText: "cairn.export.created" }).first().innerText(), owner)
    await page.reload()
    await list.first().waitFor()
    await page.getByRole("button", { name: "Period: This week (from Mon)" }).waitFor()
  })

  it("each question that is often asked shows what it asks for, and nothing else", async () => {
    open = await stage.open()
    const { page } = open
    const { server } = stage
    const client = apiClient(server.baseUrl, server.key)
    const [member] = (await listMembers(client)).filter(
      ({ role }) => role === "developer" || role === "member"
    )
    const changed = await client.request("PATCH", `/api/v1/members/${member?.id}`, { role: "auditor" })
    assert.strictEqual(changed.status, 200, JSON.stringify(changed.body))
    // What only sounds like it.
    for (const action of ["file.undeleted", "member.updated", "api_key.created", "session.started"]) {
      assert.strictEqual((await client.send({ actor_id: "ada", action })).status, 202)
    }
    const list = page.locator("main [data-row]")
    for (const [question, expected] of [
      ["Who was given or lost a role?", "cairn.member.updated"],
      ["Which API keys were made or revoked?", "cairn.api_key.created"],
      ["Who signed in here?", "cairn.session.started"],
      ["Who read the log?", "cairn.access.events"]
    ] as const) {
      await open.goTo("events")
      await page.getByRole("button", { name: question }).click()
      await list.filter({ hasText: expected }).first().waitFor()
      const kind = new RegExp(expected.slice(0, expected.lastIndexOf(".") + 1).replaceAll(".", "\\."))
      for (const text of await list.allInnerTexts()) assert.match(text, kind, question)
    }
    const chip = page.getByRole("button", { name: /^Remove filter: Action cairn\.access/ })
    await page.getByRole("navigation").getByRole("link", { name: "Events" }).click()
    await chip.waitFor({ state: "detached" })
    await list.filter({ hasText: "member.updated" }).first().waitFor()
    assert.match(page.url(), /\/events$/)
    await page.goBack()
    await chip.waitFor()
    await list.filter({ hasText: "member.updated" }).first().waitFor({ state: "detached" })
  })

  /** Makes a key, on a page of the size of a laptop's. */
  const makeKey = async () => {
    open = await stage.open()
    const { page } = open
    await page.setViewportSize({ width: 1_280, height: 800 })
    await open.goTo("keys")
    await page.getByRole("link", { name: "New API key" }).click()
    await page.getByLabel("Name").fill("Billing")
    await page.getByRole("button", { name: "Create key" }).click()
    await page.getByText("Copy the key now").waitFor()
    return page
  }

  it("a new key that was not copied is not left without a question, on any way", async () => {
    const page = await makeKey()
    const done = page.getByRole("link", { name: "Done, I have saved the key" })
    const box = await done.boundingBox()
    assert.isAtMost((box?.y ?? 1e9) + (box?.height ?? 0), 800, "it is in sight")
    const question = page.getByRole("dialog", { name: "Leave without the key?" })
    const here = page.url()
    const stay = async () => {
      await question.waitFor()
      await page.getByRole("button", { name: "Cancel" }).click()
      await question.waitFor({ state: "detached" })
      assert.strictEqual(page.url(), here)
      await page.getByText("Copy the key now").waitFor()
    }
    await done.click()
    assert.deepStrictEqual(await open.violations(), [])
    await stay()
    await page.getByRole("link", { name: "Events" }).click()
    await stay()
    await page.evaluate("history.back()")
    await stay()
    const asked = page.waitForEvent("dialog")
    const reloaded = page.reload({ timeout: 5_000 }).catch(() => undefined)
    const dialog = await asked
    assert.strictEqual(dialog.type(), "beforeunload")
    await dialog.dismiss()
    await reloaded
    await page.getByText("Copy the key now").waitFor()
    await page.evaluate("history.back()")
    await question.getByRole("button", { name: "Leave without it" }).click()
    await page.waitForURL(/\/keys$/)
    await page.getByRole("link", { name: "Billing" }).waitFor()
  })

  it("a new member's role and exact end are said when it is added and in the list, and how it gets in", async () => {
    open = await stage.open()
    const { page } = open
    await open.goTo("members/new?role=auditor")
    await page.getByLabel("E-mail address").fill("eve@audit.example")
    await page.getByText("Until Friday evening").click()
    await page.getByRole("button", { name: "Add member" }).click()
    const given = page.locator(".card", { hasText: "What was given" })
    await given.getByText("Auditor").waitFor()
    const said = await given.innerText()
    assert.match(said, /Friday,? \d+ \w+ \d{4} at 20:00:00 (?:CET|CEST|GMT\+[12])/)
    // There is no mail, and no identity provider.
    await page.getByText("This service sends no mail").waitFor()
    await page.getByText("cairn member sign-in-link eve@audit.example").waitFor()
    await page.getByText("on the machine of the service, with the service’s settings").waitFor()
    assert.deepStrictEqual(await open.violations(), [])
    await page.getByRole("link", { name: "Done" }).click()
    const row = page.locator("main tbody tr", { hasText: "eve@audit.example" })
    assert.match(await row.innerText(), /\d+ \w+ \d{4}, 20:00:00 (?:CET|CEST|GMT\+[12])/)
  })

  it("the page of somebody who has signed out is not shown again by Back", async () => {
    const members = await listMembers(apiClient(stage.server.baseUrl, stage.server.key))
    const email = members.find(({ role }) => role === "auditor")?.email ?? ""
    const theirs = await stage.as(await operatorLink({ database }, email))
    open = await theirs.open()
    const { page } = open
    await open.goTo("events")
    // A page that was kept comes back as it was left, without being asked for: Chromium does not keep one
    // that is looked at from outside, so the event is made.
    const comeBack = (persisted: boolean) =>
      page.evaluate(`void dispatchEvent(new PageTransitionEvent("pageshow", { persisted: ${persisted} }))`)
    await page.evaluate("globalThis.isKept = true")
    await comeBack(false)
    await page.locator("[data-row]").first().waitFor()
    assert.isTrue(await page.evaluate<boolean>("globalThis.isKept === true"), "it was loaded just now")
    await page.evaluate(`fetch("/sign-out", { method: "POST" })`)
    await page.locator("[data-row]").first().waitFor()
    await comeBack(true)
    await page.waitForURL(/\/sign-in/)
    assert.strictEqual(await page.locator("[data-row]").count(), 0)
  })

  it("an anchor that no chain gets is said to be not sent", async () => {
    const { status } = await apiClient(stage.server.baseUrl, stage.server.key).request(
      "POST",
      "/api/v1/anchors"
    )
    assert.strictEqual(status, 202)
    open = await stage.open()
    await open.goTo("")
    await open.page.getByText("not sent to a blockchain").waitFor()
    await open.goTo("integrity")
    await open.page.getByText("None of these has been sent to a blockchain.").waitFor()
    await open.page.locator(".badge", { hasText: "Not sent" }).first().waitFor()
  })

  it("how long ago something was is said by the service's clock, whatever the browser's is", async () => {
    open = await stage.open()
    const { page } = open
    const client = apiClient(stage.server.baseUrl, stage.server.key)
    assert.strictEqual((await client.send({ actor_id: "ada", action: "clock.read" })).status, 202)
    await page.clock.setSystemTime(Date.now() + 5 * 3_600_000)
    await open.goTo("events?action=clock.read")
    const row = page.locator("main [data-row]").first()
    await row.waitFor()
    assert.match(await row.innerText(), /now|seconds? ago|minutes? ago/)
    await open.goTo("keys")
    const made = page.locator("main tbody time").first()
    await made.waitFor()
    assert.match(await made.innerText(), /now|seconds? ago|minutes? ago/)
  })

  /** Adds a person to the workspace, and signs it in. */
  const openAs = async (email: string, given: Readonly<Record<string, string>>) => {
    const client = apiClient(stage.server.baseUrl, stage.server.key)
    const { status } = await client.request("POST", "/api/v1/members", { email, ...given })
    assert.strictEqual(status, 201)
    open = await (await stage.as(await operatorLink({ database }, email))).open()
    return open.page
  }

  it("the overview shows the checkpoint of now, and not the last that the service has stored", async () => {
    const client = apiClient(stage.server.baseUrl, stage.server.key)
    const sizeNow = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${stage.server.key}` }
      const note = await (await fetch(`${stage.server.baseUrl}/api/v1/checkpoint`, { headers })).text()
      return Number(note.split("\n")[1])
    }
    const before = await sizeNow()
    for (const action of ["door.opened", "door.closed"]) {
      assert.strictEqual((await client.send({ actor_id: "ada", action })).status, 202)
    }
    while ((await sizeNow()) < before + 2) await new Promise((resolve) => setTimeout(resolve, 100))
    const size = await sizeNow()
    open = await stage.open()
    await open.goTo("")
    const shown = open.page.locator(".facts > div", { hasText: "Newest checkpoint" })
    await shown.getByText(/signed when the log had/).waitFor()
    const events = /had ([\d,]+) event/.exec(await shown.innerText())?.[1] ?? ""
    assert.isAtLeast(Number(events.replaceAll(",", "")), size)
  })

  it("a service that signs no checkpoint is said to sign none, on the overview too", async () => {
    open = await stage.open()
    const refusal = { error: "unavailable", message: "The log is not what was signed" }
    await open.page.route("**/api/v1/checkpoint", (route) => route.fulfill({ status: 503, json: refusal }))
    await open.goTo("")
    await open.page.getByText("the service signs none at present").waitFor()
    // The browser tells of the refusal.
    await open.close()
    open = await stage.open()
  })

  it("each number of events says what it counts, and over which period", async () => {
    open = await stage.open()
    const { page } = open
    await open.goTo("")
    const month = page.locator(".card", { hasText: "This month" })
    await month.getByText(/Accepted since 1 \w+ \d{4}, 0\d:00:00 \S+, without records of who read/).waitFor()
    const week = page.locator(".card", { hasText: "The last seven days" })
    const said = /([\d,]+) events were recorded in these seven days, also records of who read/
    await week.getByText(said).waitFor()
    const bars = await week.locator(".plot").getAttribute("aria-label")
    const total = said.exec(await week.innerText())?.[1] ?? "none"
    assert.include(bars ?? "", `${total} events`)
    await open.goTo("usage")
    const events = page.locator(".card", { has: page.getByRole("heading", { name: "Events", exact: true }) })
    await events.getByText(/the chart of the overview counts seven days/).waitFor()
    await page.getByText(/Begun since 1 \w+ \d{4}/).waitFor()
  })

  it("an export of evidence leads to its check, which says what to do, and has the whole command", async () => {
    open = await stage.open()
    const { page } = open
    await open.goTo("exports?new=evidence")
    const dialog = page.getByRole("dialog")
    await dialog.getByText("--report report.html").waitFor()
    await dialog.getByRole("button", { name: "Start export" }).click()
    const row = page.locator("main tbody tr", { hasText: "Evidence" }).first()
    await row.getByRole("link", { name: "Check this file" }).click()
    await page.waitForURL(/\/check\?export=exp_/)
    const steps = page.locator(".card", { hasText: "Check the file of an export" })
    await steps.getByText("Drop it anywhere on this page").waitFor()
    const download = page.waitForEvent("download")
    await steps.getByRole("button", { name: "Download" }).click()
    const file = await download
    const name = file.suggestedFilename()
    assert.match(name, /^cairn-demo-evidence-until-\d{4}-\d\d-\d\d-[\da-f]{8}\.cairn$/)
    await steps.getByText(`npx @cairn/verifier ${name} --report report.html`, { exact: true }).waitFor()
    assert.deepStrictEqual(await open.violations(), [])
    await page.locator(".check-drop input").setInputFiles(await file.path())
    await page.locator("#check-verdict").waitFor()
    // There is nothing to check for an auditor in a table.
    await open.goTo("exports")
    for (const row of await page.locator("main tbody tr", { hasText: "CSV" }).all()) {
      assert.strictEqual(await row.getByRole("link", { name: "Check this file" }).count(), 0)
      const id = /exp_[\w-]+/.exec(await row.innerHTML())?.[0]
      await open.goTo(`check?export=${id}`)
      return page.getByText("its file proves nothing").waitFor()
    }
    return assert.fail("no CSV")
  })

  it("whose access ends is told until when on the overview, and who may stay is not", async () => {
    const given = { role: "auditor", expires_at: "2031-03-07T19:00:00.000Z" }
    const page = await openAs("max@audit.example", given)
    await open.goTo("")
    const head = page.locator(".page-head")
    await head.getByText("Your access to this workspace ends").waitFor()
    assert.match(await head.innerText(), /7 Mar 2031, 20:00:00 (?:CET|GMT\+1)/)
    await open.close()
    open = await stage.open()
    await open.goTo("")
    assert.notInclude(await open.page.locator(".page-head").innerText(), "access")
  })

  it("who may not export evidence is told who may, and is not asked to", async () => {
    const page = await openAs("mia@example.com", { role: "member" })
    await open.goTo("integrity")
    const outside = page.locator(".card", { hasText: "Verify without this service" })
    await outside
      .getByText("Your role cannot export evidence. These roles can: Owner, Admin, Developer and Auditor.")
      .waitFor()
    assert.strictEqual(await outside.getByRole("link", { name: "Export an evidence bundle" }).count(), 0)
    await outside.getByRole("link", { name: /Check an evidence file/ }).waitFor()
    await open.close()
    open = await stage.open()
    await open.goTo("integrity")
    const theirs = open.page.locator(".card", { hasText: "Verify without this service" })
    await theirs.getByRole("link", { name: "Export an evidence bundle" }).waitFor()
    assert.notInclude(await theirs.innerText(), "Your role")
  })

  it("the terms of the field are explained where they first stand", async () => {
    open = await stage.open()
    const { page } = open
    await open.goTo("")
    for (const [term, meaning] of [
      ["Newest checkpoint", "The state of the whole log in one signed hash"],
      ["Newest anchor", "A period's events in one hash, their Merkle root"]
    ] as const) {
      await page.locator(".facts > div", { hasText: term }).getByText(meaning).waitFor()
    }
    await open.goTo("integrity")
    const newest = page.locator(".card", { hasText: "Newest checkpoint" })
    await newest.getByText("A checkpoint is the state of the whole log in one signed hash").waitFor()
    await newest.getByText("One hash computed from all events, by a Merkle tree").waitFor()
    await newest.getByText("The signed note is the checkpoint as a text").waitFor()
    await page.locator("main tbody tr", { hasText: "Not sent" }).first().getByRole("link").first().click()
    await page.getByRole("dialog").getByText("One hash computed from the period's events").waitFor()
  })

  it("an event that a search finds says in which field the words stand, and only then", async () => {
    const client = apiClient(stage.server.baseUrl, stage.server.key)
    const metadata = { badge: "Quartz-9", opened: { by: { card: { since: "2026-11-16T00:00:00Z" } } } }
    const targets = [{ type: "door", id: "d-1", name: "Back door" }, { type: "alarm" }]
    const event = { actor_id: "ada", action: "door.opened", metadata, targets }
    assert.strictEqual((await client.send(event)).status, 202)
    open = await stage.open()
    const { page } = open
    const drawer = page.getByRole("dialog")
    await open.goTo("events?search=quartz-9")
    const row = page.locator("main [data-row]").first()
    for (let tries = 0; tries < 40 && (await row.count()) === 0; tries++) {
      await page.waitForTimeout(500)
      await page.reload()
      await open.quiet()
    }
    await row.click()
    await drawer.getByText("“quartz-9” was found in: Changes, More details.").waitFor()
    assert.deepStrictEqual(await open.violations(), [])
    const affected = drawer.locator("section", { hasText: "Also affected" }).locator("li")
    assert.deepStrictEqual(await affected.allInnerTexts(), ["door · Back door · d-1", "alarm"])
    await page.setViewportSize({ width: 390, height: 800 })
    await drawer.locator(".json summary").last().click()
    const time = drawer.locator(".json dd", { hasText: /^2026-11-16T/ })
    assert.isBelow((await time.boundingBox())?.height ?? 1e3, 25, "it stands in a line")
    await open.goTo("events")
    await row.click()
    await drawer.locator(".fields").first().waitFor()
    assert.notInclude(await drawer.innerText(), "was found in")
    await open.goTo("events?search=quartz-9&action=door.closed&period=week")
    await page.getByText("“quartz-9” is searched for exactly as it stands").waitFor()
    await page.getByText("2 other conditions are set as well.").waitFor()
    await page.getByRole("button", { name: "Search without them" }).click()
    await row.filter({ hasText: "door.opened" }).waitFor()
  })

  it("a new key that was copied is left at once", async () => {
    const page = await makeKey()
    await page.locator(".card", { hasText: "Copy the key now" }).getByRole("button", { name: "Copy" }).click()
    await page.getByText("Copied").first().waitFor()
    await page.getByRole("link", { name: "Done, I have saved the key" }).click()
    await page.waitForURL(/\/keys$/)
    await page.getByRole("link", { name: "Billing" }).first().waitFor()
  })
})
