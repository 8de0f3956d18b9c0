/** Events that were written to break out of the page: they are shown as text, and break nothing. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Event, MAX_METADATA_BYTES } from "@cairn/core/event"
import { HOSTILE_MARKUP, hostileEvents, hostileGenerator, naughtyNames } from "@cairn/testing"
import { because, noChromium } from "@cairn/testing/Chromium"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { isTrial } from "@cairn/testing/TrialCases"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { dataOf } from "./support/FakeService.ts"
import { testTenant } from "./support/TestTenant.ts"
import { NOW, type OpenViewer, ViewerStage } from "./support/ViewerStage.ts"

const foreign = process.env.CAIRN_FOREIGN
const withoutForeign =
  foreign === undefined ? " (skipped: CAIRN_FOREIGN names no folder of foreign vectors)" : ""

/** A body that carries a text in every place that takes one. */
const everywhere = (text: string) => ({
  actor_id: text,
  actor_name: text,
  actor_type: text,
  action: text,
  action_category: text,
  resource: text,
  resource_id: text,
  resource_name: text,
  session_id: text,
  tenant_id: text,
  idempotency_key: text,
  targets: [{ type: text, id: text, name: text, metadata: { [text]: text } }],
  metadata: { [text]: text, changes: [{ field: text, before: text, after: `${text}.` }] }
})

const bodies: ReadonlyArray<unknown> = [
  ...hostileEvents.filter(({ refusedAt }) => refusedAt === undefined).map(({ json }) => JSON.parse(json)),
  ...Array.from({ length: 20 }, hostileGenerator(3)),
  ...naughtyNames
    .filter((name) => name.includes("\0") || name.length > 256)
    .map((name) => ({ actor_id: "a", action: "b", metadata: { name } })),
  { actor_id: "a", action: "b", metadata: { k: "A".repeat(MAX_METADATA_BYTES - 8) } },
  { actor_id: "a", action: "b", metadata: { list: Array.from({ length: 8_000 }, (_, index) => index) } },
  {
    actor_id: "a",
    action: "b",
    metadata: { __proto__: null, constructor: { toString: "x" }, ref: {}, key: 1 }
  },
  { actor_id: "a\u202Egpj.exe", action: "b\u2066\u2067c", resource_name: "Z\u0300\u0301\u0302".repeat(200) },
  {
    actor_id: "nobody",
    actor_name: "",
    action: "b",
    resource: "",
    resource_id: "",
    resource_name: "",
    session_id: ""
  },
  ...HOSTILE_MARKUP.map(everywhere)
]

/** What is read once it is open: all that is markup, and of the others every fourth in the short form. */
const isRead = (event: Event, index: number) =>
  isEndurance() || HOSTILE_MARKUP.includes(event.action) || index % 4 === 0

const tenant = testTenant(bodies, { until: NOW * 1_000 })
/** As the viewer lists them: by when they happened. */
const events = tenant.stored
  .toReversed()
  .map(tenant.eventOf)
  .toSorted((one, other) => Date.parse(other.occurred_at) - Date.parse(one.occurred_at))

