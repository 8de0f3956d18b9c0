/** The filter bar as people use it, in a real browser. */
import { Micros } from "@cairn/core/encoding"
import { ordinaryEvents } from "@cairn/testing"
import { because, noChromium } from "@cairn/testing/Chromium"
import { firstOf } from "@cairn/testing/TrialCases"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { dataOf } from "./support/FakeService.ts"
import { testTenant } from "./support/TestTenant.ts"
import { NOW, type OpenOptions, type OpenViewer, ViewerStage } from "./support/ViewerStage.ts"

/** An event of a document, by a person. */
const byPerson = (actor: readonly [id: string, name: string], action: string, more: object = {}) => ({
  actor_id: actor[0],
  actor_name: actor[1],
  action,
  resource: "document",
  resource_id: "doc_1",
  resource_name: "Kundenliste",
  session_id: "ses_ada",
  ...more
})

const ADA = ["usr_1", "Ada Lovelace"] as const
const BOB = ["usr_2", "Bob \u202eMoran"] as const

const tenant = testTenant(
  [
    ...ordinaryEvents(60, { seed: 21 }),
    byPerson(BOB, "folder.deleted", { resource: "folder", resource_id: "fol_1", session_id: "ses_bob" }),
    byPerson(BOB, "document.deleted", { targets: [{ type: "door", id: "d-1", name: "Back door" }] }),
    byPerson(ADA, "document.shared", { action_category: "access" }),
    byPerson(ADA, "document.exported", { metadata: { note: "quarterly figures" } })
  ],
  { until: NOW * 1_000 - 90 * Micros.SECOND }
)

