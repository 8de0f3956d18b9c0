import type { Event } from "@cairn/core/event"
import { assert, describe, it } from "@effect/vitest"
import { PAGE_SIZE, RequestRefused } from "../../../src/log/LogSource.ts"
import { EventPages, type PageSource } from "../../../src/log/list/EventPages.ts"
import type { Filter } from "../../../src/place/Filter.ts"
import type { Selection } from "../../../src/place/Place.ts"

const RECORDED: Selection = { filter: {}, clock: "recorded" }

const eventAt = (index: number): Event => ({
  id: String(index),
  actor: { id: "a", name: null, type: null },
  action: "b",
  action_category: null,
  resource: { type: null, id: null, name: null },
  targets: [],
  metadata: null,
  tenant_id: null,
  session_id: null,
  ip_country: null,
  ip_city: null,
  idempotency_key: null,
  version: null,
  integrity: { event_hash: null, previous_event_hash: null },
  occurred_at: "",
  // The newest first.
  created_at: `t${99_999 - index}`
})

/** A source of `total` events that notes what it is asked; its page that begins with an event has so many. */
const sourceOf = (total: number, sizeAt: (first: number) => number = () => PAGE_SIZE) => {
  const asked: Array<readonly [Filter, string | undefined]> = []
  let [refusals, counts, busy] = [0, 0, 0]
  const source: PageSource = {
    events: async ({ filter }, cursor) => {
      asked.push([filter, cursor])
      if (refusals > 0) {
        refusals--
        throw new RequestRefused({ kind: "failed" })
      }
      const first = Number(cursor ?? 0)
      const end = Math.min(total, first + sizeAt(first))
      const more = end < total
      return {
        data: Array.from({ length: end - first }, (_, index) => eventAt(first + index)),
        pagination: { has_more: more, next_cursor: more ? String(end) : null, total: null }
      }
    },
    count: async () => {
      counts++
      if (busy > 0) {
        busy--
        throw new RequestRefused({ kind: "busy", seconds: 0 })
      }
      return total
    }
  }
  return {
    source,
    asked,
    counts: () => counts,
    refuse: (times: number) => (refusals = times),
    refuseCounts: (times: number) => (busy = times)
  }
}

/** Lets what was asked for arrive. */
const settle = () => new Promise((resolve) => setTimeout(resolve))

