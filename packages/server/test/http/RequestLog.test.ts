import { Micros } from "@cairn/core/encoding"
import { Inbox } from "@cairn/core/log"
import { manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Logger, References } from "effect"
import { breakableStorage, STORAGE_SECRET, setBroken } from "./BreakableStorage.ts"
import { standing } from "./StandingClock.ts"
import { storage } from "./Storage.ts"
import { EVENT, makeTenant, send, testServer, testServerOver } from "./TestServer.ts"

const EVENTS = "/api/v1/events"

interface Line {
  readonly level: string
  readonly message: unknown
  readonly annotations: Record<string, unknown>
}

/** Collects what the server logs, as the JSON it would write. */
const collector = () => {
  const lines: Array<string> = []
  const logger = Logger.map(Logger.formatJson, (line) => {
    lines.push(line)
  })
  const requests = () =>
    lines.map((line): Line => JSON.parse(line) as Line).filter(({ message }) => message === "request")
  return { lines, logger, requests }
}

const atLevel = (level: "Debug" | "Info" | "Warn") => Effect.provideService(References.MinimumLogLevel, level)

describe("The log at info", () => {
  const { logger, lines } = collector()
  // On which no request is slow.
  const still = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)

  it.live("has no line for what went as it should, or wrong on the client's side", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      for (const path of [EVENTS, "/nowhere", "/healthz", "/readyz", "/docs", `${EVENTS}?limit=0`])
        yield* send({ path, key })
      yield* send({ path: EVENTS, key, body: EVENT })
      yield* send({ path: EVENTS, key, body: "{" })
      yield* send({ path: EVENTS })
      assert.deepStrictEqual(lines, [])
    }).pipe(
      Effect.provide(testServer({ logger })),
      atLevel("Info"),
      Effect.provideService(Clock.Clock, standing(still.clock))
    )
  )

  const slow = collector()
  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
  const slowInbox = Layer.effect(
    Inbox,
    Effect.map(Inbox, (inbox) =>
      Inbox.of({
        ...inbox,
        accept: (request) =>
          Effect.suspend(() => {
            time.advance(1_500_000)
            return inbox.accept(request)
          })
      })
    )
  )

  it.live("has a line for a request that took longer than a second", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      yield* send({ path: EVENTS, key, body: EVENT, headers: { "x-request-id": "slow-one" } })
      assert.strictEqual(slow.requests().length, 1)
      assert.deepInclude(slow.requests()[0], {
        level: "INFO",
        annotations: {
          method: "POST",
          route: EVENTS,
          status: 202,
          millis: 1500,
          requestId: "slow-one",
          workspaceId: workspace.id
        }
      })
    }).pipe(
      Effect.provide(testServerOver(slowInbox.pipe(Layer.provideMerge(storage())), { logger: slow.logger })),
      atLevel("Info"),
      Effect.provideService(Clock.Clock, standing(time.clock))
    )
  )

  const failing = collector()
  const buggy = Layer.effect(
    Inbox,
    Effect.map(Inbox, (inbox) => Inbox.of({ ...inbox, accept: () => Effect.die(new Error("a bug")) }))
  )

  it.live("has the cause of a failure beside the request's id, so that one leads to the other", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* send({ path: EVENTS, key, body: EVENT, headers: { "x-request-id": "lost" } })
      const [error, request] = failing.lines.map((line) => JSON.parse(line) as Line & { cause: string })
      assert.strictEqual(error?.level, "ERROR")
      assert.strictEqual(error?.annotations.requestId, "lost")
      assert.include(error?.cause, "a bug")
      assert.deepInclude(request?.annotations, { requestId: "lost", status: 500, route: EVENTS })
      assert.strictEqual(request?.level, "WARN")
    }).pipe(
      Effect.provide(testServerOver(buggy.pipe(Layer.provideMerge(storage())), { logger: failing.logger })),
      atLevel("Info")
    )
  )

  const shed = collector()
  const standingTime = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)

  it.live("tells of 503 once a minute, and of its cause once, with how many went untold", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* send({ path: EVENTS, key })
      yield* setBroken(true)
      for (let count = 0; count < 5; count++) yield* send({ path: EVENTS, key })
      assert.strictEqual(shed.requests().length, 1)
      const causes = shed.lines.filter((line) => line.includes("The store failed: the disk is full"))
      assert.lengthOf(causes, 1)
      standingTime.advance(60 * Micros.SECOND)
      yield* setBroken(false)
      yield* send({ path: EVENTS, key })
      yield* setBroken(true)
      yield* send({ path: EVENTS, key })
      assert.strictEqual(shed.requests().length, 2)
      assert.strictEqual(shed.requests()[1]?.annotations.alsoShed, 4)
    }).pipe(
      Effect.provide(
        testServerOver(breakableStorage.pipe(Layer.provideMerge(storage())), { logger: shed.logger })
      ),
      atLevel("Info"),
      Effect.provideService(Clock.Clock, standing(standingTime.clock))
    )
  )
})

