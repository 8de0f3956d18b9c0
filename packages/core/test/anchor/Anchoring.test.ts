import {
  Anchoring,
  type AnchoringOptions,
  AnchorReader,
  Anchors,
  AnchorVerifier,
  LogDamaged,
  previousAnchorHash
} from "@cairn/core/anchor"
import { LogTree, TreeStore } from "@cairn/core/checkpoint"
import { Micros } from "@cairn/core/encoding"
import { Sha256, toHex } from "@cairn/core/hashing"
import { ClockAhead, EventLog } from "@cairn/core/log"
import { hashFromHex, merkleRoot } from "@cairn/core/merkle"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import {
  acceptEvent,
  addEvents,
  anchoringRound,
  type ManualClock,
  MemoryStorage,
  manualClock,
  newWorkspace,
  sequence
} from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, type Layer, Option, Result } from "effect"
import { anchorsOf, NOON, service } from "../support/AnchorService.ts"

const MIDNIGHT = NOON + Micros.DAY / 2

type Services = Layer.Success<ReturnType<typeof service>>

/** A test with a service of its own, and a clock that begins at noon. */
const test = <A, E>(
  name: string,
  body: (clock: ManualClock) => Effect.Effect<A, E, Services>,
  options: Partial<AnchoringOptions> = {}
) =>
  it.effect(name, () => {
    const clock = manualClock(NOON)
    return Effect.provide(body(clock), service(clock, options))
  })

const closeNow = (workspaceId: string) => Effect.flatMap(Anchoring, ({ close }) => close(workspaceId))

/** The root over a range of a log, by another way than the one it is tested against. */
const rootOver = Effect.fnUntraced(function* (workspaceId: string, from: number, to: number) {
  // As the memory has them: one scan does not answer any number.
  const { log } = yield* MemoryStorage.MemoryTables
  const events = log(workspaceId).events.filter(({ sequence }) => sequence >= from && sequence <= to)
  const leaves = events.map(({ eventHash }) => Result.getOrThrow(hashFromHex(eventHash ?? "", "leaf_data")))
  return toHex(merkleRoot(yield* Sha256, leaves))
})

