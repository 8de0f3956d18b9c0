import { StorageUnavailable, type StorePosition } from "@cairn/core/log"
import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { coalesced } from "../src/Coalesced.ts"
import { lose, type Replica } from "../src/Replica.ts"
import { lagBytes, lagSeconds } from "../src/ReplicaLag.ts"
import { makeRound } from "../src/ReplicaRounds.ts"
import { choose, type ReplicaSet } from "../src/ReplicaSet.ts"

const generated = generatedTests(import.meta.url)

const SYSTEM = "00000000000000aa"
const gone = new StorageUnavailable({ operation: "look at a replica", cause: new Error("gone") })

/** A primary and two replicas whose states are set by hand. */
const makeWorld = () => {
  const primary = { timeline: 1, written: 0, isThere: true }
  const states = [0, 1].map(() => ({ timeline: 1, replayed: 0, isThere: true, recovering: true }))
  let now = 0
  const position = (): StorePosition => ({
    system: SYSTEM,
    timeline: primary.timeline,
    written: primary.written
  })
  const replicas = states.map((state, index): Replica => {
    const look = Effect.suspend(() =>
      state.isThere
        ? Effect.sync(() => {
            const { timeline, replayed, recovering } = state
            replica.state = { system: SYSTEM, timeline, replayed, recovering }
            return replica.state
          })
        : Effect.fail(gone)
    )
    const replica: Replica = {
      name: `replica-${index}`,
      number: index + 1,
      // Nothing is read here.
      ports: {} as Replica["ports"],
      look,
      state: undefined,
      fit: false,
      lost: Deferred.makeUnsafe()
    }
    return replica
  })
  const ask = Effect.suspend(() => (primary.isThere ? Effect.succeed(position()) : Effect.fail(gone)))
  const set: ReplicaSet = {
    primary: {
      ask: coalesced(ask),
      base: undefined,
      latest: undefined,
      history: [],
      answered: 0,
      covered: 0
    },
    replicas,
    now: () => now,
    last: undefined
  }
  const pass = (millis: number) => {
    now += millis
  }
  return { primary, states, set, position, pass, round: Effect.ignore(makeRound(set, false)) }
}

type World = ReturnType<typeof makeWorld>

/** Chooses, with the time that it waits for a replica passing by itself. */
const chosen = Effect.fnUntraced(function* ({ set }: World, needed: StorePosition | "lately") {
  const fiber = yield* Effect.forkChild(choose(set, needed))
  yield* TestClock.adjust("1 second")
  return Option.getOrUndefined(yield* Fiber.join(fiber))
})

describe("who answers a read", () => {
  it.effect("is a replica that has what is needed, and the primary otherwise", () =>
    Effect.gen(function* () {
      const world = makeWorld()
      const { primary, states, set, position, round } = world
      const [first] = states
      assert.isUndefined(yield* chosen(world, "lately"))
      yield* round
      assert.strictEqual((yield* chosen(world, "lately"))?.replica.number, 1)
      primary.written = 10
      assert.isUndefined(yield* chosen(world, position()))
      assert.isFalse(set.replicas[0]?.fit)
      for (const state of states) state.replayed = 10
      yield* round
      assert.strictEqual((yield* chosen(world, position()))?.replica.number, 1)
      assert.isUndefined(yield* chosen(world, { ...position(), system: "00000000000000bb" }))
      assert.isUndefined(yield* chosen(world, { ...position(), timeline: 2 }))
      assert.isDefined(yield* chosen(world, { system: SYSTEM, timeline: 1, written: 3 }))
      // A promoted one takes writes, whatever it has.
      if (first !== undefined) first.recovering = false
      yield* round
      assert.strictEqual((yield* chosen(world, position()))?.replica.number, 2)
      // After a failover neither follows the new history yet.
      primary.timeline = 2
      yield* round
      yield* round
      assert.isUndefined(yield* chosen(world, { ...position(), timeline: 1 }))
      primary.isThere = false
      assert.isUndefined(yield* chosen(world, "lately"))
    })
  )

  it.effect("stays a replica that lacks what the primary lacks too, as a request may ask for it", () =>
    Effect.gen(function* () {
      const world = makeWorld()
      const { set, position, round } = world
      yield* round
      assert.isUndefined(yield* chosen(world, { ...position(), written: 1_000 }))
      assert.isTrue(set.replicas[0]?.fit)
      assert.strictEqual((yield* chosen(world, position()))?.replica.number, 1)
    })
  )

  it.effect("is no replica that is behind the one before it, or behind the primary in its place", () =>
    Effect.gen(function* () {
      const world = makeWorld()
      const { primary, states, set, pass, round } = world
      const replay = (...all: ReadonlyArray<number>) => {
        for (const [index, state] of states.entries()) state.replayed = all[index] ?? 0
      }
      primary.written = 5
      replay(5, 5)
      yield* round
      assert.strictEqual((yield* chosen(world, "lately"))?.replica.number, 1)
      primary.written = 10
      replay(10, 5)
      assert.strictEqual((yield* chosen(world, "lately"))?.replica.number, 1)
      for (const replica of set.replicas.slice(0, 1)) replica.fit = false
      assert.isUndefined(yield* chosen(world, "lately"))
      pass(1)
      replay(10, 10)
      set.primary.answered++
      yield* round
      assert.isDefined(yield* chosen(world, "lately"))
      // Another server is behind the same address now.
      replay(6, 6)
      if (set.primary.latest !== undefined) {
        set.primary.latest = {
          ...set.primary.latest,
          position: { system: SYSTEM, timeline: 1, written: 5 },
          at: 0
        }
      }
      yield* round
      assert.isUndefined(yield* chosen(world, "lately"))
    })
  )

  it.effect("shows what is needed, what was shown before, and what is older than three seconds", () =>
    generated.effects({ count: 150 }, (random) =>
      Effect.gen(function* () {
        const world = makeWorld()
        const { primary, states, set, position, pass, round } = world
        /** When how much was written, and how much any read has shown. */
        const history: Array<{ readonly at: number; readonly written: number }> = [{ at: 0, written: 0 }]
        let shown = 0
        for (let step = 0; step < 200; step++) {
          const state = random.pick(states)
          switch (random.below(12)) {
            case 0:
              primary.written += 1 + random.below(5)
              history.push({ at: set.now(), written: primary.written })
              break
            case 1:
              state.replayed += random.below(primary.written - state.replayed + 1)
              break
            case 2:
              if (random.chance(0.3)) state.replayed = primary.written
              break
            case 3:
              state.isThere = random.chance(0.7)
              break
            case 4:
              pass(random.below(4_000))
              break
            case 5:
            case 6:
            case 7:
              yield* round
              break
            default: {
              const needed = random.chance(0.5) ? position() : "lately"
              const { at, written } = { at: set.now(), written: primary.written }
              const found = yield* chosen(world, needed)
              const by = found === undefined ? undefined : states[found.replica.number - 1]
              if (found !== undefined && by?.isThere !== true) {
                lose(found.replica)
                break
              }
              if (by === undefined) set.primary.answered++
              const seen = by === undefined ? primary.written : by.replayed
              const old = history.findLast((entry) => entry.at < at - 3_000)?.written ?? 0
              assert.isAtLeast(seen, shown)
              assert.isAtLeast(seen, old)
              if (needed !== "lately") assert.isAtLeast(seen, written)
              shown = seen
            }
          }
        }
      })
    )
  )
})

