import { Micros } from "@cairn/core/encoding"
import { EventLog, Inbox, StorageUnavailable } from "@cairn/core/log"
import { manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Logger } from "effect"
import { breakableStorage, STORAGE_SECRET, setBroken } from "./BreakableStorage.ts"
import { standing } from "./StandingClock.ts"
import { storage } from "./Storage.ts"
import { EVENT, makeTenant, send, sequence, testServer, testServerOver } from "./TestServer.ts"

const ready = send({ path: "/readyz" })

describe("GET /healthz", () => {
  it.live("says that the process is alive, even without its store", () =>
    Effect.gen(function* () {
      yield* setBroken(true)
      const response = yield* send({ path: "/healthz" })
      assert.strictEqual(response.status, 200)
      assert.deepStrictEqual(response.json(), { status: "ok" })
    }).pipe(Effect.provide(testServerOver(breakableStorage.pipe(Layer.provideMerge(storage())))))
  )
})

describe("GET /readyz", () => {
  it.live("says that the server takes requests", () =>
    Effect.gen(function* () {
      const response = yield* ready
      assert.strictEqual(response.status, 200)
      assert.deepStrictEqual(response.json(), { status: "ready", writes: "ok" })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("is 503 with the reason while the store does not answer", () =>
    Effect.gen(function* () {
      yield* setBroken(true)
      const response = yield* ready
      assert.strictEqual(response.status, 503)
      assert.deepStrictEqual(response.json(), {
        error: "unavailable",
        message: "The store is not available: the disk is full"
      })
      assert.notInclude(response.text, STORAGE_SECRET)
      assert.isDefined(response.headers["retry-after"])
      yield* setBroken(false)
      assert.strictEqual((yield* ready).status, 200)
    }).pipe(Effect.provide(testServerOver(breakableStorage.pipe(Layer.provideMerge(storage())))))
  )

  it.live("is 503 with the reason while the inbox is full", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (let count = 0; count < 2; count++) yield* send({ path: "/api/v1/events", key, body: EVENT })
      const response = yield* ready
      assert.strictEqual(response.status, 503)
      assert.strictEqual(response.json().message, "2 events wait to be sequenced; the inbox is full")
      assert.isDefined(response.headers["retry-after"])
      yield* sequence
      assert.strictEqual((yield* ready).status, 200)
    }).pipe(Effect.provide(testServer({ config: { inboxCapacity: 2 } })))
  )

  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)

  it.live("is 503 with the reason while the clock cannot be trusted", () =>
    Effect.gen(function* () {
      time.leap(Micros.DAY)
      const response = yield* ready
      assert.strictEqual(response.status, 503)
      assert.match(String(response.json().message), /clock/)
      time.leap(-Micros.DAY)
      assert.strictEqual((yield* ready).status, 200)
    }).pipe(Effect.provide(testServer()), Effect.provideService(Clock.Clock, standing(time.clock)))
  )
})

/** A store that reads, and takes writes as long as nothing is in their way. */
interface Obstacle {
  inTheWay: string | null
}

const obstructed = (obstacle: Obstacle) =>
  Layer.effect(
    Inbox,
    Effect.map(Inbox, (inbox) => {
      const refused = <A, E>(write: Effect.Effect<A, E>): Effect.Effect<A, E | StorageUnavailable> =>
        Effect.suspend((): Effect.Effect<A, E | StorageUnavailable> => {
          if (obstacle.inTheWay === null) return write
          const cause = new Error("wrapped", { cause: new Error(`${obstacle.inTheWay} ${STORAGE_SECRET}`) })
          return Effect.fail(new StorageUnavailable({ operation: "accept events", cause }))
        })
      return Inbox.of({
        ...inbox,
        accept: (request) => refused(inbox.accept(request)),
        probe: refused(inbox.probe)
      })
    })
  ).pipe(Layer.provideMerge(storage()))

describe("GET /readyz, with a clock behind the log", () => {
  const noon = Micros.parse("2026-05-01T12:00:00Z") ?? 0
  const time = manualClock(noon)
  const lines: Array<string> = []
  const dated = Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) =>
      EventLog.of({ ...log, newestTime: Effect.succeed(noon + 90 * Micros.SECOND) })
    )
  ).pipe(Layer.provideMerge(storage()))

  it.live("warns at the start, and says so until it is behind by a minute or less", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* ready).json().clock, "90 seconds behind the newest record")
      time.advance(30 * Micros.SECOND)
      assert.deepStrictEqual((yield* ready).json(), { status: "ready", writes: "ok" })
      assert.lengthOf(
        lines.filter((line) => line.includes("The clock is 90 seconds behind the newest record")),
        1
      )
    }).pipe(
      Effect.provide(
        testServerOver(dated, {
          logger: Logger.make((options) => {
            lines.push(String(options.message))
          })
        })
      ),
      Effect.provideService(Clock.Clock, standing(time.clock))
    )
  )
})