describe("closing by the schedule", () => {
  test("a day ends at midnight, and its anchor holds its events", (clock) =>
    Effect.gen(function* () {
      const workspaceId = yield* newWorkspace
      yield* addEvents(workspaceId, 5)
      assert.deepStrictEqual(yield* anchoringRound, { closed: 0, created: 0, submitted: 0 })
      clock.advance(Micros.DAY / 2)
      assert.deepStrictEqual(yield* anchoringRound, { closed: 1, created: 1, submitted: 0 })
      const { list, get } = yield* AnchorReader
      const [anchor] = yield* list(workspaceId)
      assert.deepInclude(anchor, {
        merkle_root: yield* rootOver(workspaceId, 1, 5),
        previous_anchor_hash: null,
        events_count: 5,
        period_start: "2024-05-01T00:00:00Z",
        period_end: "2024-05-02T00:00:00Z",
        chain: "base",
        status: "pending",
        created_at: "2024-05-02T00:00:00Z",
        tx_hash: null,
        block_number: null,
        explorer_url: null
      })
      assert.notProperty(anchor, "first_event_hash")
      const events = yield* (yield* EventLog).entries(workspaceId, 1, 9)
      assert.deepInclude(Option.getOrThrow(yield* get(workspaceId, anchor?.id ?? "")), {
        first_event_hash: events.at(0)?.eventHash ?? "",
        last_event_hash: events.at(-1)?.eventHash ?? ""
      })
    }))

  test("an event accepted in the last millisecond and sequenced after the close falls in the next period", (clock) =>
    Effect.gen(function* () {
      const workspaceId = yield* newWorkspace
      yield* addEvents(workspaceId)
      clock.advance(Micros.DAY / 2 - 500)
      yield* acceptEvent(workspaceId)
      clock.advance(1_000)
      assert.strictEqual((yield* anchoringRound).closed, 1)
      yield* sequence
      const [, late] = yield* (yield* EventLog).entries(workspaceId, 1, 9)
      assert.strictEqual(late?.createdAt, MIDNIGHT)
      clock.advance(Micros.DAY)
      assert.strictEqual((yield* anchoringRound).closed, 1)
      const [first, second] = yield* anchorsOf(workspaceId)
      assert.deepInclude(first, { firstSequence: 1, lastSequence: 1, end: MIDNIGHT })
      assert.deepInclude(second, { firstSequence: 2, lastSequence: 2, start: MIDNIGHT })
    }))

  test("events that came after midnight, before the close, stay out", (clock) =>
    Effect.gen(function* () {
      const workspaceId = yield* newWorkspace
      yield* addEvents(workspaceId, 2)
      clock.advance(Micros.DAY / 2 + 10)
      yield* addEvents(workspaceId, 3)
      yield* anchoringRound
      const [anchor, ...more] = yield* anchorsOf(workspaceId)
      assert.deepStrictEqual(more, [])
      assert.deepInclude(anchor, { firstSequence: 1, lastSequence: 2 })
    }))

  test("a day without events makes no anchor, and a pause of days makes one for each that has some", (clock) =>
    Effect.gen(function* () {
      const workspaceId = yield* newWorkspace
      yield* newWorkspace
      for (const days of [1, 1, 3]) {
        yield* addEvents(workspaceId, 2)
        clock.advance(days * Micros.DAY)
      }
      assert.strictEqual((yield* anchoringRound).closed, 3)
      const anchors = yield* anchorsOf(workspaceId)
      assert.deepStrictEqual(
        anchors.map(({ start }) => Micros.formatSeconds(start).slice(0, 10)),
        ["2024-05-01", "2024-05-02", "2024-05-03"]
      )
      clock.advance(Micros.DAY)
      assert.deepStrictEqual(yield* anchoringRound, { closed: 0, created: 0, submitted: 0 })
    }))

  test("each anchor names the one before by its root and, without a chain, nothing else", (clock) =>
    Effect.gen(function* () {
      const workspaceId = yield* newWorkspace
      for (let day = 0; day < 3; day++) {
        yield* addEvents(workspaceId)
        clock.advance(Micros.DAY)
      }
      yield* anchoringRound
      const anchors = yield* anchorsOf(workspaceId)
      const sha256 = yield* Sha256
      assert.deepStrictEqual(
        anchors.map(({ previousAnchorHash: previous }) => previous),
        [
          null,
          ...anchors
            .slice(0, 2)
            .map(({ merkleRoot: merkle_root }) => previousAnchorHash(sha256, { merkle_root, tx_hash: null }))
        ]
      )
    }))

  test("a workspace may close hourly while the others close daily", (clock) =>
    Effect.gen(function* () {
      const [hourly, daily] = [yield* newWorkspace, yield* newWorkspace]
      const { update } = yield* ManagedWorkspaces
      yield* update(hourly, { anchor_schedule: { every_seconds: 3_600, offset_seconds: 0 } }, NOON)
      yield* addEvents(hourly)
      yield* addEvents(daily)
      clock.advance(60 * Micros.MINUTE)
      assert.strictEqual((yield* anchoringRound).closed, 1)
      assert.strictEqual((yield* anchorsOf(hourly)).length, 1)
      assert.strictEqual((yield* anchorsOf(daily)).length, 0)
    }))

  test("periods of many thousand events have the root of all of them", (clock) =>
    Effect.gen(function* () {
      const workspaceId = yield* newWorkspace
      const { log } = yield* MemoryStorage.MemoryTables
      yield* addEvents(workspaceId)
      const table = log(workspaceId)
      const [event] = table.events
      if (event === undefined) throw new Error("there is no event")
      const { hex } = yield* Sha256
      for (let sequence = 2; sequence <= 25_001; sequence++) {
        table.events.push({
          ...event,
          sequence,
          createdAt: NOON + sequence,
          eventHash: hex(String(sequence))
        })
      }
      table.head = { ...table.head, sequence: 25_001, createdAt: NOON + 25_001 }
      clock.advance(Micros.DAY)
      yield* anchoringRound
      const [anchor] = yield* anchorsOf(workspaceId)
      assert.strictEqual(anchor?.merkleRoot, yield* rootOver(workspaceId, 1, 25_001))
      assert.strictEqual(anchor?.lastSequence, 25_001)
      assert.strictEqual(anchor?.firstEventHash, event.eventHash)
      assert.strictEqual(anchor?.lastEventHash, hex("25001"))
    }))

  test("a log that lacks an event is not anchored, and holds up no other", (clock) =>
    Effect.gen(function* () {
      const [damaged, intact] = [yield* newWorkspace, yield* newWorkspace]
      yield* addEvents(damaged, 3)
      yield* addEvents(intact, 3)
      const { log } = yield* MemoryStorage.MemoryTables
      const table = log(damaged)
      table.events = table.events.filter(({ sequence: at }) => at !== 2)
      clock.advance(Micros.DAY)
      assert.strictEqual((yield* anchoringRound).closed, 1)
      assert.deepStrictEqual(yield* anchorsOf(damaged), [])
      assert.strictEqual((yield* anchorsOf(intact)).length, 1)
      const exit = yield* Effect.flip(closeNow(damaged))
      assert.instanceOf(exit, LogDamaged)
    }))

  test("a log that holds something else for a hash is not anchored", () =>
    Effect.gen(function* () {
      const { log } = yield* MemoryStorage.MemoryTables
      for (const wrong of [null, "", "0".repeat(63), "g".repeat(64), "A".repeat(64)]) {
        const damaged = yield* newWorkspace
        yield* addEvents(damaged, 3)
        const table = log(damaged)
        table.events = table.events.map((event) =>
          event.sequence === 2 ? { ...event, eventHash: wrong } : event
        )
        assert.instanceOf(yield* Effect.flip(closeNow(damaged)), LogDamaged)
      }
    }))
})

