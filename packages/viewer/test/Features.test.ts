/** What a reader can do with the viewer, in a real browser, in a frame on another origin, over plain http. */
import { Micros } from "@cairn/core/encoding"
import { ordinaryEvents } from "@cairn/testing"
import { because, noChromium, SERVICE_HOST } from "@cairn/testing/Chromium"
import { firstOf, isTrial } from "@cairn/testing/TrialCases"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { dataOf } from "./support/FakeService.ts"
import { SERVICE_SEED, testTenant, verifierKeyOf } from "./support/TestTenant.ts"
import { NOW, type OpenOptions, type OpenViewer, ViewerStage } from "./support/ViewerStage.ts"

/** Now, less a minute and a half, to the microsecond. */
const UNTIL = NOW * 1_000 - 90 * Micros.SECOND

const CHANGED = {
  actor_id: "user_ada",
  actor_name: "Ada Lovelace",
  action: "settings.updated",
  resource: "settings",
  resource_id: "set_1",
  resource_name: "Engine settings",
  session_id: "ses_ada",
  metadata: {
    before: { colour: "red", limits: { rows: 10 }, kept: 1 },
    after: { colour: "blue", limits: { rows: 20 }, kept: 1, added: true },
    reason: "spring"
  }
}

const tenant = testTenant([...ordinaryEvents(219, { seed: 21 }), CHANGED], { until: UNTIL })
const [newest] = tenant.stored.toReversed().map(tenant.eventOf)
if (newest === undefined) throw new Error("the log is empty")