describe("GET /readyz, while the store takes no writes", () => {
  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
  const second = Effect.sync(() => time.advance(Micros.SECOND))
  const seconds = (count: number) => Effect.sync(() => time.advance(count * Micros.SECOND))
  const forWrites = send({ path: "/readyz?for=write" })
  const obstacle: Obstacle = { inTheWay: null }
  const put = (inTheWay: string | null) =>
    Effect.sync(() => {
      obstacle.inTheWay = inTheWay
    })

  const CAUSES: ReadonlyArray<readonly [text: string, name: string, says: string]> = [
    ["database or disk is full", "disk full", "the disk is full"],
    ["could not extend file: No space left on device", "disk full", "the disk is full"],
    ["cannot execute INSERT in a read-only transaction", "read-only", "standby"],
    ["attempt to write a readonly database", "read-only", "read-only transaction"],
    ["database disk image is malformed", "damaged", "database disk image is malformed"]
  ]

  it.live.each(CAUSES)(
    "is 200 and says so, and for writes 503 with the reason, after '%s'",
    ([text, name, says]) =>
      Effect.gen(function* () {
        yield* put(null)
        const { key } = yield* makeTenant()
        assert.strictEqual((yield* forWrites).status, 200)
        yield* put(text)
        yield* second
        assert.strictEqual((yield* send({ path: "/api/v1/events", key, body: EVENT })).status, 503)
        const some = yield* ready
        assert.strictEqual(some.status, 200)
        assert.deepStrictEqual(some.json(), { status: "ready", writes: name })
        const refused = yield* forWrites
        assert.strictEqual(refused.status, 503)
        assert.include(String(refused.json().message), says)
        assert.isDefined(refused.headers["retry-after"])
        for (const answer of [some, refused]) assert.notInclude(answer.text, STORAGE_SECRET)

        // Room for a small write alone is no proof: commits of clients failed a moment ago.
        yield* put(null)
        yield* second
        assert.strictEqual((yield* forWrites).status, 503)
        // Then it is found out without a client, which a balancer would send elsewhere.
        yield* seconds(5)
        assert.deepStrictEqual((yield* ready).json(), { status: "ready", writes: "ok" })
        assert.strictEqual((yield* forWrites).status, 200)
      }).pipe(
        Effect.provide(testServerOver(obstructed(obstacle))),
        Effect.provideService(Clock.Clock, standing(time.clock))
      )
  )

  it.live("finds out by a write of its own where no client writes, at most once a second", () =>
    Effect.gen(function* () {
      yield* put("database or disk is full")
      // Nobody has asked for writes.
      assert.deepStrictEqual((yield* ready).json(), { status: "ready", writes: "ok" })
      assert.strictEqual((yield* forWrites).status, 503)
      yield* put(null)
      yield* seconds(6)
      assert.strictEqual((yield* forWrites).status, 200)
      yield* put("database or disk is full")
      assert.strictEqual((yield* forWrites).status, 200)
      yield* second
      assert.strictEqual((yield* forWrites).status, 503)
    }).pipe(
      Effect.provide(testServerOver(obstructed(obstacle))),
      Effect.provideService(Clock.Clock, standing(time.clock))
    )
  )

  it.live(
    "takes three commits that fail in a row for a cause that may pass, and one that succeeds ends it",
    () =>
      Effect.gen(function* () {
        yield* put(null)
        const { key } = yield* makeTenant()
        const accept = Effect.map(send({ path: "/api/v1/events", key, body: EVENT }), ({ status }) => status)
        yield* put("database is locked")
        for (let count = 0; count < 2; count++) assert.strictEqual(yield* accept, 503)
        yield* put(null)
        assert.strictEqual((yield* ready).json().writes, "ok")
        assert.strictEqual(yield* accept, 202)
        yield* put("database is locked")
        for (let count = 0; count < 3; count++) assert.strictEqual(yield* accept, 503)
        assert.strictEqual((yield* ready).json().writes, "busy")
        yield* put(null)
        assert.strictEqual(yield* accept, 202)
        assert.strictEqual((yield* ready).json().writes, "ok")
      }).pipe(
        Effect.provide(testServerOver(obstructed(obstacle))),
        Effect.provideService(Clock.Clock, standing(time.clock))
      )
  )

  it.live("knows nothing else to be ready for", () =>
    Effect.gen(function* () {
      for (const query of ["for=wirte", "for=", "for=write&for=write"]) {
        const response = yield* send({ path: `/readyz?${query}` })
        assert.strictEqual(response.status, 400, query)
        assert.include(String(response.json().message), "for: must be write")
      }
    }).pipe(Effect.provide(testServer()))
  )
})
