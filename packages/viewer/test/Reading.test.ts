/** What a reader expects of a log: its times, what is new, its keys, its links, how much of it verified. */
import { Micros } from "@cairn/core/encoding"
import { ordinaryEvents } from "@cairn/testing"
import { because, noChromium } from "@cairn/testing/Chromium"
import { isTrial } from "@cairn/testing/TrialCases"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { dataOf } from "./support/FakeService.ts"
import { testTenant } from "./support/TestTenant.ts"
import { NOW, type OpenOptions, type OpenViewer, ViewerStage } from "./support/ViewerStage.ts"

/** History of 2023 that was imported last of all. */
const IMPORTED = {
  actor_id: "user_grace",
  actor_name: "Grace Hopper",
  action: "archive.imported",
  occurred_at: "2023-05-01T08:00:00Z"
}

const tenant = testTenant([...ordinaryEvents(119, { seed: 8 }), IMPORTED], {
  until: NOW * 1_000 - 90 * Micros.SECOND
})

describe.skipIf(noChromium)(`a log that is read${because}`, () => {
  let stage: ViewerStage
  let viewer: OpenViewer

  beforeAll(async () => {
    stage = await ViewerStage.start(dataOf(tenant), tenant.workspaceId)
  })
  afterAll(() => stage?.stop())
  afterEach(async () => {
    await viewer.close()
    stage.service.instead = () => undefined
    stage.service.delayOf = () => 0
    stage.service.data = dataOf(tenant)
    stage.service.requests.length = 0
  })

  const open = async (options?: OpenOptions) => {
    viewer = await stage.open(options)
    await viewer.frame.waitForSelector('[data-row="0"] .mark:not([data-mark="checking"])')
    return viewer
  }
  const rowOf = (name: string) => viewer.frame.locator(".rows [data-row]").filter({ hasText: name })
  const toEnd = () =>
    viewer.until(
      `(scrollTo(0, document.documentElement.scrollHeight), document.querySelector('[data-row="119"] time'))`
    )
  const focused = (row: number) => viewer.until(`document.activeElement?.dataset.row === "${row}"`)

  describe("by when it happened", () => {
    it("has what was imported where it happened, with a mark that names both times", async () => {
      await open()
      assert.strictEqual(await rowOf("Grace Hopper").count(), 0)
      await toEnd()
      const row = viewer.frame.locator('[data-row="119"]')
      assert.include(await row.textContent(), "Grace Hopper")
      assert.include(await row.textContent(), "1 May 2023, ")
      const title = (await row.locator(".apart").getAttribute("title")) ?? ""
      assert.match(title, /Occurred: .*1 May 2023.*\nRecorded: .*4 March 2026/)
      assert.match((await row.locator(".apart").textContent()) ?? "", /Recorded: Wednesday.* 4 March 2026/)
      assert.strictEqual(await viewer.frame.locator(".rows .apart").count(), 1, "no other has one")
      await row.click()
      assert.match((await viewer.frame.locator(".drawer .apart").textContent()) ?? "", /Recorded: .*2026/)
    })

    it("is asked for so, list, count and histogram", async () => {
      await open()
      await viewer.frame.getByText("120 events").waitFor()
      for (const path of ["events", "events/count", "events/histogram"]) {
        const asked = stage.service.requests.filter(({ url }) => url.pathname === `/api/v1/${path}`)
        assert.isAbove(asked.length, 0, path)
        for (const { url } of asked) assert.strictEqual(url.searchParams.get("time"), "occurred", path)
      }
    })

    it("is switched to when it was recorded, in the address too", async () => {
      await open()
      await viewer.frame.getByRole("columnheader", { name: "Occurred" }).waitFor()
      await viewer.frame.getByRole("button", { name: "Go by recording" }).click()
      await viewer.frame.locator('[data-row="0"]').filter({ hasText: "Grace Hopper" }).waitFor()
      await viewer.frame.getByRole("columnheader", { name: "Recorded" }).waitFor()
      await viewer.until('location.search.includes("clock=recorded")')
      const first = viewer.frame.locator('[data-row="0"]')
      assert.include(await first.textContent(), "1 minute ago")
      assert.match((await first.locator(".apart").textContent()) ?? "", /Occurred: .*1 May 2023/)
      await viewer.frame.getByRole("button", { name: "Go by occurrence" }).click()
      await viewer.until('!location.search.includes("clock=")')
    })

    it("tells times in the reader's zone, which it names, or in UTC", async () => {
      await open({ query: "time=absolute", context: { timezoneId: "Asia/Tokyo" } })
      const zone = viewer.frame.getByRole("button", { name: /^Asia\/Tokyo, / })
      const time = viewer.frame.locator('[data-row="0"] time')
      assert.match((await time.textContent()) ?? "", /4 Mar 2026, 20:\d\d:\d\d (GMT\+9|JST)/)
      await zone.click()
      await viewer.until('location.search.includes("zone=utc")')
      assert.match((await time.textContent()) ?? "", /4 Mar 2026, 11:\d\d:\d\d UTC/)
      await viewer.frame.getByRole("button", { name: /^UTC/ }).click()
      await viewer.until('!location.search.includes("zone=")')
    })
  })

  describe("while more of it is recorded", () => {
    const news = () => viewer.frame.locator("button.news")
    const streams = () => stage.service.live.size
    const until = async (holds: () => boolean) => {
      while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20))
    }

    it("says how much is new, moves nothing, and shows it when asked", async () => {
      await open()
      await until(() => streams() === 1)
      await viewer.frame.evaluate("scrollTo(0, 900)")
      // Nothing else changes any more.
      await viewer.until(
        `document.querySelector('[data-row="30"] time') !== null &&
          document.querySelector('.rows .cell-wait, .rows .mark[data-mark="checking"]') === null`
      )
      const before = await viewer.frame.evaluate<number>("scrollY")
      const first = await viewer.frame.locator(".rows").textContent()
      stage.service.tellNews(1)
      await viewer.frame.getByRole("button", { name: "1 new event", exact: true }).waitFor()
      await viewer.until(
        `Array.from(document.querySelectorAll('[role="status"]')).some((status) => status.textContent === "1 new event")`
      )
      stage.service.tellNews(3)
      await viewer.frame.getByRole("button", { name: "3 new events" }).waitFor()
      assert.strictEqual(await viewer.frame.evaluate<number>("scrollY"), before)
      assert.strictEqual(await viewer.frame.locator(".rows").textContent(), first)
      await viewer.frame.evaluate("scrollTo(0, 0)")
      const asked = stage.service.asked("/api/v1/events").length
      await news().click()
      await viewer.frame.getByRole("button", { name: "Refresh" }).waitFor()
      await viewer.frame.waitForSelector('[data-row="0"] time')
      assert.isAbove(stage.service.asked("/api/v1/events").length, asked)
      await until(() => streams() === 1)
    })

    it("follows the filter", async () => {
      await open({ query: "action=user.*" })
      await until(() => streams() === 1)
      const [live] = stage.service.asked("/api/v1/events/live")
      assert.strictEqual(live?.url.searchParams.get("action"), "user.*")
      assert.strictEqual(live?.url.searchParams.get("time"), "occurred", "as the list does")
      assert.match(live?.authorization ?? "", /^Bearer /)
    })

    it("listens to nothing while nobody looks", async () => {
      await open()
      await until(() => streams() === 1)
      const become = (state: string) =>
        viewer.frame.evaluate(`(() => {
          Object.defineProperty(document, "visibilityState", { configurable: true, value: "${state}" })
          document.dispatchEvent(new Event("visibilitychange"))
        })()`)
      await become("hidden")
      await until(() => streams() === 0)
      await become("visible")
      await until(() => streams() === 1)
    })

    it("is read all the same where the service tells nothing", async () => {
      stage.service.instead = ({ url }) =>
        url.pathname.endsWith("/live") ? { status: 404, body: {} } : undefined
      await open()
      await viewer.frame.getByText("120 events").waitFor()
      assert.strictEqual(await news().count(), 0)
      assert.lengthOf(stage.service.asked("/api/v1/events/live"), 1)
    })
  })

  describe("with the keyboard", () => {
    const stops = async (limit: number) => {
      const seen: Array<string> = []
      for (let stop = 0; stop < limit; stop++) {
        await viewer.page.keyboard.press("Tab")
        const at = await viewer.frame.evaluate<string>(`(() => {
          const { activeElement: at } = document
          return at.dataset.row !== undefined ? "row" : at.closest(".filters") ? "filter" : at.className
        })()`)
        if (at === "row") return seen
        seen.push(at)
      }
      throw new Error(`no row after ${seen.join(", ")}`)
    }

    it("has three stops beside the filter before the first row", async () => {
      await open({ framed: false })
      await viewer.frame.waitForSelector(".bar", { state: "attached" })
      const seen = (await stops(40)).filter((at) => at !== "filter")
      assert.deepStrictEqual(seen, ["skip-list", "plot", "bare"])
    })

    it("skips to the list", async () => {
      await open({ framed: false })
      await viewer.page.keyboard.press("Tab")
      assert.isTrue(await viewer.frame.getByRole("button", { name: "Skip to the list" }).isVisible())
      await viewer.page.keyboard.press("Enter")
      await focused(0)
    })

    it("searches with /, goes with j and k, opens with Enter, closes with Escape", async () => {
      await open({ framed: false })
      const { keyboard } = viewer.page
      await keyboard.press("j")
      await focused(0)
      await keyboard.press("j")
      await focused(1)
      await keyboard.press("j")
      await keyboard.press("k")
      await focused(1)
      await keyboard.press("Enter")
      await viewer.frame.waitForSelector(".drawer[open] .statement")
      await keyboard.press("Escape")
      await viewer.frame.waitForSelector(".drawer:not([open])", { state: "attached" })
      await focused(1)
      await keyboard.press("/")
      await viewer.until(`document.activeElement?.matches('[role="search"] input')`)
      await keyboard.type("j/k?")
      assert.strictEqual(await viewer.frame.locator('[role="search"] input').first().inputValue(), "j/k?")
    })

    it("takes keys that come faster than rows are drawn", async () => {
      await open({ framed: false })
      const press = (...keys: ReadonlyArray<string>) =>
        viewer.frame.evaluate(`${JSON.stringify(keys)}.forEach((key) =>
          document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })))`)
      await viewer.page.keyboard.press("j")
      await focused(0)
      await press("j", "j", "k", "j")
      await focused(2)
      await press("ArrowDown", "ArrowDown", "ArrowUp", "ArrowDown")
      await focused(4)
    })

    it("takes a key that comes while a row gets the focus", async () => {
      await open({ framed: false })
      await viewer.page.keyboard.press("j")
      await focused(0)
      await viewer.frame.evaluate(`{
        let left = 3
        addEventListener("focusin", ({ target }) => {
          if (left-- > 0) target.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }))
        })
      }`)
      await viewer.page.keyboard.press("j")
      await focused(4)
      await viewer.page.keyboard.press("k")
      await focused(3)
    })

    it("shows its keys with ?, and lets them be turned off", async () => {
      await open({ framed: false })
      await viewer.page.keyboard.press("?")
      const keys = viewer.frame.getByRole("dialog", { name: "Keyboard" })
      await keys.waitFor()
      await viewer.page.keyboard.press("j")
      await keys.getByRole("checkbox").uncheck()
      await viewer.until('location.search.includes("keys=off")')
      await viewer.page.keyboard.press("Escape")
      await keys.waitFor({ state: "hidden" })
      await viewer.page.keyboard.press("j")
      await viewer.page.keyboard.press("/")
      assert.isFalse(
        await viewer.frame.evaluate<boolean>(
          `document.activeElement.matches("[data-row], [role=search] input")`
        )
      )
    })

    it("goes through the controls above the list by arrow keys", async () => {
      await open({ framed: false })
      await viewer.frame.getByRole("button", { name: "Refresh" }).focus()
      await viewer.page.keyboard.press("ArrowRight")
      await viewer.until(`document.activeElement.textContent.includes("Europe/Berlin")`)
      await viewer.page.keyboard.press("End")
      await viewer.until(`document.activeElement.textContent.includes("Keyboard")`)
      await viewer.page.keyboard.press("ArrowRight")
      await viewer.until(`document.activeElement.textContent.includes("Refresh")`)
    })

    it("has one stop above the list, also once a button has come that was drawn by itself", async () => {
      await open({ framed: false })
      const stops = () => viewer.frame.locator('.toolbar button:not(dialog button)[tabindex="0"]').count()
      assert.strictEqual(await stops(), 1)
      await viewer.frame.evaluate(`document.querySelector(".facts").append(document.createElement("button"))`)
      await viewer.until(`document.querySelector(".facts > button:last-child").tabIndex === -1`)
      assert.strictEqual(await stops(), 1)
      await viewer.frame.evaluate(`document.querySelector('.toolbar button[tabindex="0"]').remove()`)
      await viewer.until(`document.querySelectorAll('.toolbar button[tabindex="0"]').length === 1`)
    })

    it("chooses a period in the histogram, whose bars say what they are", async () => {
      await open({ framed: false, query: "clock=recorded" })
      await viewer.frame.getByText("120 events").waitFor()
      const plot = viewer.frame.getByRole("listbox", { name: /^120 events from/ })
      const bars = await plot
        .getByRole("option")
        .evaluateAll((all) => all.map((bar) => bar.getAttribute("aria-label") ?? ""))
      assert.isAbove(bars.length, 10)
      for (const bar of bars) assert.match(bar, /202\d.*: \d+ events?$/)
      await plot.focus()
      await viewer.page.keyboard.press("ArrowLeft")
      const chosen = () => plot.locator('[aria-selected="true"]').count()
      assert.strictEqual(await chosen(), 1)
      await viewer.page.keyboard.press("Shift+ArrowLeft")
      await viewer.page.keyboard.press("Shift+ArrowLeft")
      assert.strictEqual(await chosen(), 3)
      const told = (await viewer.frame.locator(".histogram .hint").textContent()) ?? ""
      const [, count] = /: (\d+) events?$/.exec(told) ?? []
      await viewer.page.keyboard.press("Enter")
      await viewer.until('location.search.includes("from=") && location.search.includes("to=")')
      await viewer.frame.getByText(`${count} events`, { exact: true }).waitFor()
      // The moment that ends a bar begins the next one.
      const end = await viewer.frame.evaluate<string>('new URLSearchParams(location.search).get("to")')
      assert.match(end, /59\.999999Z$/)
    })
  })

  describe("and verified", () => {
    const forged = tenant.stored.at(-60)?.id
    const sentence = () => viewer.frame.locator(".verified")

    it("says how many of the shown events verified", async () => {
      await open()
      await viewer.frame.getByText("50 of 50 shown events verified").waitFor()
      assert.strictEqual(await sentence().getAttribute("data-mark"), "proven")
      assert.strictEqual(await viewer.frame.getByRole("button", { name: "Show one that" }).count(), 0)
      await toEnd()
      await viewer.frame.getByText("120 of 120 shown events verified").waitFor()
    })

    if (isTrial()) {
      it("leads to one that did not, and says nothing before the numbers have settled", async () => {
        stage.service.data = dataOf(tenant, (event) =>
          event.id === forged ? { ...event, action: "user.promoted" } : event
        )
        await open({ framed: false })
        await viewer.frame.evaluate(`(() => {
        const sentence = document.querySelector(".verified")
        globalThis.said = [[performance.now(), sentence.textContent.trim()]]
        new MutationObserver(() => said.push([performance.now(), sentence.textContent.trim()])).observe(sentence, {
          subtree: true, childList: true, characterData: true
        })
      })()`)
        await viewer.until(
          `(scrollTo(0, document.documentElement.scrollHeight), document.querySelector('[data-row="119"] time'))`
        )
        await viewer.frame.getByText("119 of 120 shown events verified").waitFor()
        const said = await viewer.frame.evaluate<ReadonlyArray<readonly [number, string]>>("said")
        assert.isAbove(said.length, 1)
        for (const [index, [at, text]] of said.entries()) {
          const [before, same] = said[index - 1] ?? [Number.NEGATIVE_INFINITY, ""]
          assert.notStrictEqual(text, same)
          // Each number is whole, and a second without a change lies before it.
          assert.match(text, /^(Being verified|50 of 50|99 of 100|119 of 120)/, said.join())
          assert.isAbove(at - before, 950, said.join())
        }
        await viewer.frame.getByRole("button", { name: "Show one that is not verified" }).click()
        await viewer.until(`document.activeElement?.querySelector('.mark[data-mark="broken"]')`)
        // Brought into sight once the focus is there.
        await viewer.until(`(() => {
        const { top, bottom } = document.activeElement.getBoundingClientRect()
        return top >= 0 && bottom <= innerHeight + 1
      })()`)
      })
    }
  })

  describe("and shared", () => {
    const copied = async (name: string) => {
      await viewer.frame.evaluate(
        `Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: async (text) => { globalThis.copied = text } } })`
      )
      await viewer.frame.getByRole("button", { name }).last().click()
      await viewer.until("globalThis.copied !== undefined")
      return new URL(await viewer.frame.evaluate<string>("copied"))
    }

    it("has a link to what is filtered, without the token", async () => {
      await open({ framed: false, query: "action=user.*&theme=dark" })
      const address = await copied("Copy link")
      assert.strictEqual(address.pathname, "/viewer")
      assert.strictEqual(address.searchParams.get("action"), "user.*")
      assert.isFalse(address.searchParams.has("token"))
      assert.isFalse(address.searchParams.has("event"))
      await viewer.frame.getByText("Copied").first().waitFor()
    })

    it("has a link to an event", async () => {
      await open()
      await viewer.frame.locator('[data-row="2"]').click()
      const address = await copied("Copy link")
      assert.strictEqual(
        address.searchParams.get("event"),
        await viewer.frame.evaluate("new URLSearchParams(location.search).get('event')")
      )
    })

    it("has a link to the product's page, where that named one", async () => {
      const link = "https://app.example.com/audit?tab=log"
      await open({ query: new URLSearchParams({ link, zone: "utc", action: "user.*" }).toString() })
      const address = await copied("Copy link")
      assert.strictEqual(address.origin + address.pathname, "https://app.example.com/audit")
      assert.deepStrictEqual(
        [...address.searchParams],
        [
          ["tab", "log"],
          ["cairn", "action=user.*&zone=utc"]
        ]
      )
    })
  })
})
