import { isTrial } from "@cairn/testing/TrialCases"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { AccessEvents, MOST_HOURS, MOST_VIEWERS, type Reader } from "../../src/access/AccessEvents.ts"
import * as Micros from "../../src/encoding/Micros.ts"
import { ADA, access, actions, atNoon, layers, makeStore, NOON, note, type Store } from "./AccessStore.ts"

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

describe("More viewers in an hour than are recorded one by one", () => {
  const viewer = (at: number): Reader => ({
    is: `viewer {"tenantId":"${at}"}`,
    id: null,
    name: `${at}`,
    type: "viewer",
    metadata: { tenant_id: `${at}` }
  })
  const readsOf = ({ written }: Store) => written.map(({ metadata }) => Number(metadata.further_reads ?? 1))

  it.effect("are accounted for together, and every read is", () => {
    const store = makeStore()
    return atNoon(
      Effect.gen(function* () {
        const beyond = 500
        for (let at = 0; at < MOST_VIEWERS + beyond; at++) yield* note({ reader: viewer(at) })
        assert.lengthOf(store.written, MOST_VIEWERS + 1)
        const together = store.written.at(-1)
        assert.deepInclude(together, { action: "cairn.access.events", actor_name: null })
        assert.notProperty(together, "ip_address")
        assert.deepStrictEqual(together?.metadata, { scope: "further", hour: "2026-05-01T12:00:00Z" })
        assert.isFalse(store.written.slice(0, -1).some(({ actor_id }) => actor_id === together?.actor_id))
        // Those who are known are read for as before; so are people, and other workspaces.
        yield* note({ reader: viewer(0) })
        yield* note()
        yield* note({ reader: viewer(MOST_VIEWERS), workspaceId: "wsp_2" })
        assert.lengthOf(store.written, MOST_VIEWERS + 3)
        yield* note({ reader: viewer(MOST_VIEWERS), kind: "proofs" })
        assert.deepInclude(store.written.at(-1), { action: "cairn.access.proofs", actor_name: null })
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual(actions(store).slice(MOST_VIEWERS + 4), [
          "cairn.access.events.count 1",
          `cairn.access.events.count ${beyond - 1}`
        ])
        assert.strictEqual(
          readsOf(store).reduce((sum, reads) => sum + reads, 0),
          MOST_VIEWERS + beyond + 4
        )
      }).pipe(Effect.provide(layers(store)))
    )
  })

  it.effect("are recorded one by one again in the next hour", () => {
    const store = makeStore()
    return atNoon(
      Effect.gen(function* () {
        const hour = 60 * Micros.MINUTE
        for (let at = 0; at <= MOST_VIEWERS; at++) yield* note({ reader: viewer(at) })
        yield* TestClock.adjust("1 hour")
        yield* note({ reader: viewer(MOST_VIEWERS), at: NOON + hour })
        assert.deepInclude(store.written.at(-1), { actor_name: `${MOST_VIEWERS}` })
        // A read that began before the hour was over is not recorded one by one either.
        yield* note({ reader: viewer(MOST_VIEWERS + 1), at: NOON + 59 * Micros.MINUTE })
        yield* TestClock.adjust("2 hours")
        assert.isFalse(store.written.some(({ actor_name }) => actor_name === `${MOST_VIEWERS + 1}`))
      }).pipe(Effect.provide(layers(store)))
    )
  })
})

if (isTrial())
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