describe.skipIf(noChromium)(`the viewer${because}`, () => {
  let stage: ViewerStage
  let opened: Array<OpenViewer> = []

  beforeAll(async () => {
    stage = await ViewerStage.start(dataOf(tenant), tenant.workspaceId)
  })
  afterAll(() => stage?.stop())
  afterEach(async () => {
    await Promise.all(opened.map(({ close }) => close()))
    opened = []
    stage.service.instead = () => undefined
    stage.service.data = dataOf(tenant)
    stage.service.requests.length = 0
  })

  const open = async (options?: OpenOptions) => {
    const viewer = await stage.open(options)
    opened.push(viewer)
    return viewer
  }
  const close = async (viewer: OpenViewer) => {
    opened = opened.filter((other) => other !== viewer)
    await viewer.close()
  }
  /** Opens it and waits for the newest event's mark, and for the total. */
  const openRead = async (options?: OpenOptions) => {
    const viewer = await open(options)
    await viewer.frame.waitForSelector('[data-row="0"] .mark:not([data-mark="checking"])')
    await viewer.until(`/\\d/.test(document.querySelector(".total").textContent)`)
    return viewer
  }
  /** Addresses below a path that this viewer asked, without those of viewers before it. */
  const asked = ({ addresses }: OpenViewer, path: string) =>
    addresses.map((address) => new URL(address)).filter(({ pathname }) => pathname.startsWith(path))
  const total = ({ frame }: OpenViewer) => frame.locator(".total").textContent()
  /** Waits for the address's query, but for the workspace, which stands there in the token's place. */
  const hasQuery = (viewer: OpenViewer, expected: string) =>
    viewer.until(`(() => {
      const parameters = new URLSearchParams(location.search)
      if (parameters.get("workspace") !== "${tenant.workspaceId}") return false
      parameters.delete("workspace")
      return parameters.toString() === "${expected}"
    })()`)

  it("runs where there is no WebCrypto, says nothing to the console and asks no one but its own service", async () => {
    const viewer = await openRead()
    assert.isTrue(await viewer.frame.evaluate<boolean>("globalThis.crypto.subtle === undefined"))
    assert.deepStrictEqual(viewer.errors, [])
    const own = `http://${SERVICE_HOST}:${stage.service.port}/`
    assert.deepStrictEqual(
      viewer.addresses.filter((address) => !address.startsWith(own)).length,
      1,
      "the product's own page"
    )
  })

  it("takes the token out of the address at once, and keeps it over a reload", async () => {
    const viewer = await openRead({ framed: false })
    assert.notInclude(viewer.page.url(), "token")
    assert.match(stage.service.requests[0]?.authorization ?? "", /^Bearer ey/)
    await viewer.page.reload()
    await viewer.page.waitForSelector('[data-row="0"]')
    assert.notInclude(viewer.page.url(), "token")
    assert.strictEqual(new URL(viewer.page.url()).searchParams.get("workspace"), tenant.workspaceId)
  })

  it("lists events newest first and says how many there are", async () => {
    const viewer = await openRead()
    assert.strictEqual(await total(viewer), "220 events")
    const row = viewer.frame.locator('[data-row="0"]')
    assert.include(await row.textContent(), "Ada Lovelace updated Engine settings")
    assert.include(await row.textContent(), "settings.updated")
    assert.include(await row.textContent(), "1 minute ago")
  })

  it("says how long ago an event was as soon as it shows it, also where the browser's clock is wrong", async () => {
    const viewer = await openRead()
    const clock = viewer.page.context().clock
    try {
      await clock.setFixedTime(NOW + 5 * 3_600_000)
      await viewer.page.reload()
      const row = viewer.page.frameLocator("iframe").locator('[data-row="0"]')
      await row.waitFor()
      assert.include(await row.textContent(), "1 minute ago")
    } finally {
      await clock.setFixedTime(NOW)
    }
  })

  it("reads on as the reader scrolls, and keeps no more rows in the document than are in sight", async () => {
    const viewer = await openRead()
    await viewer.until(
      `(scrollTo(0, document.documentElement.scrollHeight), document.querySelector('[data-row="219"] time'))`
    )
    assert.isBelow(await viewer.frame.locator("[data-row]").count(), 60)
    await viewer.until(`document.querySelector('[data-row="219"] .mark:not([data-mark="checking"])')`)
    assert.strictEqual(asked(viewer, "/api/v1/events/proofs").length, 5, "one request a page")
  })

  it("verifies each event in the browser and says what that proves", async () => {
    const viewer = await openRead()
    await viewer.frame.locator('[data-row="0"]').click()
    const statement = viewer.frame.locator(".statement")
    assert.strictEqual(await statement.getAttribute("data-mark"), "proven")
    assert.include(await statement.textContent(), "event 220 of 220")
    assert.include(await statement.textContent(), "no key was given")
  })

  if (isTrial()) {
    it("checks the signature of the log's state against the key that the product gives", async () => {
      const good = await openRead({
        query: new URLSearchParams({ key: verifierKeyOf(SERVICE_SEED) }).toString()
      })
      await good.frame.locator('[data-row="0"]').click()
      assert.include(await good.frame.locator(".statement").textContent(), "signed by cairn.test+")
      await close(good)
      const bad = await openRead({ query: new URLSearchParams({ key: verifierKeyOf(8) }).toString() })
      assert.strictEqual(await bad.frame.locator('[data-row="0"] .mark').getAttribute("data-mark"), "broken")
      await close(bad)
      const none = await openRead({ query: "key=nonsense" })
      assert.strictEqual(await none.frame.locator('[data-row="0"] .mark').getAttribute("data-mark"), "broken")
    })
  }

  it.each<readonly [string, object]>(
    firstOf<readonly [string, object]>(1, [
      ["action", { action: "settings.read" }],
      ["metadata", { metadata: { ...CHANGED.metadata, reason: "autumn" } }],
      ["actor", { actor: { id: "user_ada", name: "Charles", type: null } }],
      ["time", { created_at: "2020-01-01T00:00:00.000000Z" }],
      ["place", { ip_country: "US" }],
      ["hash", { integrity: { event_hash: "0".repeat(64), previous_event_hash: null } }]
    ])
  )("shows a broken mark on an event whose %s was changed, and on no other", async (_, change) => {
    stage.service.data = dataOf(tenant, (event) => (event.id === newest.id ? { ...event, ...change } : event))
    const viewer = await openRead()
    await viewer.until(`document.querySelector('.mark[data-mark="checking"]') === null`)
    await viewer.frame.waitForSelector('[data-row="1"] .mark[data-mark="proven"]')
    assert.strictEqual(await viewer.frame.locator('[data-mark="broken"].mark').count(), 1)
    await viewer.frame.locator('[data-row="0"]').click()
    assert.include(await viewer.frame.locator(".statement").textContent(), "event_differs")
  })

  it("marks what was changed with its proof, and what is another workspace's", async () => {
    const forged = (text: string) => JSON.parse(text.replaceAll("settings.updated", "settings.read"))
    const data = dataOf(tenant)
    stage.service.data = {
      ...data,
      list: (parameters) => forged(JSON.stringify(data.list(parameters))),
      proofs: (ids) => forged(JSON.stringify(data.proofs(ids)))
    }
    const viewer = await openRead()
    assert.strictEqual(await viewer.frame.locator('[data-row="0"] .mark').getAttribute("data-mark"), "broken")
    await close(viewer)
    stage.service.data = data
    const payload = Buffer.from(JSON.stringify({ sub: "wsp_other" })).toString("base64url")
    const elsewhere = await openRead({ token: `e30.${payload}.c2ln` })
    assert.strictEqual(
      await elsewhere.frame.locator('[data-row="0"] .mark').getAttribute("data-mark"),
      "broken"
    )
  })

  it("marks what the service itself has recorded, and nothing that only reads like it", async () => {
    const [own, like] = [newest.id, tenant.stored.at(-2)?.id]
    const actionOf = (event: { readonly id: string; readonly action: string }) =>
      event.id === own
        ? "cairn.member.deleted"
        : event.id === like
          ? "\u0441airn.member.deleted"
          : event.action
    stage.service.data = dataOf(tenant, (event) => ({ ...event, action: actionOf(event) }))
    const viewer = await openRead()
    const text = "Recorded by Cairn itself: "
    assert.strictEqual(await viewer.frame.locator('[data-row="0"] .own').textContent(), text)
    assert.strictEqual(await viewer.frame.locator(".row .own").count(), 1)
    await viewer.frame.locator('[data-row="0"]').click()
    assert.strictEqual(
      await viewer.frame.locator(".drawer h2").textContent(),
      `${text}Ada Lovelace deleted Engine settings`
    )
  })

  it("says of an event without proof that it is not verified", async () => {
    stage.service.instead = ({ url }) =>
      url.pathname.endsWith("/proofs") ? { status: 500, body: {} } : undefined
    const viewer = await openRead()
    assert.strictEqual(
      await viewer.frame.locator('[data-row="0"] .mark').getAttribute("data-mark"),
      "unchecked"
    )
    assert.include(await viewer.frame.locator('[data-row="0"]').textContent(), "Not verified")
  })

  it("shows what was changed as before and after, and the rest of the metadata beside it", async () => {
    const viewer = await openRead()
    await viewer.frame.locator('[data-row="0"]').click()
    const rows = await viewer.frame.locator(".changes tbody tr").allTextContents()
    assert.deepStrictEqual(rows, [
      "colour ~ changedredblue",
      "limits › rows ~ changed1020",
      "added + addednot settrue"
    ])
    assert.include(await viewer.frame.locator(".drawer").textContent(), "reasonspring")
  })

  if (isTrial()) {
    it("copies the event as JSON", async () => {
      const viewer = await openRead()
      await viewer.frame.locator('[data-row="0"]').click()
      await viewer.frame.getByRole("button", { name: "Copy as JSON" }).click()
      await viewer.frame.getByText("Copied").waitFor()
      await viewer.frame.evaluate(
        `document.querySelector(".drawer-body").prepend(document.createElement("textarea"))`
      )
      await viewer.frame.locator(".drawer-body textarea").focus()
      await viewer.page.keyboard.press("ControlOrMeta+V")
      const pasted = await viewer.frame.locator(".drawer-body textarea").inputValue()
      assert.deepStrictEqual(JSON.parse(pasted), newest)
    })
  }

  it("begins with the filters that the address holds", async () => {
    const from = Micros.format(UNTIL - 3 * 3_600 * Micros.SECOND)
    const viewer = await openRead({ query: new URLSearchParams({ from }).toString() })
    assert.strictEqual(await total(viewer), "5 events")
    const [histogram] = asked(viewer, "/api/v1/events/histogram")
    assert.strictEqual(histogram?.searchParams.get("from"), from)
  })

  if (isTrial()) {
    it("filters by the period that is brushed in the histogram", async () => {
      const viewer = await openRead()
      const plot = viewer.frame.locator(".plot")
      await viewer.frame.waitForSelector(".bar", { state: "attached" })
      assert.match((await plot.getAttribute("aria-label")) ?? "", /^220 events from .* to .*; most of them/)
      const box = await plot.boundingBox()
      if (box === null) throw new Error("the histogram is not there")
      await viewer.page.mouse.move(box.x + box.width * 0.6, box.y + 30)
      await viewer.page.mouse.down()
      await viewer.page.mouse.move(box.x + box.width * 0.8, box.y + 40, { steps: 4 })
      await viewer.until(`document.querySelectorAll(".brush").length === 1`)
      await viewer.page.mouse.up()
      await viewer.until("location.search.includes('from=') && location.search.includes('to=')")
      await viewer.until(`!/^(220|Counting)/.test(document.querySelector(".total").textContent)`)
      const shown = Number.parseInt((await total(viewer)) ?? "", 10)
      assert.isAbove(shown, 25)
      assert.isBelow(shown, 70)
      // The list and the histogram are read by requests of their own.
      await viewer.until(`document.querySelector('.plot[aria-label^="${shown} events"]')`)
    })
  }

  if (isTrial()) {
    it("narrows the list to an actor or a resource from the open event", async () => {
      const viewer = await openRead()
      await viewer.frame.locator('[data-row="0"]').click()
      await viewer.frame.locator(".drawer").getByRole("button", { name: "Ada Lovelace" }).click()
      await viewer.frame.getByText("1 event", { exact: true }).waitFor()
      await hasQuery(viewer, "actor_id=user_ada")
      assert.isFalse(await viewer.frame.locator(".drawer").isVisible())
    })
  }

  if (isTrial()) {
    it("opens the event that the address names, even one far down or none", async () => {
      const [oldest] = tenant.stored.map(tenant.eventOf)
      const viewer = await open({ query: `event=${oldest?.id}` })
      await viewer.frame.waitForSelector('.statement[data-mark="proven"]')
      assert.include(await viewer.frame.locator(".drawer").textContent(), oldest?.id ?? "none")
      await close(viewer)
      const gone = await open({ query: "event=00000000-0000-4000-8000-000000000000" })
      await gone.frame.getByText("This event is not here").waitFor()
    })
  }

  if (isTrial()) {
    it("shows relative and exact times in the reader's zone", async () => {
      const viewer = await openRead({ context: { timezoneId: "Asia/Tokyo" } })
      await viewer.frame.getByRole("button", { name: "Show exact times" }).click()
      const exact = new Intl.DateTimeFormat("en-GB", {
        timeZone: "Asia/Tokyo",
        dateStyle: "medium",
        timeStyle: "long"
      }).format(Date.parse(newest.created_at))
      await viewer.frame.locator(`[data-row="0"] time:text-is("${exact}")`).waitFor()
      await hasQuery(viewer, "time=absolute")
      await viewer.frame.locator('[data-row="0"]').click()
      assert.include(await viewer.frame.locator(".drawer").textContent(), newest.created_at)
    })
  }

  it("shows where an event came from, with flag and country", async () => {
    const viewer = await openRead()
    const rows = await viewer.frame.locator(".rows .cell-place").allTextContents()
    assert.include(rows, "🇩🇪 Berlin, Germany")
    assert.include(rows, "🇧🇷 Brazil")
    assert.include(rows, "")
    await viewer.frame.getByRole("columnheader", { name: "Location" }).waitFor()
  })

  it("has no column for places where no event tells one", async () => {
    const viewer = await openRead({ query: "actor_id=user_ada" })
    assert.strictEqual(await viewer.frame.locator('[data-row="0"]').count(), 1)
    assert.strictEqual(await viewer.frame.locator(".cell-place").count(), 0)
  })

  it.each(
    firstOf(1, [
      ["de", "220 Ereignisse", "vor 1 Minute", "de"],
      ["ja", "220 件のイベント", "1 分前", "ja"],
      ["de-AT", "220 Ereignisse", "vor 1 Minute", "de-AT"],
      ["xx", "220 events", "1 minute ago", "en-GB"],
      ["__proto__", "220 events", "1 minute ago", "en-GB"]
    ] as const)
  )("speaks the language that ?locale=%s asks for", async (locale, count, time, lang) => {
    const viewer = await openRead({ query: `locale=${locale}` })
    assert.strictEqual(await total(viewer), count)
    assert.strictEqual(await viewer.frame.locator('[data-row="0"] time').textContent(), time)
    assert.strictEqual(await viewer.frame.getAttribute("html", "lang"), lang)
  })

  if (isTrial()) {
    it("speaks the reader's own language when none is asked for", async () => {
      const viewer = await openRead({ context: { locale: "ja-JP" } })
      assert.strictEqual(await total(viewer), "220 件のイベント")
    })
  }

  if (isTrial()) {
    it("is light or dark as asked, or as the system is", async () => {
      const background = async (options?: OpenOptions) => {
        const viewer = await open(options)
        const colour = await viewer.frame.evaluate<string>(
          "getComputedStyle(document.documentElement).backgroundColor"
        )
        await close(viewer)
        return colour
      }
      const [light, dark] = ["rgb(255, 255, 255)", "rgb(20, 23, 28)"]
      assert.strictEqual(await background({ query: "theme=dark" }), dark)
      assert.strictEqual(await background({ context: { colorScheme: "dark" } }), dark)
      assert.strictEqual(await background({ query: "theme=light", context: { colorScheme: "dark" } }), light)
      assert.strictEqual(await background(), light)
    })
  }

  if (isTrial()) {
    it("takes an accent colour, and makes it readable where it is not", async () => {
      const accent = async (query: string) => {
        const viewer = await openRead({ query })
        await viewer.frame.waitForSelector(".bar", { state: "attached" })
        const colour = await viewer.frame.evaluate<string>(
          "getComputedStyle(document.querySelector('.bar')).fill"
        )
        await close(viewer)
        return colour
      }
      assert.strictEqual(await accent("theme=light&accent=8800cc"), "rgb(136, 0, 204)")
      assert.notStrictEqual(await accent("theme=light&accent=ffff00"), "rgb(255, 255, 0)")
      assert.strictEqual(await accent("theme=dark&accent=%23ff0"), "rgb(255, 255, 0)")
      assert.strictEqual(await accent("theme=light&accent=red;}"), "rgb(11, 92, 173)")
    })
  }

  it("is used with the keyboard alone", async () => {
    const viewer = await openRead({ framed: false })
    const { page } = viewer
    const focused = (row: string) => viewer.until(`document.activeElement?.dataset.row === "${row}"`)
    await page.locator('[data-row="0"]').focus()
    await page.keyboard.press("ArrowDown")
    await focused("1")
    await page.keyboard.press("ArrowDown")
    await focused("2")
    await page.keyboard.press("End")
    await viewer.until("Number(document.activeElement?.dataset.row) > 40")
    await page.keyboard.press("Home")
    await focused("0")
    await page.keyboard.press("ArrowDown")
    await focused("1")
    await page.keyboard.press("Enter")
    await page.waitForSelector(".drawer[open] .statement")
    await page.keyboard.press("ArrowLeft")
    await viewer.until(`location.search.includes("${newest.id}")`)
    await page.keyboard.press("Escape")
    await page.waitForSelector(".drawer:not([open])", { state: "attached" })
    await hasQuery(viewer, "")
    // The focus is back where it was.
    await focused("1")
  })

  it("says that there is nothing yet, and that nothing matches", async () => {
    const viewer = await openRead()
    await viewer.frame.getByRole("combobox").fill("no such thing anywhere")
    await viewer.frame.getByRole("combobox").press("Enter")
    await viewer.frame.getByText("No event matches").waitFor()
    await close(viewer)
    stage.service.data = dataOf(testTenant([], { until: UNTIL }))
    const empty = await open()
    await empty.frame.getByText("Nothing has happened yet").waitFor()
    assert.deepStrictEqual(empty.errors, [])
  })

  it("says that it has expired, tells the product, and goes on with a new token", async () => {
    stage.service.instead = ({ authorization }) =>
      authorization === "Bearer fresh" ? undefined : { status: 401, body: {} }
    const viewer = await open()
    await viewer.frame.getByText("This view has expired").waitFor()
    await viewer.page.evaluate(`
      window.addEventListener("message", ({ data, source }) => {
        if (data.type === "cairn.viewer.expired") source.postMessage({ type: "cairn.viewer.token", token: "fresh" }, "*")
      })
      const frame = document.querySelector("iframe")
      frame.src = frame.src`)
    const again = viewer.page.frameLocator("iframe")
    await again.getByText("220 events").waitFor()
  })

  it("takes a new token from nobody but the page around it", async () => {
    const viewer = await openRead()
    const before = asked(viewer, "/api/v1/").length
    // Messages arrive in the order in which they are posted.
    await viewer.frame.evaluate(`new Promise((resolve) => {
      addEventListener("message", ({ data }) => data === "arrived" && resolve())
      postMessage({ type: "cairn.viewer.token", token: "evil" }, "*")
      postMessage("arrived", "*")
    })`)
    assert.lengthOf(asked(viewer, "/api/v1/"), before)
    await viewer.frame.getByRole("button", { name: "Refresh" }).click()
    await viewer.frame.getByText("220 events").waitFor()
    const tokens = new Set(stage.service.requests.map(({ authorization }) => authorization))
    assert.isFalse(tokens.has("Bearer evil"))
  })

  it.each(
    firstOf(1, [
      [403, "This view may not be shown"],
      [500, "The audit log could not be reached"],
      [429, "Too many requests. Trying again in"]
    ] as const)
  )("says what is the matter when the service answers %i", async (status, text) => {
    stage.service.instead = () => ({
      status,
      headers: { "retry-after": "1" },
      body: { error: "x", message: "x" }
    })
    const viewer = await open()
    await viewer.frame.getByText(text).waitFor()
    stage.service.instead = () => undefined
    if (status === 500) await viewer.frame.getByRole("button", { name: "Try again" }).click()
    if (status !== 403) await viewer.frame.waitForSelector('[data-row="0"]')
  })

  it("says that it was opened without a token", async () => {
    const viewer = await open({ token: null })
    await viewer.frame.getByText("This view was opened without access").waitFor()
    assert.deepStrictEqual(asked(viewer, "/api/v1/"), [])
  })

  it("refuses an answer that is none", async () => {
    stage.service.instead = ({ url }) =>
      url.pathname === "/api/v1/events" ? { status: 200, body: { data: [{ id: 1 }] } } : undefined
    const viewer = await open()
    await viewer.frame.getByText("The audit log could not be reached").waitFor()
  })

  it("shows what was recorded since when it is refreshed", async () => {
    const viewer = await openRead()
    const grown = testTenant([...ordinaryEvents(219, { seed: 21 }), CHANGED, CHANGED], { until: UNTIL })
    stage.service.data = dataOf(grown)
    await viewer.frame.getByRole("button", { name: "Refresh" }).click()
    await viewer.frame.getByText("221 events").waitFor()
  })
})

describe.skipIf(noChromium)(`the viewer of a service below a path${because}`, () => {
  let stage: ViewerStage

  beforeAll(async () => {
    stage = await ViewerStage.start(dataOf(tenant), tenant.workspaceId, "/audit/log")
  })
  afterAll(() => stage?.stop())

  it("finds its files and the interface beside it", async () => {
    const viewer = await stage.open()
    await viewer.frame.waitForSelector('[data-row="0"] .mark[data-mark="proven"]')
    const paths = viewer.addresses.slice(1).map((address) => new URL(address).pathname)
    assert.isTrue(paths.every((path) => path.startsWith("/audit/log/")))
    assert.deepStrictEqual(viewer.errors, [])
    await viewer.close()
  })
})