describe.skipIf(noChromium)(`the filter bar${because}`, () => {
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

  const open = async (options?: OpenOptions) => {
    viewer = await stage.open(options)
    await viewer.frame.waitForSelector("[data-row], .notice-title")
    const { frame, page } = viewer
    const box = frame.getByRole("combobox", { name: "Search and filter" })
    return {
      frame,
      page,
      box,
      option: (name: string | RegExp) => frame.getByRole("option", { name }),
      chip: (name: string) => frame.getByRole("button", { name: `Remove filter: ${name}`, exact: true }),
      period: frame.getByRole("button", { name: /^Period:/ }),
      /** Waits until the address's query is this one, in this order. */
      hasQuery: (...expected: ReadonlyArray<readonly [string, string]>) =>
        viewer.until(`(() => {
          const parameters = new URLSearchParams(location.search)
          for (const name of ["workspace", "locale"]) parameters.delete(name)
          return parameters.toString() === ${JSON.stringify(new URLSearchParams(expected.map(([name, value]): [string, string] => [name, value])).toString())}
        })()`),
      hasTotal: (total: number) =>
        frame.getByText(total === 1 ? "1 event" : `${total} events`, { exact: true }).waitFor()
    }
  }

  /** Events of the log that a test selects, by its own reckoning. */
  const count = (isMeant: (event: ReturnType<typeof tenant.eventOf>) => boolean) =>
    tenant.stored.map(tenant.eventOf).filter(isMeant).length

  it("finds Ada where somebody types Ada", async () => {
    const { box, option, chip, hasQuery, hasTotal } = await open()
    await box.fill("Ada")
    await option(/^Search for Ada$/).waitFor()
    await option(/^Ada Lovelace usr_1 2$/).click()
    await hasQuery(["actor_id", "usr_1"])
    await hasTotal(2)
    await chip("Actor Ada Lovelace").waitFor()
    assert.strictEqual(await box.inputValue(), "")
    await box.fill("ada")
    await box.press("Enter")
    await hasQuery(["search", "ada"], ["actor_id", "usr_1"])
    await hasTotal(2)
  })

  it("searches for words that must all be there, and marks them in the rows", async () => {
    const { box, chip, frame, hasQuery, hasTotal } = await open()
    await box.fill('figures "ADA lovelace"')
    await box.press("Enter")
    await hasQuery(["search", "figures"], ["search", "ADA lovelace"])
    await hasTotal(1)
    assert.deepStrictEqual(await frame.locator('[data-row="0"] mark').allTextContents(), ["Ada Lovelace"])
    await chip("Search figures").click()
    await hasQuery(["search", "ADA lovelace"])
    await hasTotal(2)
    assert.match((await frame.locator(".chips").textContent()) ?? "", /^Search: ADA lovelace/)
  })

  it("takes several values of a condition, and removes each alone", async () => {
    const { box, chip, frame, hasQuery, hasTotal } = await open()
    for (const [typed, id] of [
      ["actor:lovelace", "usr_1"],
      ["Actor: bob", "usr_2"]
    ] as const) {
      await box.fill(typed)
      // Before the suggestions have come.
      await box.press("Enter")
      await viewer.until(`location.search.includes("actor_id=${id}")`)
    }
    await hasTotal(4)
    const chips = (await frame.locator(".chips").textContent()) ?? ""
    assert.match(chips, /^Actor: ?Ada Lovelace ?or Bob U\+202EMoran/)
    await chip("Actor Ada Lovelace").click()
    await hasQuery(["actor_id", "usr_2"])
    await hasTotal(2)
  })

  it("offers all below an action, and all that end so", async () => {
    const { box, option, hasQuery, hasTotal, chip } = await open()
    await box.fill("document")
    await option(/^document\.\* /).click()
    await hasQuery(["action", "document"], ["action", "document.*"])
    await hasTotal(count(({ action }) => /^document(\.|$)/.test(action)))
    await chip("Action document").click()
    await box.fill("action:deleted")
    await box.press("Enter")
    await hasQuery(["action", "document.*"], ["action", "*.deleted"])
    await hasTotal(count(({ action }) => action.startsWith("document.") || action.endsWith(".deleted")))
  })

  it("offers an action by the words that the rows tell it in", async () => {
    const { box, option, hasQuery } = await open()
    await box.fill("shared doc")
    await option(/^document\.shared shared document \d+$/).click()
    await hasQuery(["action", "document.shared"])
  })

  it.each(
    firstOf(2, [
      ["a session", "session:ses_b", /^ses_bob 1$/, [["session_id", "ses_bob"]], "Session ses_bob"],
      ["a country by its name", "country:germ", /Germany DE/, [["country", "DE"]], "Country Germany"],
      ["a category", "category:acc", /^access \d+$/, [["category", "access"]], "Category access"],
      [
        "a target by its name",
        "target:door",
        /^Back door door · d-1 1$/,
        [["target_id", "d-1"]],
        "Target Back door"
      ],
      ["a type of target", "target:doo", /^door 1$/, [["target_type", "door"]], "Target type door"],
      ["a type of resource", "resource:fol", /^folder 1$/, [["resource", "folder"]], "Resource type folder"],
      [
        "a resource by its name",
        "kund",
        /^Kundenliste document · doc_1 3$/,
        [["resource_id", "doc_1"]],
        "Resource Kundenliste"
      ],
      [
        "a name of resources",
        "resource:kund",
        /^Kundenliste 4$/,
        [["resource_name", "Kundenliste"]],
        "Resource name Kundenliste"
      ],
      [
        "an id as it is typed",
        "actor:usr_77",
        /^Actor: usr_77 by id$/,
        [["actor_id", "usr_77"]],
        "Actor usr_77"
      ]
    ] as const)
  )("narrows the list to %s", async (_, typed, name, query, label) => {
    const { box, option, hasQuery, chip } = await open()
    await box.fill(typed)
    await option(name).click()
    await hasQuery(...query)
    await chip(label).waitFor()
  })

  it("begins with a field that is chosen, and leaves it by a backspace", async () => {
    const { box, option, frame } = await open()
    await box.click()
    await option(/^Session id$/).click()
    await option(/^ses_ada 3$/).waitFor()
    assert.match((await box.getAttribute("aria-describedby")) ?? "", /-field$/)
    assert.strictEqual(await frame.locator(".search-field").textContent(), "Session:")
    await box.press("Backspace")
    await viewer.until(`document.querySelector(".search-field") === null`)
    await option(/^Tenant/).waitFor({ state: "detached" })
  })

  it("is a combobox: the arrows point, Enter chooses, Escape closes, and the focus stays", async () => {
    const { box, option, page, hasQuery } = await open()
    await box.focus()
    assert.strictEqual(await box.getAttribute("aria-expanded"), "false")
    await box.pressSequentially("ada", { delay: 20 })
    await option(/^Ada Lovelace/).waitFor()
    assert.strictEqual(await box.getAttribute("aria-expanded"), "true")
    const pointed = () =>
      viewer.frame.evaluate<string | null>(
        `document.getElementById(document.activeElement.getAttribute("aria-activedescendant"))?.textContent ?? null`
      )
    assert.match((await pointed()) ?? "", /Search for ada/)
    await page.keyboard.press("ArrowDown")
    assert.match((await pointed()) ?? "", /^Ada Lovelace/)
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("ArrowUp")
    assert.notMatch((await pointed()) ?? "", /Search for/)
    await page.keyboard.press("Escape")
    assert.strictEqual(await box.getAttribute("aria-expanded"), "false")
    assert.strictEqual(await box.inputValue(), "ada")
    await page.keyboard.press("ArrowDown")
    assert.match((await pointed()) ?? "", /^Ada Lovelace/)
    await page.keyboard.press("Enter")
    await hasQuery(["actor_id", "usr_1"])
    await viewer.until(`document.activeElement.getAttribute("role") === "combobox"`)
    await box.fill("x")
    await page.keyboard.press("Escape")
    await page.keyboard.press("Escape")
    assert.strictEqual(await box.inputValue(), "")
  })

  it("leaves Enter to whoever composes a character", async () => {
    const { box, hasQuery } = await open()
    await box.fill("ada")
    await box.dispatchEvent("keydown", { key: "Enter", isComposing: true })
    assert.strictEqual(await box.inputValue(), "ada")
    await hasQuery()
  })

  it("asks for suggestions once a pause is made, beside what is set, and not for the own condition", async () => {
    const { box, option, frame } = await open({ query: "actor_id=usr_2&action=*.deleted&period=week" })
    const finished: Array<Promise<number>> = []
    viewer.page.on("request", (request) => {
      if (!request.url().includes("prefix=ada")) return
      finished.push(request.response().then(() => request.timing().startTime))
    })
    await box.focus()
    // In one turn of the page: on a busy machine, keys that are pressed one by one have pauses between them.
    const typed = Date.now()
    await frame.evaluate(`(() => {
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")
      for (const text of ["a", "ad", "ada"]) {
        set.call(document.activeElement, text)
        document.activeElement.dispatchEvent(new InputEvent("input", { bubbles: true }))
      }
    })()`)
    await option(/^Search for ada$/).waitFor()
    await viewer.until(
      `document.querySelector('[role="status"].hidden')?.textContent.includes("1 suggestion")`
    )
    // A busy machine makes it longer, and never shorter.
    const pauses = await Promise.all(finished).then((times) => times.map((time) => time - typed))
    assert.isNotEmpty(pauses)
    assert.isAtLeast(Math.min(...pauses), 140)
    const asked = viewer.addresses
      .map((address) => new URL(address))
      .filter(({ pathname }) => pathname.endsWith("/events/facets"))
      .map(({ searchParams }) => searchParams)
    assert.deepStrictEqual(
      asked.map((parameters) => `${parameters.get("field")} ${parameters.get("prefix")}`).toSorted(),
      // Of actions also the most frequent, which the page knows by their sentences.
      ["action ada", "action null", "actor ada", "resource ada", "resource_id ada"]
    )
    for (const parameters of asked) {
      const field = parameters.get("field")
      assert.isTrue(parameters.has("from"))
      assert.strictEqual(parameters.has("actor_id"), field !== "actor")
      assert.strictEqual(parameters.has("action"), field !== "action")
    }
  })

  it("says of how many events the counts are", async () => {
    const values = [{ value: "usr_9", label: "Ada Byron", type: null, count: 1_234 }]
    stage.service.instead = ({ url }) =>
      url.pathname.endsWith("/facets")
        ? { status: 200, body: { data: { field: "actor", values, events: 100_000, complete: false } } }
        : undefined
    const { box, option, frame } = await open()
    await box.fill("actor:")
    await option(/^Ada Byron usr_9 1,234$/).waitFor()
    await frame.getByText("Counted in the newest 100,000 events").waitFor()
  })

  it("searches and filters all the same where nothing can be suggested", async () => {
    stage.service.instead = ({ url }) =>
      url.pathname.endsWith("/facets") ? { status: 429, body: {} } : undefined
    const { box, hasQuery } = await open()
    await box.fill("actor:usr_1")
    await box.press("Enter")
    await hasQuery(["actor_id", "usr_1"])
    await box.fill("ada")
    await box.press("Enter")
    await hasQuery(["search", "ada"], ["actor_id", "usr_1"])
  })

  it("says where a * finds nothing, and that there is no room for more values", async () => {
    const twenty = Array.from({ length: 20 }, (_, index): [string, string] => ["actor_id", `u${index}`])
    const { box, frame } = await open({ query: new URLSearchParams(twenty).toString() })
    await box.fill("action:user*")
    await frame.getByText("* works at the beginning or the end").waitFor()
    await box.fill("")
    await box.press("Backspace")
    await box.fill("expo*")
    await frame.getByText("Finds the text anywhere").waitFor()
    await box.fill("actor:u77")
    await box.press("Enter")
    await frame.getByText("No more than 20 values can be set.").waitFor()
    assert.notInclude(viewer.frame.url(), "u77")
  })

  it("opens addresses of before, with one value each", async () => {
    const { chip, hasTotal } = await open({
      query: "search=ada+lovelace&action=document.*&resource=document"
    })
    await chip("Search ada lovelace").waitFor()
    await chip("Action document.*").waitFor()
    await chip("Resource type document").waitFor()
    await hasTotal(2)
  })

  it("is passed in three stops of the tabulator key, whatever is set", async () => {
    const { page, chip, hasQuery } = await open({ query: "actor_id=usr_1&actor_id=usr_2&search=document" })
    await chip("Actor Ada Lovelace").waitFor()
    const stops: Array<string> = []
    const stop = () =>
      viewer.frame.evaluate<string>(`(() => {
        const at = document.activeElement
        if (at.dataset.row !== undefined) return "row"
        return at.closest(".filters") !== null ? "filter" : at.className || at.tagName
      })()`)
    while (stops.at(-1) !== "row" && stops.length < 10) {
      await page.keyboard.press("Tab")
      stops.push(await stop())
    }
    assert.strictEqual(stops.filter((one) => one === "filter").length, 3, stops.join())
    // The row is the seventh.
    assert.isAtMost(stops.length, 7, stops.join())
    await chip("Search document").focus()
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Delete")
    await hasQuery(["search", "document"], ["actor_id", "usr_2"])
    await page.keyboard.press("Home")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await hasQuery()
    await viewer.until(`document.activeElement.getAttribute("role") === "combobox"`)
  })

  it("shows hostile values as text, and cuts long ones", async () => {
    const hostile = await open()
    await hostile.box.fill("actor:bob")
    await hostile.option(/^Bob U\+202EMoran usr_2 2$/).waitFor()
    const isTurned = "/[\\u202a-\\u202e]/.test(document.body.innerHTML)"
    assert.isFalse(await hostile.frame.evaluate<boolean>(isTurned))
    await viewer.close()
    const long = "x".repeat(256)
    const { frame } = await open({
      query: new URLSearchParams([
        ["actor_id", "a\u202egpj.exe"],
        ["session_id", long],
        ["search", "<img src=x onerror=pwned=1>"]
      ]).toString()
    })
    const chips = (await frame.locator(".chips").textContent()) ?? ""
    assert.include(chips, "aU+202Egpj.exe")
    assert.include(chips, "<img src=x onerror=pwned=1>")
    assert.notInclude(chips, long)
    assert.isFalse(await frame.evaluate<boolean>(isTurned))
    assert.isFalse(await frame.evaluate<boolean>("'pwned' in globalThis"))
  })

  it("narrows the list from an open event to what it has in common with others", async () => {
    const { frame, hasQuery, hasTotal } = await open({ query: "actor_id=usr_2" })
    for (const [name, query, total] of [
      [
        "Only this resource",
        [
          ["actor_id", "usr_2"],
          ["resource", "document"],
          ["resource_id", "doc_1"]
        ],
        1
      ],
      [
        "Only this actor",
        [
          ["actor_id", "usr_2"],
          ["resource", "document"],
          ["resource_id", "doc_1"]
        ],
        1
      ],
      // As a whole, whatever led to one of its events.
      ["Only this session", [["session_id", "ses_ada"]], 3]
    ] as const) {
      await frame.locator('[data-row="0"]').click()
      await frame.locator(".drawer").getByRole("button", { name }).click()
      if (name !== "Only this actor") await hasQuery(...query)
      else await frame.locator(".drawer").getByRole("button", { name: "Close" }).click()
      await hasTotal(total)
    }
  })
})