describe("how far a replica is behind", () => {
  it.effect("is told in bytes and in seconds, since it last had all", () =>
    Effect.gen(function* () {
      const { primary, states, set, pass, round } = makeWorld()
      const lag = () => {
        const [{ state } = { state: undefined }] = set.replicas
        const { history } = set.primary
        return [lagBytes(history, state), lagSeconds(history, state, set.now())]
      }
      const [state] = states
      const replay = (replayed: number) => {
        if (state !== undefined) state.replayed = replayed
      }
      assert.deepStrictEqual(lag(), [undefined, undefined])
      yield* round
      assert.deepStrictEqual(lag(), [0, 0])
      for (const written of [10, 20, 30]) {
        pass(1_000)
        primary.written = written
        yield* round
      }
      assert.deepStrictEqual(lag(), [30, 3])
      replay(15)
      yield* round
      assert.deepStrictEqual(lag(), [15, 2])
      pass(500)
      assert.deepStrictEqual(lag(), [15, 2.5])
      // It is out of reach, and what is known of it grows old.
      if (state !== undefined) state.isThere = false
      pass(60_000)
      yield* round
      assert.deepStrictEqual(lag(), [15, 62.5])
      if (state !== undefined) state.isThere = true
      replay(30)
      yield* round
      assert.deepStrictEqual(lag(), [0, 0])
      // What a former history had is not compared with the present one.
      pass(5_000)
      primary.timeline = 2
      primary.written = 40
      yield* round
      pass(1_000)
      assert.deepStrictEqual(lag(), [10, 1])
    })
  )

  it.effect("is known of a replica that is behind for hours, from few positions", () =>
    Effect.gen(function* () {
      const { primary, set, pass, round } = makeWorld()
      for (let second = 0; second < 5_000; second++) {
        yield* round
        pass(1_000)
        primary.written++
      }
      assert.isAtMost(set.primary.history.length, 601)
      const [replica] = set.replicas
      assert.strictEqual(lagSeconds(set.primary.history, replica?.state, set.now()), 5_000)
      const state = { system: SYSTEM, timeline: 1, replayed: 4_000, recovering: true }
      assert.closeTo(lagSeconds(set.primary.history, state, set.now()) ?? 0, 1_000, 20)
    })
  )
})

describe("a question that several ask at once", () => {
  it.effect("is asked once for those who wait, and again for who comes when it was begun", () =>
    Effect.gen(function* () {
      let asked = 0
      const ask = coalesced(
        Effect.delay(
          Effect.sync(() => ++asked),
          "1 second"
        )
      )
      const first = yield* Effect.forkChild(ask)
      yield* TestClock.adjust("500 millis")
      const others = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(ask))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(first), 1)
      assert.deepStrictEqual(yield* Effect.forEach(others, Fiber.join), [2, 2, 2])
      // One of those who wait begins it for all, and goes away.
      yield* Effect.forkChild(ask)
      yield* TestClock.adjust("500 millis")
      const gives = yield* Effect.forkChild(ask)
      const waits = yield* Effect.forkChild(ask)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(gives)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* Fiber.join(waits), 4)
    })
  )
})
