import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { type Refusal, RequestRefused } from "../../../src/log/LogSource.ts"
import { type Hideable, LiveCount } from "../../../src/log/live/LiveCount.ts"
import type { Selection } from "../../../src/place/Place.ts"

/** A page that a test hides and shows. */
class TestPage extends EventTarget {
  visibilityState: Hideable["visibilityState"] = "visible"
  /** How many listen. */
  listeners = 0

  override addEventListener(...given: Parameters<EventTarget["addEventListener"]>): void {
    this.listeners++
    super.addEventListener(...given)
  }

  override removeEventListener(...given: Parameters<EventTarget["removeEventListener"]>): void {
    this.listeners--
    super.removeEventListener(...given)
  }

  become(state: Hideable["visibilityState"]): void {
    this.visibilityState = state
    this.dispatchEvent(new Event("visibilitychange"))
  }
}

/** Streams that a test speaks for, and ends. */
const streams = (random = 1) => {
  const opened: Array<{
    readonly tell: (count: number) => void
    readonly end: () => void
    readonly refuse: (refusal: Refusal) => void
    readonly signal: AbortSignal
  }> = []
  const page = new TestPage()
  let missed: () => Promise<number | undefined> = async () => undefined
  const count = new LiveCount({
    live: (_, signal, told) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason))
        opened.push({
          tell: told,
          end: resolve,
          refuse: (refusal) => reject(new RequestRefused(refusal)),
          signal
        })
      }),
    missed: () => missed(),
    page,
    random: () => random
  })
  return {
    count,
    page,
    opened,
    last: () => {
      const stream = opened.at(-1)
      if (stream === undefined) throw new Error("no stream was opened")
      return stream
    },
    miss: (events: number | (() => Promise<number>)) => {
      missed = typeof events === "number" ? async () => events : events
    }
  }
}

/** What is followed. */
const ALL: Selection = { filter: {}, clock: "occurred" }

/** Seconds by the fake clock. */
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000)

