/** How the viewer tells events, in a real browser: as sentences, and in full when one is opened. */
import { Micros } from "@cairn/core/encoding"
import { because, noChromium } from "@cairn/testing/Chromium"
import { firstOf } from "@cairn/testing/TrialCases"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { dataOf } from "./support/FakeService.ts"
import { testTenant } from "./support/TestTenant.ts"
import { NOW, type OpenOptions, type OpenViewer, ViewerStage } from "./support/ViewerStage.ts"

const SAM = { actor_id: "usr_1", actor_name: "Sam O'Neil" }
const LIST = { resource: "document", resource_id: "doc_1", resource_name: "Kundenliste" }
const LONG = `${"Verzeichnis der Verträge ".repeat(4)}ENDE`
const NOTE = "lang ".repeat(100)

/** Oldest first. */
const bodies = [
  { ...SAM, ...LIST, action: "document.viewed", action_category: "documents" },
  { actor_id: "key_77", actor_type: "api_key", action: "report.exported", ...LIST },
  { ...SAM, action: "user.login_failed", action_category: "authentication" },
  { ...SAM, ...LIST, action: "document.deleted", metadata: { outcome: "failure" } },
  { ...SAM, ...LIST, resource_name: LONG, action: "document.moved" },
  { ...SAM, ...LIST, action: "document.frobnicated" },
  {
    ...SAM,
    ...LIST,
    action: "document.updated",
    metadata: {
      before: { tags: ["a", "b"], owner: { name: "Ada", team: { id: 1 } }, gone: 1, note: NOTE },
      after: { tags: ["a", "c"], owner: { name: "Ben", team: { id: 1 } }, come: 2, note: "kurz" },
      user_agent: "curl/8.9",
      request_id: "req_123",
      reason: "spring"
    }
  },
  { ...SAM, ...LIST, action: "document.deleted" }
]
const ROWS = { failed: 4, long: 3, updated: 1, deleted: 0 }

const tenant = testTenant(bodies, { until: NOW * 1_000 - 90 * Micros.SECOND })