describe("the pages of a list", () => {
  it("are read one after the other, as far as they are wanted and half a page more", async () => {
    const { source, asked } = sourceOf(1_000)
    const pages = new EventPages(source, RECORDED, () => undefined)
    pages.want(0, 10)
    await settle()
    assert.strictEqual(asked.length, 1)
    assert.strictEqual(pages.total.value, 1_000)
    pages.want(20, 40)
    await settle()
    assert.deepStrictEqual(
      asked.map(([, cursor]) => cursor),
      [undefined, "50"]
    )
    assert.strictEqual(pages.at(99)?.id, "99")
    assert.strictEqual(pages.rowOf("73"), 73)
    assert.isUndefined(pages.at(100))
  })

  it("are read once, however often they are wanted meanwhile", async () => {
    const { source, asked } = sourceOf(1_000)
    const pages = new EventPages(source, RECORDED, () => undefined)
    pages.want(0, 10)
    pages.want(0, 20)
    pages.retry()
    await settle()
    assert.deepStrictEqual([asked.length, pages.rows], [1, 50])
  })

  it("end where the list ends", async () => {
    const { source, asked } = sourceOf(60)
    const pages = new EventPages(source, RECORDED, () => undefined)
    pages.want(0, 100)
    await settle()
    assert.strictEqual(pages.rows, 60)
    assert.isTrue(pages.complete.value)
    pages.want(0, 100)
    await settle()
    assert.strictEqual(asked.length, 2)
  })

  it("have a row for each event, however few of them a page has", async () => {
    const total = 3_000
    const { source } = sourceOf(total, (first) => 1 + ((first * 31) % PAGE_SIZE))
    const pages = new EventPages(source, RECORDED, () => undefined)
    for (let row = 0; row < total; row += 30) {
      pages.want(row, row + 30)
      await settle()
    }
    pages.want(total - 30, total)
    await settle()
    assert.deepStrictEqual([pages.rows, pages.complete.value], [total, true])
    for (const first of [2_970, 1_500, 0]) {
      pages.want(first, first + 30)
      await settle()
      for (let row = first; row < first + 30; row++) {
        assert.strictEqual(pages.at(row)?.id, String(row))
        assert.strictEqual(pages.rowOf(String(row)), row)
      }
    }
    assert.isUndefined(pages.at(total))
  })

  it("far from the reader are let go, and read again as they were", async () => {
    const { source, asked } = sourceOf(10_000)
    const pages = new EventPages(source, { ...RECORDED, filter: { action: ["b"] } }, () => undefined)
    for (let row = 0; row < 5_000; row += 40) {
      pages.want(row, row + 20)
      await settle()
    }
    assert.isUndefined(pages.at(0))
    assert.isUndefined(pages.at(60))
    assert.strictEqual(pages.at(4_900)?.id, "4900")
    asked.length = 0
    pages.want(0, 60)
    await settle()
    assert.strictEqual(pages.at(0)?.id, "0")
    assert.strictEqual(pages.at(60)?.id, "60")
    assert.deepStrictEqual(asked, [
      [{ action: ["b"], to: "t99999" }, undefined],
      [{ action: ["b"] }, "50"],
      // The next one, before it is wanted.
      [{ action: ["b"] }, "100"]
    ])
  })

  it("stop at a refusal, and go on when told to", async () => {
    const { source, asked, refuse } = sourceOf(100)
    const pages = new EventPages(source, RECORDED, () => undefined)
    refuse(1)
    pages.want(0, 10)
    await settle()
    assert.deepStrictEqual(pages.refusal.value, { kind: "failed" })
    pages.want(0, 20)
    await settle()
    assert.strictEqual(asked.length, 1)
    pages.retry()
    await settle()
    assert.isUndefined(pages.refusal.value)
    assert.strictEqual(pages.at(5)?.id, "5")
  })

  it("bring nothing any more once they are closed", async () => {
    const { source } = sourceOf(100)
    let brought = 0
    const pages = new EventPages(source, RECORDED, () => brought++)
    pages.want(0, 10)
    pages.close()
    await settle()
    assert.strictEqual(brought, 0)
    assert.isUndefined(pages.total.value)
  })

  it("have their total apart from them, and again if the service is busy", async () => {
    const { source, refuseCounts, counts } = sourceOf(1_000)
    refuseCounts(2)
    const pages = new EventPages(source, RECORDED, () => undefined)
    pages.want(0, 10)
    while (pages.total.value === undefined) await settle()
    assert.deepStrictEqual([pages.total.value, pages.uncounted.value, counts()], [1_000, false, 3])
    const failing = { ...source, count: () => Promise.reject(new RequestRefused({ kind: "failed" })) }
    const without = new EventPages(failing, RECORDED, () => undefined)
    without.want(0, 10)
    while (!without.uncounted.value) await settle()
    assert.deepStrictEqual(
      [without.total.value, without.refusal.value, without.rows],
      [undefined, undefined, 50]
    )
  })

  it("of one page are not counted by the service", async () => {
    const { source, counts } = sourceOf(20)
    const pages = new EventPages(source, RECORDED, () => undefined)
    pages.want(0, 10)
    await settle()
    assert.deepStrictEqual([pages.total.value, counts()], [20, 0])
  })

  /** A log of events that happened a second apart, in which others that happened earlier may arrive later. */
  const logOf = (total: number) => {
    const at = (second: number) => new Date(second * 1_000).toISOString()
    const event = (second: number, recorded: number): Event => ({
      ...eventAt(second),
      id: `${second} ${recorded}`,
      occurred_at: at(second),
      created_at: at(recorded)
    })
    // The clock of what tells them is ahead of the service's.
    let log = Array.from({ length: total }, (_, index) => event(total - index, total - index - 10))
    const source: PageSource = {
      events: async ({ filter, clock }, cursor) => {
        assert.strictEqual(clock, "occurred")
        const found = log.filter(({ occurred_at }) => filter.to === undefined || occurred_at <= filter.to)
        const first = cursor === undefined ? 0 : found.findIndex(({ id }) => id === cursor) + 1
        const data = found.slice(first, first + PAGE_SIZE)
        const more = first + PAGE_SIZE < found.length
        const next = more ? (data.at(-1)?.id ?? null) : null
        return { data, pagination: { has_more: more, next_cursor: next, total: null } }
      },
      count: async () => log.length
    }
    const arrive = (...seconds: ReadonlyArray<number>) => {
      const late = seconds.map((second, index) => event(second, 1_000_000 + index))
      log = [...log, ...late].sort((one, other) => (one.occurred_at < other.occurred_at ? 1 : -1))
    }
    const remove = (isRemoved: (event: Event) => boolean) => {
      log = log.filter((event) => !isRemoved(event))
    }
    return { source, arrive, remove }
  }
  const OCCURRED: Selection = { filter: {}, clock: "occurred" }
  const idsOf = (pages: EventPages, rows: number) =>
    Array.from({ length: rows }, (_, row) => pages.at(row)?.id)

  it.each([1, 3, PAGE_SIZE, 130])(
    "hold the same events when they are read again and %i have arrived among them",
    async (late) => {
      const { source, arrive } = logOf(3_000)
      const pages = new EventPages(source, OCCURRED, () => undefined)
      pages.want(0, 120)
      await settle()
      const before = idsOf(pages, 150)
      assert.isFalse(before.includes(undefined))
      for (let row = 120; row < 2_900; row += 40) {
        pages.want(row, row + 20)
        await settle()
      }
      assert.isUndefined(pages.at(0))
      // In the first page, in the second, and newer than all.
      arrive(...Array.from({ length: late }, () => 2_980), 2_930, 2_929, 4_000)
      pages.want(0, 150)
      await settle()
      assert.deepStrictEqual(idsOf(pages, 150), before)
      const kept = Array.from(pages.kept(), ({ id }) => id)
      assert.strictEqual(new Set(kept).size, kept.length)
    }
  )

  const keptIds = (pages: EventPages) => Array.from(pages.kept(), ({ id }) => id)

  it.each([
    ["one of a page", ["2990 2980"]],
    ["the last of a page", ["2951 2941"]],
    ["the first of a page", ["2950 2940"]],
    ["the newest", ["3000 2990"]],
    ["some of two pages", ["2999 2989", "2998 2988", "2951 2941", "2950 2940", "2920 2910"]],
    ["a whole page", Array.from({ length: PAGE_SIZE }, (_, at) => `${2_950 - at} ${2_940 - at}`)]
  ])("have no event twice, nor a row without one, where %s was removed meanwhile", async (_, gone) => {
    const { source, arrive, remove } = logOf(3_000)
    const pages = new EventPages(source, OCCURRED, () => undefined)
    for (let row = 0; row < 1_400; row += 40) {
      pages.want(row, row + 20)
      await settle()
    }
    const [rows, total] = [pages.rows, pages.total.value ?? 0]
    assert.isUndefined(pages.at(0))
    remove(({ id }) => gone.includes(id))
    arrive(2_960, 2_940)
    for (let row = 1_200; row >= 0; row -= 40) {
      pages.want(row, row + 60)
      await settle()
    }
    const ids = idsOf(pages, 500)
    assert.isFalse(ids.includes(undefined))
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.strictEqual(new Set(keptIds(pages)).size, keptIds(pages).length)
    assert.deepStrictEqual([pages.rows, pages.total.value], [rows - gone.length, total - gone.length])
    const expected = Array.from({ length: 600 }, (_, at) => `${3_000 - at} ${2_990 - at}`)
    assert.deepStrictEqual(ids, expected.filter((id) => !gone.includes(id)).slice(0, 500))
    for (const [row, id] of ids.entries()) assert.strictEqual(pages.rowOf(id ?? ""), row)
  })

  it("have no event twice where some of one second were removed", async () => {
    const { source, remove, arrive } = logOf(3_000)
    // The end of the first page is among them.
    arrive(...Array.from({ length: 40 }, () => 2_970))
    const pages = new EventPages(source, OCCURRED, () => undefined)
    for (let row = 0; row < 1_400; row += 40) {
      pages.want(row, row + 20)
      await settle()
    }
    let removed = 0
    remove(({ id }) => id.startsWith("2970 1000") && removed++ % 3 === 0)
    pages.want(0, 150)
    await settle()
    const ids = idsOf(pages, 130)
    assert.isFalse(ids.includes(undefined))
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("have an event in each row, also where more have arrived than are looked through", async () => {
    const { source, arrive } = logOf(3_000)
    const pages = new EventPages(source, OCCURRED, () => undefined)
    for (let row = 0; row < 2_900; row += 40) {
      pages.want(row, row + 20)
      await settle()
    }
    arrive(...Array.from({ length: 2_000 }, () => 2_990))
    pages.want(0, 20)
    await settle()
    assert.isFalse(idsOf(pages, PAGE_SIZE).includes(undefined))
  })
})
