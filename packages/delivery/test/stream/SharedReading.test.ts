import { AlertConsumer } from "@cairn/core/alert"
import { EVENT_FORMATS, type EventFormatName } from "@cairn/core/event"
import { EventLog } from "@cairn/core/log"
import { layerAlertNotices } from "@cairn/core/outbound"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import { vi } from "vitest"
import { makeSharedReading } from "../../src/stream/SharedReading.ts"
import { makeWorkspace, record, storage, things, WORKSPACE } from "../fixtures/Workspace.ts"

/** A log with this many events, whose reads are counted, and wait while the gate is closed. */
const logOf = (events: number, metadata: Readonly<Record<string, unknown>> = {}) =>
  Effect.gen(function* () {
    yield* makeWorkspace
    yield* record(things(events).map((thing) => ({ ...thing, metadata })))
    const log = yield* EventLog
    const gate = yield* Latch.make(true)
    const scans: Array<number> = []
    const counted = EventLog.of({
      ...log,
      entries: (workspaceId, from, limit) => {
        scans.push(from)
        return Effect.andThen(gate.await, log.entries(workspaceId, from, limit))
      }
    })
    const readOn = yield* makeSharedReading.pipe(Effect.provideService(EventLog, counted))
    return { scans, gate, read: (after: number) => readOn(WORKSPACE, after) }
  })

const services = AlertConsumer.layer().pipe(
  Layer.provide(layerAlertNotices({ mail: false })),
  Layer.provideMerge(storage)
)

const test = <A, E>(says: string, effect: Effect.Effect<A, E, Layer.Success<typeof services>>): void =>
  it.effect(says, () => Effect.provide(effect, services))

describe("reading a log for several streams", () => {
  test(
    "reads what they ask for at once, or shortly after each other, once",
    Effect.gen(function* () {
      const { read, scans } = yield* logOf(1_200)
      const both = yield* Effect.all([read(0), read(0)], { concurrency: "unbounded" })
      const later = yield* read(0)
      for (const reading of [...both, later]) {
        assert.deepInclude(reading, { readTo: 500, atEnd: false })
        assert.deepStrictEqual(
          reading.events.map(({ sequence }) => sequence),
          Array.from({ length: 500 }, (_, index) => index + 1)
        )
      }
      assert.deepStrictEqual(scans, [1])
      yield* TestClock.adjust("1 second")
      yield* read(0)
      assert.deepStrictEqual(scans, [1, 1], "what was erased since is not sent for long")
    })
  )

  test(
    "writes an event once in each format",
    Effect.gen(function* () {
      const { read } = yield* logOf(1)
      const [first] = (yield* read(0)).events
      const encode = vi.spyOn(EVENT_FORMATS.cairn, "encode")
      const text = (format: EventFormatName) => first?.whole()?.text(format)
      assert.match(text("cairn") ?? "", /^\{/)
      assert.strictEqual(text("cairn"), text("cairn"))
      assert.strictEqual(encode.mock.calls.length, 1)
      assert.strictEqual(first?.whole(), first?.whole())
      assert.match(text("cef") ?? "", /^CEF:0/)
    })
  )

  test(
    "brings together streams that began at different places",
    Effect.gen(function* () {
      const { read, scans } = yield* logOf(1_200)
      for (const start of [0, 17, 230]) {
        for (let after = start; after < 1_000; ) after = (yield* read(after)).readTo
      }
      assert.deepStrictEqual(scans, [1, 501])
    })
  )

  test(
    "finds what the alerts have just read, once it has asked for it, and what the log has gained since",
    Effect.gen(function* () {
      const { read, scans } = yield* logOf(3)
      const { advance } = yield* AlertConsumer
      assert.deepInclude(yield* read(0), { readTo: 3, atEnd: true })
      yield* advance(WORKSPACE)
      yield* record(things(2, 3))
      yield* advance(WORKSPACE)
      for (const [after, sequences] of [
        [3, [4, 5]],
        [4, [5]]
      ] as const) {
        const { events, readTo, atEnd } = yield* read(after)
        assert.deepStrictEqual([events.map(({ sequence }) => sequence), readTo, atEnd], [sequences, 5, true])
      }
      assert.deepStrictEqual(scans, [1])
      yield* record(things(1, 5))
      assert.deepInclude(yield* read(5), { readTo: 6, atEnd: true })
      assert.deepInclude(yield* read(6), { events: [], readTo: 6, atEnd: true })
      assert.deepStrictEqual(scans, [1, 6, 7])
    })
  )

  test(
    "keeps nothing of a log that is read by one alone",
    Effect.gen(function* () {
      const { read, scans } = yield* logOf(3)
      const { advance } = yield* AlertConsumer
      yield* advance(WORKSPACE)
      yield* read(0)
      assert.deepStrictEqual(scans, [1])
      yield* TestClock.adjust("1 minute")
      yield* record(things(1, 3))
      yield* advance(WORKSPACE)
      yield* read(3)
      assert.deepStrictEqual(scans, [1, 4])
    })
  )

  test(
    "keeps no reading that is large",
    Effect.gen(function* () {
      const { read, scans } = yield* logOf(500, { text: "x".repeat(5_000) })
      yield* read(0)
      yield* read(0)
      assert.deepStrictEqual(scans, [1, 1])
    })
  )

  test(
    "goes on for the others when one is interrupted",
    Effect.gen(function* () {
      const { read, scans, gate } = yield* logOf(600)
      yield* gate.close
      const [first, second] = [yield* Effect.forkChild(read(0)), yield* Effect.forkChild(read(0))]
      yield* Effect.yieldNow
      yield* Fiber.interrupt(first)
      yield* gate.open
      assert.deepInclude(yield* Fiber.join(second), { readTo: 500 })
      assert.deepStrictEqual(scans, [1, 1])
    })
  )
})
