import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type Access, AccessEvents, MOST_HOURS, type Reader } from "../../src/access/AccessEvents.ts"
import { MOST_OWED, OwedEvents } from "../../src/access/OwedEvents.ts"
import * as Micros from "../../src/encoding/Micros.ts"
import { InvalidInput } from "../../src/event/InvalidInput.ts"
import { Randomness } from "../../src/hashing/Randomness.ts"
import { Sha256 } from "../../src/hashing/Sha256.ts"
import { Acceptance } from "../../src/log/Acceptance.ts"
import { ClockGuard } from "../../src/log/ClockGuard.ts"
import { StorageUnavailable } from "../../src/log/StorageUnavailable.ts"

interface Written {
  readonly workspaceId: string
  readonly action: string
  readonly actor_id: string
  readonly actor_name: string | null
  readonly metadata: Record<string, unknown>
  readonly idempotency_key: string
  readonly occurred_at?: string
}

/** How a store takes events: at once, not at all, or not yet. */
type Mode = "writes" | "refuses" | "hangs"

/** A store that keeps what it is given, and what it is told to do. */
const makeStore = () => ({
  mode: "writes" as Mode,
  written: [] as Array<Written>,
  keys: new Set<string>(),
  attempts: 0,
  /** Workspaces that take nothing. */
  broken: new Set<string>(),
  /** Actors whose events are not valid. */
  invalid: new Set<string>(),
  goOn: Deferred.makeUnsafe<void>()
})
type Store = ReturnType<typeof makeStore>

const unused = () => Effect.die(new Error("nobody asks for it"))

const acceptance = (store: Store) =>
  Layer.succeed(Acceptance, {
    one: unused,
    own: unused,
    batch: unused,
    ownBatch: ({ workspaceId, isCounted }, bodies) =>
      Effect.gen(function* () {
        assert.isFalse(isCounted)
        assert.isAtMost(bodies.length, 100)
        store.attempts++
        yield* Effect.yieldNow
        if (store.mode === "hangs") yield* Deferred.await(store.goOn)
        if (store.mode === "refuses" || store.broken.has(workspaceId))
          return yield* new StorageUnavailable({ operation: "accept events", cause: "full" })
        const given = bodies as ReadonlyArray<Omit<Written, "workspaceId">>
        if (given.some(({ actor_id }) => store.invalid.has(actor_id)))
          return yield* new InvalidInput({ path: "actor_id", reason: "is not valid" })
        return given.map((body) => {
          const duplicate = store.keys.has(body.idempotency_key)
          store.keys.add(body.idempotency_key)
          if (!duplicate) store.written.push({ workspaceId, ...body })
          return { id: body.idempotency_key, duplicate }
        })
      })
  })

const NOON = Micros.parse("2026-05-01T12:00:00Z") ?? 0

const layers = (store: Store, lines: Array<string> = []) =>
  AccessEvents.layer.pipe(
    Layer.provideMerge(OwedEvents.layer),
    Layer.provide(acceptance(store)),
    Layer.provide([Sha256.layer, Randomness.layer]),
    Layer.provideMerge(ClockGuard.layer),
    Layer.provideMerge(Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))]))
  )

const ADA: Reader = { is: "member mem_1", id: "mem_1", name: "Ada", type: "member" }

const access = (other: Partial<Access> = {}): Access => ({
  workspaceId: "wsp_1",
  kind: "events",
  reader: ADA,
  address: "192.0.2.1",
  at: NOON + 5 * Micros.MINUTE,
  exportId: null,
  ...other
})

const note = (other: Partial<Access> = {}) => Effect.flatMap(AccessEvents, (use) => use.note(access(other)))

const actions = ({ written }: Store) =>
  written.map(({ action, metadata }) =>
    metadata.further_reads === undefined ? action : `${action} ${metadata.further_reads}`
  )

/** Runs at five past noon, and leaves a second scope that is closed by hand: a process that ends. */
const atNoon = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.andThen(TestClock.setTime((NOON + 5 * Micros.MINUTE) / 1000), test)