describe.skipIf(noChromium)(`the events in the viewer${because}`, () => {
  let stage: ViewerStage
  let viewer: OpenViewer | undefined

  beforeAll(async () => {
    stage = await ViewerStage.start(dataOf(tenant), tenant.workspaceId)
  })
  afterAll(() => stage?.stop())
  afterEach(async () => {
    await viewer?.close()
    viewer = undefined
    stage.service.instead = () => undefined
    stage.service.sentences = {}
    stage.service.data = dataOf(tenant)
    stage.service.requests.length = 0
  })

  const open = async (options?: OpenOptions) => {
    viewer = await stage.open(options)
    await viewer.frame.waitForSelector('[data-row="0"] .sentence')
    return viewer
  }
  const sentences = ({ frame }: OpenViewer) => frame.locator(".rows .sentence").allTextContents()

  it.each([
    [
      "en",
      [
        "Sam O'Neil deleted Kundenliste",
        "Sam O'Neil updated Kundenliste",
        "Sam O'Neil: document.frobnicated · Kundenliste",
        `Sam O'Neil moved ${LONG}`,
        "Failed: Sam O'Neil deleted Kundenliste",
        "Sam O'Neil could not sign in",
        "API key key_77 exported Kundenliste",
        "Sam O'Neil viewed Kundenliste"
      ]
    ],
    [
      "de",
      [
        "Sam O'Neil hat Kundenliste gelöscht",
        "Sam O'Neil hat Kundenliste aktualisiert",
        "Sam O'Neil: document.frobnicated · Kundenliste",
        `Sam O'Neil hat ${LONG} verschoben`,
        "Fehlgeschlagen: Sam O'Neil hat Kundenliste gelöscht",
        "Sam O'Neil konnte sich nicht anmelden",
        "API-Schlüssel key_77 hat Kundenliste exportiert",
        "Sam O'Neil hat Kundenliste angesehen"
      ]
    ],
    [
      "ja",
      [
        "Sam O'Neil が Kundenliste を削除しました",
        "Sam O'Neil が Kundenliste を更新しました",
        "Sam O'Neil: document.frobnicated · Kundenliste",
        `Sam O'Neil が ${LONG} を移動しました`,
        "失敗: Sam O'Neil が Kundenliste を削除しました",
        "Sam O'Neil はサインインできませんでした",
        "API キー key_77 が Kundenliste をエクスポートしました",
        "Sam O'Neil が Kundenliste を閲覧しました"
      ]
    ]
  ])("read as sentences: %s", async (locale, expected) => {
    const opened = await open({ query: `locale=${locale}` })
    assert.deepStrictEqual(await sentences(opened), expected)
    const actions = await opened.frame.locator(".rows .cell-action").allTextContents()
    assert.deepStrictEqual(actions, bodies.map(({ action }) => action).toReversed())
  })

  it("read as the workspace's own sentences, which are asked for once", async () => {
    stage.service.sentences = {
      "document.*": { en: "{actor} touched {resource}", de: "{actor} hat {resource} angefasst" },
      "document.deleted": { en: "{actor} shredded {resource} <b>{resource_type}</b>" }
    }
    const opened = await open({ query: "locale=en" })
    await opened.until(`document.querySelector(".sentence").textContent.includes("shredded")`)
    const [deleted, updated] = await sentences(opened)
    assert.strictEqual(deleted, "Sam O'Neil shredded Kundenliste <b>document</b>")
    assert.strictEqual(updated, "Sam O'Neil touched Kundenliste")
    await opened.frame.getByRole("button", { name: "Refresh" }).click()
    await opened.frame.locator('[data-row="0"]').click()
    assert.strictEqual(await opened.frame.locator(".drawer h2").textContent(), deleted)
    assert.lengthOf(stage.service.asked("/api/v1/viewer/settings"), 1)
  })

  it.each(
    firstOf(
      2,
      ["nonsense", 404, 429, 500].map((answer) => [answer] as const)
    )
  )("read as they would without settings where those answer %s", async (answer) => {
    stage.service.instead = ({ url }) =>
      url.pathname !== "/api/v1/viewer/settings"
        ? undefined
        : typeof answer === "number"
          ? { status: answer, body: {} }
          : { status: 200, body: { data: { sentences: { "document.*": "{actor}" } } } }
    const opened = await open({ query: "locale=en" })
    await opened.frame.waitForSelector('[data-row="0"] .mark[data-mark="proven"]')
    assert.strictEqual((await sentences(opened))[0], "Sam O'Neil deleted Kundenliste")
    // The browser tells of the answer's status by itself.
    assert.deepStrictEqual(
      opened.errors.filter((error) => !error.includes("the server responded with a status of")),
      []
    )
  })

  it.each([
    [390, 72],
    [1_280, 44]
  ])("have rows of one height whose sentence is seen with its resource, at %i px", async (width, height) => {
    const opened = await open({ query: "locale=en", context: { viewport: { width, height: 800 } } })
    const heights = await opened.frame.evaluate<ReadonlyArray<number>>(
      `[...document.querySelectorAll("[data-row]")].map((row) => row.offsetHeight)`
    )
    assert.deepStrictEqual([...new Set(heights)], [height])
    const unseen = await opened.frame.evaluate<ReadonlyArray<string>>(`
      [...document.querySelectorAll("[data-row]")].flatMap((row) => {
        const { bottom, right } = row.querySelector(".cell-event").getBoundingClientRect()
        return [...row.querySelectorAll(".sentence b")]
          .filter((name) => {
            const [first] = name.getClientRects()
            return first.bottom > bottom + 1 || first.left >= right || first.width === 0
          })
          .map((name) => row.textContent)
      })`)
    assert.deepStrictEqual(unseen, [])
    const overlaps = await opened.frame.evaluate<ReadonlyArray<string>>(`
      [...document.querySelectorAll("[data-row]")].flatMap((row) => {
        const cells = [...row.children].map((cell) => cell.getBoundingClientRect()).filter(({ width }) => width > 0)
        const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1
        return cells.some((a, index) => cells.slice(index + 1).some((b) => meet(a, b))) ? [row.textContent] : []
      })`)
    assert.deepStrictEqual(overlaps, [])
    assert.isAtMost(
      await opened.frame.evaluate<number>("document.documentElement.scrollWidth - innerWidth"),
      0
    )
    const action = opened.frame.locator(`[data-row="${ROWS.updated}"] .cell-action`)
    assert.strictEqual(await action.getAttribute("title"), "document.updated")
    assert.isTrue(await action.isVisible())
  })

  it("have columns for what one of them has, and for nothing else", async () => {
    const headers = ({ frame }: OpenViewer) => frame.locator('.head [role="columnheader"]').allTextContents()
    const all = ["Verification", "Occurred", "Event", "Action", "Category", "Location"]
    assert.deepStrictEqual(await headers(await open({ query: "locale=en" })), all)
    await viewer?.close()
    stage.service.data = dataOf(tenant, (event) => ({ ...event, action_category: null }))
    assert.deepStrictEqual(
      await headers(await open({ query: "locale=en" })),
      all.filter((name) => name !== "Category")
    )
    await viewer?.close()
    const nowhere = { ip_country: null, ip_city: null, action_category: null }
    stage.service.data = dataOf(tenant, (event) => ({ ...event, ...nowhere }))
    const bare = await open({ query: "locale=en" })
    assert.deepStrictEqual(await headers(bare), all.slice(0, 4))
    // What is there fills the width.
    const free = await bare.frame.evaluate<number>(`(() => {
      const row = document.querySelector('[data-row="0"]')
      return row.getBoundingClientRect().right - row.lastElementChild.getBoundingClientRect().right
    })()`)
    assert.isBelow(free, 20)
  })

  it("have a picture of what they are about, apart from its colour", async () => {
    const opened = await open({ query: "locale=en" })
    const kinds = await opened.frame.evaluate<ReadonlyArray<readonly [string, string]>>(
      `[...document.querySelectorAll(".rows .kind")].map((kind) => [kind.dataset.kind, kind.querySelector("path").getAttribute("d")])`
    )
    const of = (row: number) => kinds[row]?.[0]
    assert.deepStrictEqual(
      [of(ROWS.deleted), of(ROWS.failed), of(5), of(6), of(7)],
      ["document", "failure", "failure", "document", "document"]
    )
    assert.strictEqual(new Set(kinds.map(String)).size, new Set(kinds.map(([, path]) => path)).size)
  })

  it("fold ids, hashes, agents and the whole JSON when they are opened", async () => {
    const opened = await open({ query: "locale=en" })
    await opened.frame.locator(`[data-row="${ROWS.updated}"]`).click()
    const { frame } = opened
    await frame.waitForSelector(".statement")
    const [id, hash] = [tenant.stored.at(-2)?.id ?? "", tenant.stored.at(-2)?.eventHash ?? ""]
    const seen = () => frame.evaluate<string>(`document.querySelector(".drawer").innerText`)
    const folded = [id, hash, "curl/8.9", "req_123"]
    const before = await seen()
    for (const text of folded) assert.notInclude(before, text)
    assert.include(before, "spring")
    await frame.getByText("Technical details").click()
    const after = await seen()
    for (const text of folded) assert.include(after, text)
    assert.notInclude(after, `"id": "${id}"`)
    await frame.getByText("All of it, as JSON").click()
    await opened.until(`document.querySelector(".drawer pre")`)
    const json = JSON.parse((await frame.locator(".drawer pre").textContent()) ?? "")
    assert.strictEqual(json.id, id)
  })

  it("tell what changed field by field, with sign and word, lists as lists, and long values cut", async () => {
    const opened = await open({ query: "locale=en" })
    const { frame } = opened
    await frame.locator(`[data-row="${ROWS.updated}"]`).click()
    await frame.waitForSelector(".changes")
    const fields = await frame.locator(".changes tbody th").allTextContents()
    assert.deepStrictEqual(fields, [
      "gone − removed",
      "note ~ changed",
      "owner › name ~ changed",
      "tags ~ changed",
      "come + added"
    ])
    const items = await frame
      .locator(".changes tbody tr:nth-child(4)")
      .locator("td:nth-of-type(2) li")
      .allTextContents()
    assert.deepStrictEqual(items, ["a", "c"])
    const note = frame.locator(".changes tbody tr:nth-child(2) .before")
    assert.isBelow(((await note.textContent()) ?? "").length, 260)
    await note.getByRole("button", { name: "Show all, 500 characters" }).click()
    assert.strictEqual(await note.textContent(), NOTE)
  })

  it("are narrowed to one action from an open event", async () => {
    const opened = await open({ query: "locale=en" })
    await opened.frame.locator(`[data-row="${ROWS.deleted}"]`).click()
    await opened.frame.locator(".drawer").getByRole("button", { name: "document.deleted" }).click()
    await opened.until("location.search.includes('action=document.deleted')")
    await opened.frame.getByText("2 events", { exact: true }).waitFor()
  })
})
