/** Whatever becomes of an event, ingesting without an Effect says and logs what the other way does. */
import { connect } from "node:net"
import { Micros } from "@cairn/core/encoding"
import {
  type AcceptExit,
  acceptingBy,
  Inbox,
  InboxFull,
  QuotaReached,
  StorageUnavailable
} from "@cairn/core/log"
import { manualClock } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Logger, References } from "effect"
import { ServerFront } from "../../src/http/plumbing/NodeServer.ts"
import { standing } from "./StandingClock.ts"
import { storage } from "./Storage.ts"
import { EVENT, makeTenant, send, TestServer, testServerOver } from "./TestServer.ts"

const EVENTS = "/api/v1/events"

const unavailable = (message: string): AcceptExit =>
  Exit.fail(new StorageUnavailable({ operation: "accept events", cause: new Error(message) }))

/** How the inbox ends a request, by the idempotency key of its first event. */
const EXITS: Readonly<Record<string, () => AcceptExit>> = {
  accepted: () => Exit.succeed([{ id: "evt_1", duplicate: false }]),
  duplicate: () => Exit.succeed([{ id: "evt_1", duplicate: true }]),
  quota: () => Exit.succeed([new QuotaReached({ quota: 5, month: "2026-05" })]),
  full: () => Exit.fail(new InboxFull({ depth: 5, capacity: 5 })),
  locked: () => unavailable("database is locked"),
  disk: () => unavailable("database or disk is full"),
  defect: () => Exit.die(new Error("a bug")),
  none: () => Exit.succeed([]),
  throws: () => {
    throw new Error("a bug in the queue")
  }
}

/** An inbox that keeps nothing. A key that ends in `slowly` takes longer than a second of a clock. */
const inboxBeside = (time: ReturnType<typeof manualClock>) =>
  Layer.effect(
    Inbox,
    Effect.map(Inbox, (kept) =>
      Inbox.of({
        ...kept,
        accept: acceptingBy((request, done) => {
          const [what = "", slowly] = request.events[0]?.idempotencyKey?.split(" ") ?? []
          const exit =
            EXITS[what]?.() ?? Exit.succeed(request.events.map(({ id }) => ({ id, duplicate: false })))
          setImmediate(() => {
            if (slowly !== undefined) time.advance(1_500_000)
            done(exit)
          })
        })
      })
    )
  ).pipe(Layer.provideMerge(storage()))

const bodies = Object.keys(EXITS).flatMap((what) =>
  [what, `${what} slowly`].flatMap((idempotency_key) => [
    { path: EVENTS, body: { ...EVENT, idempotency_key } },
    { path: `${EVENTS}/batch`, body: { events: [{ ...EVENT, idempotency_key }] } }
  ])
)

/** What is answered to each, and what is logged meanwhile. */
const answersOf = (prompt: boolean) => {
  const time = manualClock(Micros.parse("2026-05-01T12:00:00Z") ?? 0)
  const lines: Array<unknown> = []
  const logger = Logger.map(Logger.formatStructured, ({ level, message, annotations, cause }) => {
    const [first] = (cause ?? "").split("\n")
    lines.push({ level, message, annotations: { ...annotations, workspaceId: "" }, cause: first })
  })
  return Effect.gen(function* () {
    const front = yield* ServerFront
    const { take, pass } = front
    let taken = 0
    let passed = 0
    front.take = (request, response) => {
      const isTaken = prompt && take(request, response)
      if (isTaken) taken++
      return isTaken
    }
    front.pass = (request, response) => {
      passed++
      pass(request, response)
    }
    const { key } = yield* makeTenant()
    const answers: Array<unknown> = []
    for (const [index, { path, body }] of bodies.entries()) {
      // Brings the key and its workspace into memory.
      yield* send({ path: EVENTS, key, body: EVENT })
      const headers = { "x-request-id": `request-${index}` }
      const { status, headers: answered, text } = yield* send({ path, key, body, headers })
      const { date: _, ...rest } = answered
      answers.push({ path, body, status, headers: rest, text })
    }
    return { answers, lines, taken, passed }
  }).pipe(
    Effect.provide(testServerOver(inboxBeside(time), { logger })),
    Effect.provideService(References.MinimumLogLevel, "Info"),
    Effect.provideService(Clock.Clock, standing(time.clock))
  )
}

describe("Ingesting without an Effect", () => {
  it.live("says and logs the same of what the inbox does", () =>
    Effect.gen(function* () {
      const others = yield* answersOf(false)
      const { answers, lines, taken, passed } = yield* answersOf(true)
      assert.deepStrictEqual(answers, others.answers)
      assert.deepStrictEqual(lines, others.lines)
      assert.isAbove(lines.length, 5)
      assert.strictEqual(others.taken, 0)
      assert.isAtLeast(taken, bodies.length)
      assert.isAbove(passed, bodies.length / 2)
    })
  )

  it.live("does nothing for a client that goes away before its body has come", () =>
    Effect.gen(function* () {
      const { port } = yield* TestServer
      const front = yield* ServerFront
      const { key } = yield* makeTenant()
      yield* send({ path: EVENTS, key, body: EVENT })
      const { take } = front
      const gone: Array<Promise<void>> = []
      let passed = 0
      front.take = (request, response) => {
        gone.push(new Promise((resolve) => request.once("close", () => setImmediate(resolve))))
        return take(request, response)
      }
      front.pass = () => {
        passed++
      }
      const head = `POST ${EVENTS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n`
      const type = "content-type: application/json\r\ncontent-length: 90\r\n\r\n{"
      const client = connect(port, "127.0.0.1", () => client.write(head + type))
      yield* Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            const look = setInterval(() => {
              if (gone.length === 0) return
              clearInterval(look)
              resolve()
            }, 5)
          })
      )
      client.destroy()
      yield* Effect.promise(() => Promise.all(gone))
      assert.strictEqual(passed, 0)
    }).pipe(Effect.provide(testServerOver(storage())))
  )
})