describe("The first read of a kind in an hour", () => {
  it.effect("is written before it is answered, and later ones only counted", () => {
    const store = makeStore()
    return atNoon(
      Effect.gen(function* () {
        yield* note()
        assert.deepStrictEqual(actions(store), ["cairn.access.events"])
        for (let index = 0; index < 4; index++) yield* note()
        yield* note({ kind: "alerts" })
        yield* note({ reader: { ...ADA, is: "member mem_2", id: "mem_2" } })
        yield* note({ workspaceId: "wsp_2" })
        yield* note({ kind: "downloads", exportId: "exp_1" })
        yield* note({ kind: "downloads", exportId: "exp_2" })
        yield* TestClock.adjust("54 minutes")
        const facts = actions(store)
        assert.deepStrictEqual(facts, [
          "cairn.access.events",
          "cairn.access.alerts",
          "cairn.access.events",
          "cairn.access.events",
          "cairn.access.downloads",
          "cairn.access.downloads"
        ])
        yield* TestClock.adjust("2 minutes")
        assert.deepStrictEqual(actions(store), [...facts, "cairn.access.events.count 4"])
        assert.deepInclude(store.written.at(-1)?.metadata, { hour: "2026-05-01T12:00:00Z" })
        // The name of somebody who was erased since must not come back.
        assert.deepStrictEqual(
          [store.written[0]?.actor_name, store.written.at(-1)?.actor_name],
          ["Ada", null]
        )
        yield* TestClock.adjust("3 hours")
        assert.lengthOf(store.written, facts.length + 1)
      }).pipe(Effect.provide(layers(store)))
    )
  })

  it.effect("is waited for by all who read meanwhile, and by nobody who has gone away", () => {
    const store = makeStore()
    store.mode = "hangs"
    return atNoon(
      Effect.gen(function* () {
        const gone = yield* Effect.forkChild(note())
        const stays = yield* Effect.forkChild(note())
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(gone)
        assert.isUndefined(stays.pollUnsafe())
        store.mode = "writes"
        yield* Deferred.succeed(store.goOn, undefined)
        yield* Fiber.join(stays)
        assert.deepStrictEqual(actions(store), ["cairn.access.events"])
      }).pipe(Effect.provide(layers(store)))
    )
  })

  it.effect("is written once by two processes, whose counts add up", () => {
    const store = makeStore()
    return atNoon(
      Effect.gen(function* () {
        const scopes = [yield* Scope.make(), yield* Scope.make()] as const
        const reads = [3, 4]
        for (const [index, scope] of scopes.entries()) {
          const { note } = Context.get(yield* Layer.buildWithScope(layers(store), scope), AccessEvents)
          for (let read = 0; read < (reads[index] ?? 0); read++) yield* note(access())
        }
        for (const scope of scopes) yield* Scope.close(scope, Exit.void)
        assert.deepStrictEqual(actions(store), [
          "cairn.access.events",
          "cairn.access.events.count 2",
          "cairn.access.events.count 4"
        ])
      })
    )
  })

  it.effect("is another one by a clock that was set back, and the hour is not counted twice", () => {
    const store = makeStore()
    return atNoon(
      Effect.gen(function* () {
        const hour = 60 * Micros.MINUTE
        yield* note()
        yield* note()
        yield* note({ at: NOON - 5 * Micros.MINUTE })
        yield* note({ at: NOON - 5 * Micros.MINUTE })
        yield* note()
        yield* note({ at: NOON + hour })
        yield* TestClock.adjust("2 hours")
        assert.deepStrictEqual(
          store.written.map(({ action, metadata: { hour, further_reads } }) => [action, hour, further_reads]),
          [
            ["cairn.access.events", "2026-05-01T12:00:00Z", undefined],
            ["cairn.access.events", "2026-05-01T11:00:00Z", undefined],
            ["cairn.access.events.count", "2026-05-01T12:00:00Z", 1],
            ["cairn.access.events", "2026-05-01T13:00:00Z", undefined],
            ["cairn.access.events.count", "2026-05-01T11:00:00Z", 1],
            // The third one, whose event was there already.
            ["cairn.access.events.count", "2026-05-01T12:00:00Z", 1]
          ]
        )
      }).pipe(Effect.provide(layers(store)))
    )
  })
})

describe("More readers in an hour than are kept", () => {
  it.effect("have the oldest counted early, and lose no read", () => {
    const store = makeStore()
    return atNoon(
      Effect.gen(function* () {
        const read = (reader: number) =>
          note({ reader: { ...ADA, is: `member ${reader}`, id: `mem_${reader}` } })
        yield* read(0)
        yield* read(0)
        for (let reader = 1; reader <= MOST_HOURS; reader++) yield* read(reader)
        yield* TestClock.adjust("1 second")
        const counts = () => store.written.filter(({ action }) => action.endsWith(".count"))
        assert.deepStrictEqual(
          counts().map(({ actor_id, metadata }) => [actor_id, metadata.further_reads]),
          [["mem_0", 1]]
        )
        // Its event is there already, so that this read is counted as one more.
        yield* read(0)
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual(
          counts().map(({ actor_id, metadata }) => [actor_id, metadata.further_reads]),
          [
            ["mem_0", 1],
            ["mem_0", 1]
          ]
        )
      }).pipe(Effect.provide(layers(store)))
    )
  })
})

