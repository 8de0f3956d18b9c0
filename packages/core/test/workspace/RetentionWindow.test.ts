import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { DAY } from "../../src/encoding/Micros.ts"
import { AS_PLANNED, type RetentionBasis } from "../../src/workspace/RetentionSettings.ts"
import {
  changedRetention,
  effectiveRetention,
  MAX_RETENTION_DAYS,
  pendingRetention,
  planRetention,
  RETENTION_DELAY,
  retentionRecords,
  retentionStart
} from "../../src/workspace/RetentionWindow.ts"

const generated = generatedTests(import.meta.url)

const START = 1_800_000_000_000_000

const basis = (days: number | null, own: number | null = null): RetentionBasis => ({
  plan: "enterprise",
  overrides: { retention_days: days },
  retention: { ...AS_PLANNED, days: own }
})

/** A workspace through time; each change is made at a day after the start. */
class Story {
  now = START
  #ids = 0
  readonly delay: number
  workspace: RetentionBasis

  constructor(workspace: RetentionBasis, delay = RETENTION_DELAY) {
    this.workspace = workspace
    this.delay = delay
  }

  at(day: number): this {
    this.now = START + day * DAY
    return this
  }

  set({ plan, own }: { readonly plan?: number | null; readonly own?: number | null }): this {
    const before = this.workspace
    const overrides = plan === undefined ? before.overrides : { retention_days: plan }
    const days = own === undefined ? before.retention.days : own
    const change = { now: this.now, delay: this.delay, id: `hold ${++this.#ids}` }
    const retention = changedRetention(before, { plan: before.plan, overrides, days }, change)
    this.workspace = { plan: before.plan, overrides, retention }
    return this
  }

  get days(): number | null {
    return effectiveRetention(this.workspace, this.now)
  }

  get pending(): ReadonlyArray<readonly [to: number, day: number]> {
    return pendingRetention(this.workspace, this.now).map(({ to, at }) => [to, (at - START) / DAY])
  }
}