describe("a period whose leaves stand in the tree", () => {
  /**
   * A log whose first period ends at event 10, and whose tree has stored what it can of the rest, from a
   * tile's middle to another's.
   */
  const longLog = Effect.gen(function* () {
    const workspaceId = yield* newWorkspace
    yield* addEvents(workspaceId, 10)
    yield* closeNow(workspaceId)
    yield* addEvents(workspaceId, 640)
    const { advance } = yield* LogTree
    yield* Effect.repeat(advance(workspaceId), { while: (count) => count > 0 })
    assert.strictEqual(yield* (yield* TreeStore).leaves(workspaceId), 512)
    return workspaceId
  })

  /** Changes events behind the service's back. */
  const tamper = Effect.fnUntraced(function* (workspaceId: string, eventHashes: Record<number, string>) {
    const { log } = yield* MemoryStorage.MemoryTables
    const table = log(workspaceId)
    table.events = table.events.map((event) => ({
      ...event,
      eventHash: eventHashes[event.sequence] ?? event.eventHash
    }))
  })

  test("has the root of its events, wherever it begins and ends", () =>
    Effect.gen(function* () {
      const workspaceId = yield* longLog
      const closed = Option.getOrThrow(yield* closeNow(workspaceId))
      assert.deepInclude(closed, { firstSequence: 11, lastSequence: 650 })
      assert.strictEqual(closed.merkleRoot, yield* rootOver(workspaceId, 11, 650))
    }))

  test("has the root of what its events were, and verifying it tells that one was changed", () =>
    Effect.gen(function* () {
      const workspaceId = yield* longLog
      const before = yield* rootOver(workspaceId, 11, 650)
      yield* tamper(workspaceId, { 300: "0".repeat(64) })
      const closed = Option.getOrThrow(yield* closeNow(workspaceId))
      assert.strictEqual(closed.merkleRoot, before)
      const { verify } = yield* AnchorVerifier
      const found = Option.getOrThrow(yield* verify(workspaceId, closed.id))
      assert.deepInclude(found, { valid: false, chain_valid: true })
    }))

  test("is not closed when the event at either end is not what the tree holds", () =>
    Effect.gen(function* () {
      const workspaceId = yield* longLog
      const { eventHash = "" } = (yield* (yield* EventLog).entries(workspaceId, 11, 1))[0] ?? {}
      yield* tamper(workspaceId, { 11: "0".repeat(64) })
      assert.instanceOf(yield* Effect.flip(closeNow(workspaceId)), LogDamaged)
      yield* tamper(workspaceId, { 11: eventHash ?? "" })
      assert.isTrue(Option.isSome(yield* closeNow(workspaceId)))
    }))
})