describe.skipIf(noChromium)(`hostile events in the viewer${because}`, () => {
  let stage: ViewerStage
  let viewer: OpenViewer

  beforeAll(async () => {
    stage = await ViewerStage.start(dataOf(tenant), tenant.workspaceId)
    viewer = await stage.open({ query: "locale=en" })
    viewer.page.on("dialog", (dialog) => assert.fail(`a dialog came up: ${dialog.message()}`))
    await viewer.frame.waitForSelector('[data-row="0"]')
  })
  afterAll(() => stage?.stop())

  /** What must never come to be. */
  const isUnharmed = async () => {
    const harm = await viewer.frame.evaluate<string>(
      `String(globalThis.pwned ?? "") + [...document.querySelectorAll("main script, main img, main iframe, main a, main style, main h1#out")].map((element) => element.outerHTML)`
    )
    assert.strictEqual(harm, "")
    assert.deepStrictEqual(viewer.errors, [])
  }

  it("are listed, each in a row like any other, and verified", async () => {
    const seen = new Map<string, string>()
    await viewer.until(`document.querySelector(".mark") !== null`)
    for (let row = 0; row < events.length; row += 10) {
      await viewer.frame.evaluate(`scrollTo(0, document.querySelector(".rows").offsetTop + ${row} * 44)`)
      await viewer.until(
        `(() => { const row = document.querySelector('[data-row="${Math.min(events.length - 1, row + 9)}"]'); return row?.querySelector('.mark:not([data-mark="checking"])') })()`
      )
      const marks = await viewer.frame.evaluate<Array<[string, string, number]>>(
        `[...document.querySelectorAll("[data-row]")].map((row) => [row.dataset.row, row.querySelector(".mark").dataset.mark, row.offsetHeight])`
      )
      for (const [index, mark, height] of marks) {
        if (mark !== "checking") seen.set(index, mark)
        assert.strictEqual(height, 44)
      }
    }
    assert.deepStrictEqual(
      [...seen].filter(([, mark]) => mark !== "proven"),
      []
    )
    assert.strictEqual(seen.size, events.length)
    assert.isAtMost(
      await viewer.frame.evaluate<number>("document.documentElement.scrollWidth - innerWidth"),
      0
    )
    await isUnharmed()
  })

  it("are shown in full, as text, when they are opened", async () => {
    await viewer.frame.evaluate("scrollTo(0, 0)")
    await viewer.frame.waitForSelector('[data-row="0"]')
    await viewer.frame.locator('[data-row="0"]').click()
    for (const [index, event] of events.entries()) {
      await viewer.until(`location.search.includes("${event.id}")`)
      if (!isRead(event, index)) {
        await viewer.page.keyboard.press("ArrowRight")
        continue
      }
      await viewer.until(`document.querySelector(".statement")`)
      const drawer = viewer.frame.locator(".drawer")
      assert.strictEqual(await drawer.locator(".statement").getAttribute("data-mark"), "proven")
      const empty = await drawer.locator("button.link").filter({ hasNotText: /./ }).count()
      assert.strictEqual(empty, 0, "a link without a text")
      if (HOSTILE_MARKUP.includes(event.action)) {
        const text = (await drawer.textContent()) ?? ""
        assert.isAtLeast(text.split(event.action).length, 15, event.action)
      }
      await viewer.page.keyboard.press("ArrowRight")
    }
    await isUnharmed()
    await viewer.page.keyboard.press("Escape")
  })

  it("cannot turn the text around them, nor hide in it", async () => {
    const index = events.findIndex(({ actor }) => actor.id.startsWith("a\u202E"))
    await viewer.frame.evaluate(`scrollTo(0, document.querySelector(".rows").offsetTop + ${index - 3} * 44)`)
    const row = viewer.frame.locator(`[data-row="${index}"]`)
    assert.include(await row.textContent(), "aU+202Egpj.exe")
    assert.include(await row.textContent(), "bU+2066U+2067c")
    assert.isFalse(
      await viewer.frame.evaluate<boolean>(
        `/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.textContent)`
      )
    )
  })

  it("of 64 KiB are cut until they are asked for", async () => {
    const text = "A".repeat(MAX_METADATA_BYTES - 8)
    const large = events.find(({ metadata }) => metadata?.k === text)
    const opened = await stage.open({ query: `event=${large?.id}` })
    await opened.frame.waitForSelector(".statement")
    const drawer = opened.frame.locator(".drawer")
    assert.notInclude(await drawer.textContent(), text)
    await drawer.getByRole("button", { name: /Show all, [\d,]+ characters/ }).click()
    assert.include(await drawer.textContent(), text)
    await opened.close()
  })

  it("in the address are filters and no more", async () => {
    const query = new URLSearchParams({
      search: HOSTILE_MARKUP[0] ?? "",
      action: HOSTILE_MARKUP[1] ?? "",
      from: "<b>",
      event: "../x"
    })
    const opened = await stage.open({ query: query.toString() })
    await opened.frame.getByText("No event matches").waitFor()
    assert.include(await opened.frame.locator(".chips").textContent(), HOSTILE_MARKUP[0] ?? "none")
    assert.strictEqual(stage.service.requests.at(-1)?.url.pathname.startsWith("/api/v1/"), true)
    assert.deepStrictEqual(
      opened.errors.filter((error) => !error.includes("404")),
      []
    )
    await opened.close()
  })
})

describe.skipIf(noChromium || foreign === undefined || !isTrial())(
  `the big list of naughty strings${because}${withoutForeign}`,
  () => {
    let stage: ViewerStage

    const strings = () => {
      const text = readFileSync(join(foreign ?? "", "vectors/naughty-strings/blns.json"), "utf8")
      return Schema.decodeSync(Schema.fromJsonString(Schema.Array(Schema.String)))(text)
    }

    beforeAll(async () => {
      const bodies = strings().map((text) => ({
        actor_id: "a",
        actor_name: text.slice(0, 900),
        action: "b",
        metadata: { text }
      }))
      stage = await ViewerStage.start(dataOf(testTenant(bodies, { until: NOW * 1_000 })))
    })
    afterAll(() => stage?.stop())

    it("is shown string by string, and runs nowhere", async () => {
      const viewer = await stage.open()
      const total = strings().length
      for (let row = 49; row < total; row += 50) {
        await viewer.until(
          `(scrollTo(0, document.querySelector(".rows").offsetTop + ${row} * 44), document.querySelector('[data-row="${row}"] time'))`
        )
        assert.isAtMost(
          await viewer.frame.evaluate<number>("document.documentElement.scrollWidth - innerWidth"),
          0
        )
      }
      assert.strictEqual(
        await viewer.frame.evaluate<number>(
          `document.querySelectorAll("main script, main img, main iframe, main a, main style, main input[autofocus]").length`
        ),
        0
      )
      assert.deepStrictEqual(viewer.errors, [])
      await viewer.close()
    })
  }
)