describe("the count of what is new", () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("is what the stream tells, and none again for a list that was just read", async () => {
    const { count, last, opened } = streams()
    count.begin(ALL)
    await pass(0)
    last().tell(1)
    last().tell(3)
    assert.strictEqual(count.count.value, 3)
    count.begin(ALL)
    await pass(0)
    assert.deepStrictEqual([count.count.value, opened.length], [0, 2])
    assert.isTrue(opened[0]?.signal.aborted)
    opened[0]?.tell(9)
    assert.strictEqual(count.count.value, 0)
  })

  it("goes on after the stream ended, with what was recorded meanwhile", async () => {
    const { count, last, opened, miss } = streams()
    count.begin(ALL)
    await pass(0)
    last().tell(2)
    miss(6)
    last().end()
    await pass(4.9)
    assert.lengthOf(opened, 1)
    await pass(0.1)
    assert.lengthOf(opened, 2)
    assert.strictEqual(count.count.value, 6)
    last().tell(1)
    assert.strictEqual(count.count.value, 7)
  })

  it("is never less for what was recorded meanwhile, nor for a failure to ask for that", async () => {
    const { count, last, opened, miss } = streams()
    count.begin(ALL)
    await pass(0)
    last().tell(3)
    const failure = () => Promise.reject(new Error("nothing is known"))
    for (const answer of [2, -1, failure]) {
      miss(answer)
      last().end()
      const before = opened.length
      await pass(300)
      assert.isAbove(opened.length, before)
      assert.strictEqual(count.count.value, 3)
    }
  })

  it("is none for a list that was just read, whatever was recorded before, and told late", async () => {
    const { count, last, opened, miss } = streams()
    miss(5)
    count.begin(ALL)
    await pass(0)
    assert.deepStrictEqual([count.count.value, opened.length], [0, 1])
    const late = Promise.withResolvers<number>()
    miss(() => late.promise)
    last().end()
    await pass(5)
    count.close()
    late.resolve(7)
    await pass(0)
    assert.deepStrictEqual([count.count.value, opened.length], [0, 1])
  })

  it("does not come back with all other pages at one moment", async () => {
    const { count, last, opened } = streams(0)
    count.begin(ALL)
    await pass(0)
    last().end()
    await pass(2.4)
    assert.lengthOf(opened, 1)
    await pass(0.1)
    assert.lengthOf(opened, 2)
  })

  it("waits twice as long after each stream that told nothing, and five minutes at most", async () => {
    const { count, last, opened } = streams()
    count.begin(ALL)
    await pass(0)
    for (const seconds of [5, 10, 20, 40, 80, 160, 300, 300]) {
      const before = opened.length
      last().refuse({ kind: "failed" })
      await pass(seconds - 0.1)
      assert.lengthOf(opened, before, `${seconds}`)
      await pass(0.1)
      assert.lengthOf(opened, before + 1, `${seconds}`)
    }
    last().tell(0)
    const before = opened.length
    last().end()
    await pass(5)
    assert.lengthOf(opened, before + 1)
  })

  it("waits at least as long as the service asks for", async () => {
    const { count, last, opened } = streams()
    count.begin(ALL)
    await pass(0)
    last().refuse({ kind: "busy", seconds: 30 })
    await pass(34.9)
    assert.lengthOf(opened, 1)
    await pass(0.1)
    assert.lengthOf(opened, 2)
  })

  it("is what the list's count tells while others have all places, every minute or so", async () => {
    const { count, last, opened, miss } = streams()
    count.begin(ALL)
    await pass(0)
    for (let minute = 1; minute <= 10; minute++) {
      last().refuse({ kind: "busy", seconds: 10 })
      miss(minute)
      const before = opened.length
      await pass(70)
      assert.isAbove(opened.length, before, `${minute}`)
      assert.strictEqual(count.count.value, minute)
    }
    last().tell(3)
    assert.strictEqual(count.count.value, 13)
  })

  it.each(["expired", "refused", "elsewhere", "gone"] as const)(
    "ends where the service answers that it is %s",
    async (kind) => {
      const { count, last, opened } = streams()
      count.begin(ALL)
      await pass(0)
      last().refuse({ kind })
      await pass(3_600)
      assert.lengthOf(opened, 1)
    }
  )

  it("gives up a stream that is silent", async () => {
    const { count, last, opened } = streams()
    count.begin(ALL)
    await pass(40)
    last().tell(0)
    await pass(44)
    assert.isFalse(opened[0]?.signal.aborted)
    await pass(1)
    assert.isTrue(opened[0]?.signal.aborted)
    await pass(5)
    assert.lengthOf(opened, 2)
  })

  it("follows nothing while the page is hidden, and then counts what it missed", async () => {
    const { count, page, last, opened, miss } = streams()
    page.become("hidden")
    count.begin(ALL)
    await pass(600)
    assert.lengthOf(opened, 0)
    page.become("visible")
    await pass(0)
    assert.lengthOf(opened, 1)
    last().tell(1)
    page.become("hidden")
    await pass(0)
    assert.isTrue(last().signal.aborted)
    await pass(600)
    assert.lengthOf(opened, 1)
    miss(4)
    page.become("visible")
    await pass(0)
    assert.lengthOf(opened, 2)
    assert.strictEqual(count.count.value, 4)
  })

  it("goes on at once where the page is hidden for a moment", async () => {
    const { count, page, opened } = streams()
    count.begin(ALL)
    await pass(0)
    page.become("hidden")
    page.become("visible")
    await pass(0)
    assert.lengthOf(opened, 1)
    await pass(5)
    page.become("hidden")
    await pass(0)
    page.become("visible")
    await pass(0)
    assert.lengthOf(opened, 3)
  })

  it("ends for good when it is closed", async () => {
    const { count, page, last, opened } = streams()
    count.begin(ALL)
    await pass(0)
    last().end()
    await pass(1)
    count.close()
    assert.strictEqual(vi.getTimerCount(), 0)
    page.become("hidden")
    page.become("visible")
    await pass(3_600)
    assert.lengthOf(opened, 1)
  })

  it("leaves nothing at the page when it is closed, also while that is hidden", async () => {
    const { count, page, opened } = streams()
    count.begin(ALL)
    await pass(0)
    assert.strictEqual(page.listeners, 1)
    count.close()
    await pass(0)
    assert.deepStrictEqual([page.listeners, vi.getTimerCount()], [0, 0])
    page.become("hidden")
    count.begin(ALL)
    await pass(0)
    assert.strictEqual(page.listeners, 1)
    count.close()
    await pass(0)
    assert.deepStrictEqual([page.listeners, vi.getTimerCount(), opened.length], [0, 0, 1])
  })
})