describe("a clock that leaps ahead", () => {
  test("closes nothing, neither by the schedule nor on demand, until it has come back", (clock) =>
    Effect.gen(function* () {
      const workspaceId = yield* newWorkspace
      yield* addEvents(workspaceId)
      clock.leap(400 * Micros.DAY)
      assert.strictEqual((yield* anchoringRound).closed, 0)
      assert.instanceOf(yield* Effect.flip(closeNow(workspaceId)), ClockAhead)
      assert.strictEqual((yield* (yield* EventLog).head(workspaceId)).createdAt, NOON)
      clock.leap(-400 * Micros.DAY)
      clock.advance(Micros.DAY)
      assert.strictEqual((yield* anchoringRound).closed, 1)
    }))
})

describe("closing on demand", () => {
  test("takes in every event so far, and ends with the next whole second", (clock) =>
    Effect.gen(function* () {
      const workspaceId = yield* newWorkspace
      clock.advance(250_000)
      yield* addEvents(workspaceId, 4)
      const closed = Option.getOrThrow(yield* closeNow(workspaceId))
      assert.deepInclude(closed, { firstSequence: 1, lastSequence: 4, end: NOON + Micros.SECOND })
      const [anchor] = yield* anchorsOf(workspaceId)
      assert.deepInclude(anchor, { ...closed, status: "pending" })
      yield* addEvents(workspaceId)
      const last = (yield* (yield* EventLog).entries(workspaceId, 5, 1))[0]
      assert.strictEqual(last?.createdAt, NOON + Micros.SECOND)
    }))

  test("closes nothing where there is nothing", () =>
    Effect.gen(function* () {
      const workspaceId = yield* newWorkspace
      assert.deepStrictEqual(yield* closeNow(workspaceId), Option.none())
      yield* addEvents(workspaceId)
      assert.isTrue(Option.isSome(yield* closeNow(workspaceId)))
      assert.deepStrictEqual(yield* closeNow(workspaceId), Option.none())
      assert.strictEqual((yield* anchorsOf(workspaceId)).length, 1)
    }))

  test("closes the days that have ended first, each for itself", (clock) =>
    Effect.gen(function* () {
      const workspaceId = yield* newWorkspace
      yield* addEvents(workspaceId)
      clock.advance(Micros.DAY)
      yield* addEvents(workspaceId)
      yield* closeNow(workspaceId)
      const anchors = yield* anchorsOf(workspaceId)
      assert.deepStrictEqual(
        anchors.map(({ end }) => end),
        [MIDNIGHT, NOON + Micros.DAY + Micros.SECOND]
      )
    }))

  test("again and again dates events a few seconds after the clock, and no further", (clock) =>
    Effect.gen(function* () {
      const workspaceId = yield* newWorkspace
      const { head } = yield* EventLog
      const closed = yield* Effect.forEach(Array.from({ length: 30 }), () =>
        Effect.andThen(addEvents(workspaceId), Effect.result(closeNow(workspaceId)))
      )
      assert.strictEqual(closed.filter(Result.isSuccess).length, 11)
      const failure = closed.flatMap((one) => (Result.isFailure(one) ? [one.failure] : []))[0]
      assert.deepStrictEqual(failure, new ClockAhead({ aheadSeconds: 11 }))
      const ahead = (yield* head(workspaceId)).createdAt - NOON
      assert.isAtLeast(ahead, 11 * Micros.SECOND)
      assert.isBelow(ahead, 12 * Micros.SECOND)
      assert.strictEqual((yield* anchorsOf(workspaceId)).at(-1)?.lastSequence, 11)
      clock.advance(2 * Micros.SECOND)
      const { firstSequence, lastSequence } = Option.getOrThrow(yield* closeNow(workspaceId))
      assert.deepStrictEqual([firstSequence, lastSequence], [12, 30])
    }))

  test("closes no day that has ended either while the log is dated too far after the clock", (clock) =>
    Effect.gen(function* () {
      const workspaceId = yield* newWorkspace
      yield* addEvents(workspaceId)
      clock.advance(Micros.DAY)
      const { raiseFloor, unanchoredOf } = yield* Anchors
      yield* raiseFloor([{ workspaceId, floor: NOON + Micros.DAY + 11 * Micros.SECOND }])
      yield* addEvents(workspaceId)
      assert.instanceOf(yield* Effect.flip(closeNow(workspaceId)), ClockAhead)
      assert.strictEqual(Option.getOrThrow(yield* unanchoredOf(workspaceId)).firstSequence, 1)
    }))

  test("by many at once makes one anchor of each event", () =>
    Effect.gen(function* () {
      const workspaceId = yield* newWorkspace
      yield* addEvents(workspaceId, 3)
      yield* Effect.all(
        Array.from({ length: 8 }, () => closeNow(workspaceId)),
        { concurrency: "unbounded" }
      )
      const [anchor, ...more] = yield* anchorsOf(workspaceId)
      assert.deepStrictEqual(more, [])
      assert.deepInclude(anchor, { firstSequence: 1, lastSequence: 3 })
    }))
})

