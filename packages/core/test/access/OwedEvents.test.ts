import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { AccessEvents, type Reader } from "../../src/access/AccessEvents.ts"
import { MOST_OWED } from "../../src/access/OwedEvents.ts"
import {
  ADA,
  access,
  actions,
  atNoon,
  layers,
  type Mode,
  makeStore,
  note,
  untilWritten
} from "./AccessStore.ts"

const assertTold = (lines: ReadonlyArray<string>, text: string) =>
  assert.isTrue(
    lines.some((line) => line.startsWith(text)),
    lines.join("\n")
  )

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

  it.effect("a workspace reads no more than what can be kept for it, and others read on", () => {
    const store = makeStore()
    store.mode = "refuses"
    return atNoon(
      Effect.gen(function* () {
        const read = (reader: number, workspaceId = "wsp_1") =>
          note({ workspaceId, reader: { ...ADA, is: `member ${reader}`, id: `mem_${reader}` } })
        const { ofWorkspace } = MOST_OWED
        for (let reader = 0; reader < ofWorkspace; reader++) yield* read(reader)
        const refused = yield* Effect.flip(read(ofWorkspace))
        assert.strictEqual(refused.waiting, ofWorkspace)
        // Who is known in this hour reads on.
        yield* read(0)
        yield* read(0, "wsp_2")
        store.mode = "writes"
        yield* untilWritten(store, ofWorkspace + 1)
        assert.lengthOf(store.written, ofWorkspace + 1)
        yield* read(ofWorkspace)
        assert.lengthOf(new Set(store.keys), ofWorkspace + 2)
      }).pipe(Effect.provide(layers(store)))
    )
  })

  it.effect("all workspaces together read no more than what can be kept for all", () => {
    const store = makeStore()
    store.mode = "refuses"
    return atNoon(
      Effect.gen(function* () {
        const { inAll, ofWorkspace } = MOST_OWED
        const read = (reader: number, workspace: number) =>
          note({
            workspaceId: `wsp_${workspace}`,
            reader: { ...ADA, is: `member ${reader}`, id: `mem_${reader}` }
          })
        for (let at = 0; at < inAll; at++) yield* read(at, Math.floor(at / ofWorkspace))
        const refused = yield* Effect.flip(read(0, inAll))
        assert.strictEqual(refused.waiting, 0)
        store.mode = "writes"
        yield* untilWritten(store, inAll)
        assert.lengthOf(store.written, inAll)
        yield* read(0, inAll)
      }).pipe(Effect.provide(layers(store)))
    )
  })

  it.effect("counts for which there is no room are lost, and it is said how many", () => {
    const store = makeStore()
    const lines: Array<string> = []
    store.mode = "refuses"
    return atNoon(
      Effect.gen(function* () {
        const reader = (at: number): Reader => ({ ...ADA, is: `member ${at}`, id: `mem_${at}` })
        const { ofWorkspace } = MOST_OWED
        for (let at = 0; at < ofWorkspace - 2; at++) yield* note({ reader: reader(at) })
        for (let at = 0; at < 5; at++) yield* note({ reader: reader(at) })
        yield* TestClock.adjust("1 hour")
        const lost = 'Own events are lost, since too many wait already {"events":3}'
        assert.deepStrictEqual(
          lines.filter((line) => line.includes("lost")),
          [lost]
        )
        store.mode = "writes"
        yield* untilWritten(store, ofWorkspace)
        assert.lengthOf(store.written, ofWorkspace)
      }).pipe(Effect.provide(layers(store, lines)))
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
        assertTold(lines, "An event of the service's own is not valid and was not written")
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
          assertTold(lines, "Own events could not be written before the stop, and are lost")
        }
      })
    )
  })
})