describe("The log of a server that trusts no proxy", () => {
  const { logger, lines } = collector()

  it.live("says once that X-Forwarded-For is not believed, whatever it comes with", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      // The key and its workspace are in memory from now on.
      yield* send({ path: EVENTS, key, body: EVENT })
      assert.deepStrictEqual(lines, [])
      for (let count = 0; count < 2; count++) {
        yield* send({ path: EVENTS, key, body: EVENT, headers: { "x-forwarded-for": "203.0.113.1" } })
        assert.lengthOf(lines, 1)
        assert.include(lines[0], "X-Forwarded-For is not believed")
      }
    }).pipe(Effect.provide(testServer({ logger })), atLevel("Warn"))
  )
})

describe("The log at debug", () => {
  const { logger, lines, requests } = collector()

  it.live("has one line a request, by route and never by path, and none for health checks", () =>
    Effect.gen(function* () {
      const { key, workspace } = yield* makeTenant()
      yield* send({ path: `${EVENTS}/secret-in-the-path?token=secret-in-the-query`, key })
      yield* send({ path: "/secret-in-the-path", key })
      yield* send({ path: EVENTS, key, body: EVENT })
      yield* send({ path: "/healthz" })
      yield* send({ path: "/readyz" })
      assert.deepStrictEqual(
        requests().map(({ level, annotations: { route, status, workspaceId } }) => [
          level,
          route,
          status,
          workspaceId
        ]),
        [
          ["DEBUG", `${EVENTS}/:id`, 400, workspace.id],
          ["DEBUG", "", 404, undefined],
          ["DEBUG", EVENTS, 202, workspace.id]
        ]
      )
      assert.notInclude(lines.join("\n"), "secret-in-the")
    }).pipe(Effect.provide(testServer({ logger })), atLevel("Debug"))
  )

  const everything = collector()

  it.live("holds no key, no token and no content, whatever goes wrong", () =>
    Effect.gen(function* () {
      const { key, stored } = yield* makeTenant()
      const secret = "content-of-an-event"
      const event = { actor_id: secret, actor_name: secret, action: secret, metadata: { [secret]: secret } }
      const requests = [
        send({ path: EVENTS, key, body: event }),
        send({ path: `${EVENTS}/batch`, key, body: { events: [event, { ...event, action: 5 }] } }),
        send({ path: EVENTS, key, body: `{"actor_id":"${secret}",` }),
        send({ path: EVENTS, key, body: { ...event, occurred_at: secret } }),
        send({ path: `${EVENTS}?search=${secret}&from=${secret}`, key }),
        send({ path: `${EVENTS}/${secret}`, key }),
        send({ path: `/${secret}`, key }),
        send({ path: "/api/v1/api-keys", key, body: { name: secret } }),
        send({ path: "/api/v1/workspace", method: "PATCH", key, body: { name: secret } }),
        send({ path: EVENTS, headers: { authorization: `Bearer ${key.slice(0, -1)}` } }),
        send({ path: EVENTS, headers: { authorization: `Basic ${secret}`, cookie: secret } })
      ]
      const answers = yield* Effect.all(requests)
      yield* setBroken(true)
      yield* Effect.all(requests)
      const made = answers[7]?.json<{ data: { key: string } }>().data.key ?? ""
      assert.match(made, /^cairn_/)
      const log = everything.lines.join("\n")
      assert.isAbove(everything.lines.length, 20)
      for (const text of [secret, key, key.slice(14, 46), made, stored.hash]) assert.notInclude(log, text)
      // What the store said is for the operator, who may see where it lies.
      assert.include(log, STORAGE_SECRET)
    }).pipe(
      Effect.provide(
        testServerOver(breakableStorage.pipe(Layer.provideMerge(storage())), { logger: everything.logger })
      ),
      atLevel("Debug")
    )
  )
})

describe("The trace of a request", () => {
  const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
  const PARENT = "00f067aa0ba902b7"
  const { logger, requests } = collector()

  it.live("stands beside its id, where its client names one as W3C Trace Context has it", () =>
    Effect.gen(function* () {
      const given: ReadonlyArray<readonly [header: string, trace: string | undefined]> = [
        [`00-${TRACE}-${PARENT}-01`, TRACE],
        [`cc-${TRACE}-${PARENT}-01-what-will-be`, TRACE],
        [`00-${TRACE}-${PARENT}-01-more`, undefined],
        [`ff-${TRACE}-${PARENT}-01`, undefined],
        [`00-${TRACE.toUpperCase()}-${PARENT}-01`, undefined],
        [`00-${"0".repeat(32)}-${PARENT}-01`, undefined],
        [`00-${TRACE}-${"0".repeat(16)}-01`, undefined],
        [`00-${TRACE}-${PARENT}`, undefined],
        [`cc-${TRACE}-${PARENT}-01-${"x".repeat(600)}`, undefined],
        ["secret", undefined]
      ]
      for (const [traceparent] of given) yield* send({ path: EVENTS, headers: { traceparent } })
      const found = requests().map(({ annotations }) => annotations)
      assert.deepStrictEqual(
        found.map(({ traceId }) => traceId),
        given.map(([, trace]) => trace)
      )
      for (const { requestId } of found) assert.isString(requestId)
    }).pipe(Effect.provide(testServer({ logger })), atLevel("Debug"))
  )
})