describe("a process that is killed", () => {
  /** Dies in a call, once. */
  const dieIn = (call: "raiseFloor" | "close" | "create", moment: "before" | "after") => {
    let died = false
    const dying =
      <In, A, E>(f: (input: In) => Effect.Effect<A, E>) =>
      (input: In): Effect.Effect<A, E> =>
        Effect.suspend(() => {
          if (died) return f(input)
          died = true
          return moment === "before" ? Effect.die("killed") : Effect.andThen(f(input), Effect.die("killed"))
        })
    return (anchors: Anchors["Service"]): Anchors["Service"] => {
      switch (call) {
        case "raiseFloor":
          return { ...anchors, raiseFloor: dying(anchors.raiseFloor) }
        case "close":
          return { ...anchors, close: dying(anchors.close) }
        case "create":
          return { ...anchors, create: dying(anchors.create) }
      }
    }
  }

  for (const call of ["raiseFloor", "close", "create"] as const) {
    for (const moment of ["before", "after"] as const) {
      it.effect(`${moment} ${call} leaves what the next round brings to its end`, () => {
        const clock = manualClock(NOON)
        return Effect.gen(function* () {
          const workspaceId = yield* newWorkspace
          yield* addEvents(workspaceId, 3)
          clock.advance(Micros.DAY)
          assert.isTrue(Exit.isFailure(yield* Effect.exit(anchoringRound)))
          yield* addEvents(workspaceId, 2)
          yield* anchoringRound
          const [anchor, ...more] = yield* anchorsOf(workspaceId)
          assert.deepStrictEqual(more, [])
          assert.deepInclude(anchor, { firstSequence: 1, lastSequence: 3, end: MIDNIGHT })
        }).pipe(Effect.provide(service(clock, {}, dieIn(call, moment))))
      })
    }
  }
})