describe("RetentionWindow", () => {
  it("a shorter one counts seven days later, and not a microsecond before", () => {
    const story = new Story(basis(90)).set({ own: 10 })
    assert.strictEqual(story.days, 90)
    assert.deepStrictEqual(story.pending, [[10, 7]])
    story.now = START + RETENTION_DELAY - 1
    assert.strictEqual(story.days, 90)
    assert.strictEqual(retentionStart(story.workspace, story.now), story.now - 90 * DAY)
    story.now++
    assert.strictEqual(story.days, 10)
    assert.deepStrictEqual(story.pending, [])
    assert.strictEqual(retentionStart(story.workspace, story.now), story.now - 10 * DAY)
  })

  it("a longer one counts at once", () => {
    assert.strictEqual(new Story(basis(90, 10)).set({ own: 20 }).days, 20)
    assert.strictEqual(new Story(basis(90, 10)).set({ own: null }).days, 90)
    assert.strictEqual(new Story(basis(90)).set({ plan: 365 }).days, 365)
    assert.strictEqual(new Story(basis(90)).set({ plan: null }).days, null)
    assert.strictEqual(retentionStart(new Story(basis(90)).set({ plan: null }).workspace, START), null)
  })

  it("is called off by setting it back, or to anything that is no shorter", () => {
    for (const own of [null, 90, 50]) {
      const story = new Story(basis(90, 50)).set({ own: 10 }).at(6).set({ own })
      assert.deepStrictEqual(story.pending, [])
      assert.strictEqual(story.at(30).days, own ?? 90)
    }
    const plans = new Story(basis(365)).set({ plan: 30 }).at(6).set({ plan: 365 })
    assert.strictEqual(plans.at(30).days, 365)
  })

  it("a second, shorter one waits its own seven days, and all with it", () => {
    const story = new Story(basis(90)).set({ own: 30 }).at(5).set({ own: 7 })
    assert.deepStrictEqual(story.pending, [[7, 12]])
    assert.strictEqual(story.at(11).days, 90)
    assert.strictEqual(story.at(12).days, 7)
  })

  it("a milder one than was announced comes when that was to come, and is announced anew", () => {
    const story = new Story(basis(90)).set({ own: 7 })
    const [first] = pendingRetention(story.workspace, story.now)
    story.at(5).set({ own: 30 })
    const [second] = pendingRetention(story.workspace, story.now)
    assert.deepStrictEqual(story.pending, [[30, 7]])
    assert.notStrictEqual(second?.holds[0]?.id, first?.holds[0]?.id)
    assert.strictEqual(story.at(7).days, 30)
  })

  it("what is set as it is changes nothing", () => {
    const story = new Story(basis(90)).set({ own: 7 })
    const before = story.workspace.retention
    assert.deepStrictEqual(story.at(3).set({ own: 7, plan: 90 }).workspace.retention, before)
  })

  it("a workspace can neither put off nor bring forward what its plan decides", () => {
    const story = new Story(basis(365)).set({ plan: 30 })
    for (const day of [1, 2, 3, 4, 5, 6]) story.at(day).set({ own: 30 - day })
    assert.strictEqual(story.at(6.9).days, 365)
    assert.strictEqual(story.at(7).days, 30)
    assert.strictEqual(story.at(13).days, 24)
    const called = new Story(basis(365)).set({ plan: 30 }).at(1).set({ own: null }).at(2).set({ own: 30 })
    assert.strictEqual(called.at(6.9).days, 365)
    assert.strictEqual(called.at(7).days, 30)
  })

  it("two that end at different times are two announcements", () => {
    const story = new Story(basis(365)).set({ plan: 90 }).at(2).set({ own: 7 })
    assert.deepStrictEqual(story.pending, [
      [90, 7],
      [7, 9]
    ])
    assert.strictEqual(story.at(8).days, 90)
    assert.strictEqual(story.at(9).days, 7)
  })

  it("a clock that steps back shows again what is still there, and announces no earlier moment", () => {
    const story = new Story(basis(90)).set({ own: 7 })
    assert.strictEqual(story.at(8).days, 7)
    assert.strictEqual(story.at(6).days, 90)
    assert.deepStrictEqual(story.pending, [[7, 7]])
    assert.deepStrictEqual(new Story(basis(90)).set({ own: 7 }).at(-3).set({ own: 8 }).pending, [[8, 7]])
  })

  it("takes effect at once where the operator wants no delay", () => {
    const story = new Story(basis(90), 0).set({ own: 7 })
    assert.strictEqual(story.days, 7)
    assert.deepStrictEqual(story.pending, [])
  })

  it("stored figures of nothing are one day", () => {
    assert.strictEqual(effectiveRetention(basis(0), START), 1)
    assert.strictEqual(planRetention(basis(0)), 1)
  })

  it("keeps within what a number holds, however long it is", () => {
    assert.isTrue(Number.isSafeInteger(retentionStart(basis(1e15), START)))
    assert.isTrue(Number.isSafeInteger(retentionStart(basis(MAX_RETENTION_DAYS), START)))
  })

  it("is recorded as what it means for what is kept", () => {
    const told = (before: Story["workspace"], after: Story) =>
      retentionRecords(before, after.workspace, after.now).map(({ action, from, to }) => [action, from, to])
    const story = new Story(basis(90))
    let before = story.workspace
    assert.deepStrictEqual(told(before, story.set({ own: 7 })), [["cairn.retention.scheduled", 90, 7]])
    before = story.workspace
    assert.deepStrictEqual(told(before, story.set({ own: 60 })), [
      ["cairn.retention.called_off", 90, 7],
      ["cairn.retention.scheduled", 90, 60]
    ])
    before = story.workspace
    assert.deepStrictEqual(told(before, story.set({ own: null })), [["cairn.retention.called_off", 90, 60]])
    before = story.workspace
    assert.deepStrictEqual(told(before, story.set({ plan: 365 })), [["cairn.retention.changed", 90, 365]])
  })

  it("nothing is ever hidden that was to be kept within the last seven days", () => {
    const FIGURES = [null, 1, 7, 30, 90, 365] as const
    const infinite = (days: number | null) => days ?? Number.POSITIVE_INFINITY
    generated.stories({ count: 200, seed: 20_261_122 }, (random) => {
      const pick = () => random.pick(FIGURES)
      const first = { plan: pick(), own: pick() }
      const told = new Story(basis(first.plan, first.own))
      /** What was set, and when, in hours. */
      const set = [{ at: Number.NEGATIVE_INFINITY, ...first }]
      let hour = 0
      for (let step = 0; step < 12; step++) {
        hour += random.below(100)
        const change = random.chance(0.5) ? { plan: pick() } : { own: pick() }
        told.at(hour / 24).set(change)
        set.push({ ...(set.at(-1) ?? { at: 0, ...first }), ...change, at: hour })
        for (const later of [0, 1, 50, 167, 168, 400]) {
          const at = hour + later
          // All that was in force at some moment of the last seven days; each side on its own.
          const recent = set.filter((_, index) => (set[index + 1]?.at ?? Number.POSITIVE_INFINITY) > at - 168)
          const least = (side: "plan" | "own") => Math.max(...recent.map((each) => infinite(each[side])))
          const days = infinite(told.at(at / 24).days)
          const target = Math.min(infinite(set.at(-1)?.plan ?? null), infinite(set.at(-1)?.own ?? null))
          const message = `hour ${at}: ${JSON.stringify(set)}`
          assert.isAtLeast(days, Math.min(least("plan"), least("own")), message)
          if (later >= 168) assert.strictEqual(days, target, message)
        }
        told.at(hour / 24)
      }
    })
  })
})