describe("Where nothing can be written", () => {
  it.effect("reads are answered, and their events written as soon as they can be", () => {
    const store = makeStore()
    const lines: Array<string> = []
    store.mode = "refuses"
    return atNoon(
      Effect.gen(function* () {
        for (let reader = 0; reader < 250; reader++)
          yield* note({ reader: { ...ADA, is: `member ${reader}`, id: `mem_${reader}` } })
        yield* TestClock.adjust("10 minutes")
        assert.isEmpty(store.written)
        // Once in half a minute, and not once a read.
        assert.isBelow(store.attempts, 60)
        store.mode = "writes"
        yield* TestClock.adjust("31 seconds")
        assert.lengthOf(store.written, 250)
        assert.isTrue(store.written.every((one) => one.occurred_at === "2026-05-01T12:05:00.000000Z"))
        assert.deepStrictEqual(lines, [
          "Own events cannot be written now: reads go on, and the events about them wait",
          "Own events are written again"
        ])
        yield* note({ reader: { ...ADA, is: "member x", id: "mem_x" } })
        assert.lengthOf(store.written, 251)
      }).pipe(Effect.provide(layers(store, lines)))
    )
  })

  it.effect("a read waits two seconds for a store that hangs, and later ones not at all", () => {
    const store = makeStore()
    store.mode = "hangs"
    return atNoon(
      Effect.gen(function* () {
        const first = yield* Effect.forkChild(note())
        yield* TestClock.adjust("1900 millis")
        assert.isUndefined(first.pollUnsafe())
        yield* TestClock.adjust("200 millis")
        yield* Fiber.join(first)
        yield* note()
        store.mode = "writes"
        yield* Deferred.succeed(store.goOn, undefined)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(actions(store), ["cairn.access.events"])
      }).pipe(Effect.provide(layers(store)))
    )
  })

  it.effect("no more is read than what can be kept until it is written", () => {
    const store = makeStore()
    store.mode = "refuses"
    return atNoon(
      Effect.gen(function* () {
        const read = (reader: number) =>
          note({ reader: { ...ADA, is: `member ${reader}`, id: `mem_${reader}` } })
        for (let reader = 0; reader < MOST_OWED; reader++) yield* read(reader)
        const refused = yield* Effect.flip(read(MOST_OWED))
        assert.strictEqual(refused.waiting, MOST_OWED)
        // Who is known in this hour reads on.
        yield* read(0)
        store.mode = "writes"
        yield* TestClock.adjust("1 minute")
        assert.lengthOf(store.written, MOST_OWED)
        yield* read(MOST_OWED)
        assert.lengthOf(new Set(store.keys), MOST_OWED + 1)
      }).pipe(Effect.provide(layers(store)))
    )
  })

  it.effect("one workspace does not hold up another", () => {
    const store = makeStore()
    store.broken.add("wsp_1")
    return atNoon(
      Effect.gen(function* () {
        yield* note()
        yield* note({ workspaceId: "wsp_2" })
        assert.deepStrictEqual(
          store.written.map(({ workspaceId }) => workspaceId),
          ["wsp_2"]
        )
        yield* TestClock.adjust("5 minutes")
        yield* note({ workspaceId: "wsp_2", kind: "alerts" })
        assert.lengthOf(store.written, 2)
        store.broken.clear()
        yield* TestClock.adjust("31 seconds")
        assert.lengthOf(store.written, 3)
      }).pipe(Effect.provide(layers(store)))
    )
  })

  it.effect("an event that is not valid is dropped and said, and holds up none", () => {
    const store = makeStore()
    const lines: Array<string> = []
    store.mode = "refuses"
    store.invalid.add("mem_bad")
    return atNoon(
      Effect.gen(function* () {
        yield* note({ reader: { ...ADA, is: "member bad", id: "mem_bad" } })
        yield* note()
        store.mode = "writes"
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(
          store.written.map(({ actor_id }) => actor_id),
          ["mem_1"]
        )
        assert.include(lines, "An event of the service's own is not valid and was not written")
      }).pipe(Effect.provide(layers(store, lines)))
    )
  })

  it.effect("a process that ends writes what waits and the counts so far, or says what is lost", () => {
    const ends = (mode: Mode) =>
      Effect.gen(function* () {
        const store = makeStore()
        const lines: Array<string> = []
        const scope = yield* Scope.make()
        const use = Context.get(yield* Layer.buildWithScope(layers(store, lines), scope), AccessEvents)
        store.mode = "refuses"
        yield* use.note(access())
        yield* use.note(access())
        store.mode = mode
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* TestClock.adjust("6 seconds")
        yield* Fiber.join(closing)
        return { store, lines }
      })
    return atNoon(
      Effect.gen(function* () {
        const { store } = yield* ends("writes")
        assert.deepStrictEqual(actions(store), ["cairn.access.events", "cairn.access.events.count 1"])
        for (const mode of ["refuses", "hangs"] as const) {
          const { lines, store } = yield* ends(mode)
          assert.isEmpty(store.written)
          assert.include(lines, "Own events could not be written before the stop, and are lost")
        }
      })
    )
  })
})
