import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { SecretBox, Sha256 } from "@cairn/core/hashing"
import { Continuity, EventLog, StorageUnavailable, StoreBehind } from "@cairn/core/log"
import { ConsumerManagement, ManagementEvents } from "@cairn/core/management"
import {
  CircuitBreaker,
  LogStreams,
  Outbox,
  type StoredLogStream,
  streamConsumer,
  streamStanding
} from "@cairn/core/outbound"
import { ContentRemoval, removable } from "@cairn/core/retention"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Result, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { afterAll } from "vitest"
import type { Resolve } from "../../src/outbound/HostResolver.ts"
import { OutboundGuard } from "../../src/outbound/OutboundGuard.ts"
import type { OpenStream } from "../../src/stream/OpenStream.ts"
import { StreamWorker } from "../../src/stream/StreamWorker.ts"
import {
  addStream,
  logLines,
  makeWorkspace,
  record,
  storage,
  things,
  WORKSPACE
} from "../fixtures/Workspace.ts"
import { type Answer, startWebServer, status } from "../peers/WebServer.ts"

const folder = mkdtempSync(join(tmpdir(), "cairn-streams-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const worker = StreamWorker.layer({ folder, timeout: 2_000, mail: true }).pipe(Layer.provideMerge(storage))
/** Whose first request to a receiver that never answers is its only one. */
const patientWorker = StreamWorker.layer({ folder, timeout: 600_000, mail: true }).pipe(
  Layer.provideMerge(storage)
)

type Services = Layer.Success<typeof worker>

/** An hour after the epoch: events that are not said to be of another time were recorded before it. */
const START = 60 * Micros.MINUTE

/** A test in a workspace of its own, at a clock that stands. */
const test = <A, E>(says: string, effect: Effect.Effect<A, E, Services | Scope.Scope>): void =>
  it.effect(says, () =>
    Effect.all([TestClock.setTime(START / 1_000), makeWorkspace]).pipe(
      Effect.andThen(effect),
      Effect.provide(worker)
    )
  )

const open = (stream: StoredLogStream) => Effect.flatMap(StreamWorker, (streams) => streams.open(stream))

/** Turns until there is nothing to send; how many events were sent. */
const drain = Effect.fnUntraced(function* ({ turn }: OpenStream) {
  let sent = 0
  for (;;) {
    const came = yield* turn
    if (came._tag !== "Moved") return sent
    sent += came.sent
  }
})

/**
 * A stream by HTTP to a server that answers so, and the actions that it has acknowledged, a list for each
 * batch.
 */
const toServer = Effect.fnUntraced(function* (
  answer: Answer,
  settings: Partial<StoredLogStream["settings"]> = {},
  id = "str_1"
) {
  const acknowledged: Array<ReadonlyArray<string>> = []
  const server = yield* startWebServer((request, response, raw) => {
    answer(request, response, raw)
    if (response.statusCode === 200) acknowledged.push(actionsOf(request.body.toString("utf8")))
  })
  const stream = yield* addStream(
    id,
    { type: "https", url: `http://127.0.0.1:${server.port}/`, body: "ndjson" },
    settings
  )
  return { stream, acknowledged, ...server }
})

const actionsOf = (lines: string): ReadonlyArray<string> =>
  lines
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).action)

const actions = (count: number, from = 0): ReadonlyArray<string> =>
  things(count, from).map(({ action }) => action)

const consumer = (id = "str_1") => ({ workspaceId: WORKSPACE, consumer: streamConsumer(id) })

const ok = status(200)

describe("StreamWorker", () => {
  test(
    "sends the log in order, in batches, and then waits for more",
    Effect.gen(function* () {
      const { stream, acknowledged } = yield* toServer(ok, { batch_events: 3 })
      yield* record(things(8))
      const opened = yield* open(stream)
      assert.strictEqual(yield* drain(opened), 8)
      assert.deepStrictEqual(acknowledged, [actions(3), actions(3, 3), actions(2, 6)])
      assert.deepStrictEqual(yield* opened.turn, { _tag: "Waiting", until: null })
      yield* record(things(1, 8), Micros.SECOND)
      assert.strictEqual(yield* drain(opened), 1)
      assert.deepStrictEqual(acknowledged.at(-1), actions(1, 8))
      assert.deepInclude(yield* streamStanding(stream), { status: "healthy", sequence: 9, lag: 0 })
    })
  )

  test(
    "waits for company as long as it is told",
    Effect.gen(function* () {
      const { stream, acknowledged } = yield* toServer(ok, { batch_events: 3, batch_seconds: 60 })
      yield* record(things(2), START)
      const opened = yield* open(stream)
      const due = START + 60 * Micros.SECOND
      assert.deepStrictEqual(yield* opened.turn, { _tag: "Waiting", until: due })
      yield* TestClock.setTime(due / 1_000 - 1)
      assert.deepStrictEqual(yield* opened.turn, { _tag: "Waiting", until: due })
      yield* TestClock.setTime(due / 1_000)
      assert.strictEqual(yield* drain(opened), 2)
      yield* record(things(3, 2), due)
      assert.strictEqual(yield* drain(opened), 3)
      assert.deepStrictEqual(acknowledged, [actions(2), actions(3, 2)])
    })
  )

  test(
    "sends nothing of what was erased while it waited",
    Effect.gen(function* () {
      const { stream, acknowledged } = yield* toServer(ok, { batch_events: 5, batch_seconds: 60 })
      yield* record(things(3), START)
      const opened = yield* open(stream)
      const due = START + 60 * Micros.SECOND
      assert.deepStrictEqual(yield* opened.turn, { _tag: "Waiting", until: due })
      const { remove } = yield* ContentRemoval
      const [first] = removable(yield* Sha256, WORKSPACE, yield* (yield* EventLog).entries(WORKSPACE, 1, 1))
      yield* remove(WORKSPACE, first === undefined ? [] : [first], null)
      // The next ones are a moment younger.
      yield* TestClock.setTime(due / 1_000 + 1_000)
      assert.strictEqual(yield* drain(opened), 2)
      assert.deepStrictEqual(acknowledged, [actions(2, 1)])
      assert.deepInclude(yield* streamStanding(stream), { sequence: 3, lag: 0 })
    })
  )

  test(
    "sends what passes its filters and goes past the rest, however much that is",
    Effect.gen(function* () {
      const { stream, acknowledged } = yield* toServer(ok, { action: "rare.*", tenant_id: "acme" })
      const rare = (action: string, tenant_id: string | null) => ({ actor_id: "ada", action, tenant_id })
      yield* record([
        ...things(6_000),
        rare("rare.1", "acme"),
        rare("rare.2", null),
        rare("rare.3", "acme"),
        ...things(10)
      ])
      const opened = yield* open(stream)
      assert.deepStrictEqual(yield* opened.turn, { _tag: "Moved", sent: 0 })
      assert.strictEqual((yield* streamStanding(stream)).sequence, 5_000)
      assert.strictEqual(yield* drain(opened), 2)
      assert.deepStrictEqual(acknowledged, [["rare.1", "rare.3"]])
      assert.deepInclude(yield* streamStanding(stream), { sequence: 6_013, lag: 0 })
    })
  )

  test(
    "begins after the event that it was told to begin after, and where a replay puts it",
    Effect.gen(function* () {
      const { stream, acknowledged } = yield* toServer(ok)
      yield* record(things(5))
      yield* drain(yield* open({ ...stream, after: 3 }))
      assert.deepStrictEqual(acknowledged, [actions(2, 3)])
      yield* Effect.flatMap(Consumers, ({ replay }) => replay(consumer(), 1, 0))
      yield* drain(yield* open(stream))
      assert.deepStrictEqual(acknowledged.at(-1), actions(4, 1))
    })
  )

  test(
    "a destination that fails is left alone for longer and longer; then everything arrives, in order",
    Effect.gen(function* () {
      let down = true
      const { stream, acknowledged, received } = yield* toServer(
        (...args) => status(down ? 503 : 200, {}, down ? "maintenance" : "")(...args),
        { batch_events: 4 }
      )
      const opened = yield* open(stream)
      yield* record(things(10))
      const waits: Array<number> = []
      for (let failures = 1; failures <= 5; failures++) {
        const came = yield* opened.turn
        assert.strictEqual(came._tag, "Failed")
        const resting = yield* opened.turn
        if (resting._tag !== "Waiting" || resting.until === null) return assert.fail("it does not rest")
        waits.push(resting.until - (yield* Micros.now))
        const standing = yield* streamStanding(stream)
        assert.deepInclude(standing, { status: "retrying", sequence: 0, lag: 10, failingSince: START })
        assert.match(standing.lastError ?? "", /503/)
        yield* TestClock.setTime(Math.ceil(resting.until / 1_000))
      }
      assert.lengthOf(received, 5)
      for (const [index, wait] of waits.entries()) {
        assert.isAtLeast(wait, 2 ** index * Micros.SECOND)
        assert.isAtMost(wait, 2 ** index * 1.2 * Micros.SECOND)
      }
      down = false
      assert.strictEqual(yield* drain(opened), 10)
      assert.deepStrictEqual(acknowledged.flat(), actions(10))
      assert.deepInclude(yield* streamStanding(stream), { status: "healthy", lastError: null, lag: 0 })
    })
  )

  test(
    "one that is down for ten minutes is mailed to the admins once, and once more for another outage",
    Effect.gen(function* () {
      let down = true
      const { stream } = yield* toServer((...args) => status(down ? 500 : 200)(...args))
      const opened = yield* open(stream)
      const mails = Effect.flatMap(Outbox, (outbox) =>
        outbox.page(WORKSPACE, { filter: { channel: "mail" }, before: null, limit: 10 })
      )
      /** Fails at every moment it may for so long. */
      const failFor = Effect.fnUntraced(function* (micros: Micros.Micros) {
        const end = (yield* Micros.now) + micros
        for (;;) {
          const came = yield* opened.turn
          const until = came._tag === "Waiting" ? came.until : (yield* Micros.now) + 1
          if (until === null || until > end) return
          if (came._tag === "Waiting") yield* TestClock.setTime(Math.ceil(until / 1_000))
        }
      })
      yield* record(things(1))
      yield* failFor(CircuitBreaker.DOWN_AFTER - Micros.SECOND)
      assert.deepStrictEqual(yield* mails, [])
      yield* failFor(20 * Micros.MINUTE)
      const [first, ...others] = yield* mails
      assert.deepStrictEqual(others, [])
      assert.deepInclude(first, { target: "owner@example.com", type: "mail.stream_down" })
      assert.deepInclude(JSON.parse(first?.payload ?? ""), {
        workspace: "Acme",
        stream: { id: "str_1", name: "Stream str_1" },
        since: Micros.format(START)
      })
      assert.strictEqual((yield* streamStanding(stream)).status, "down")
      down = false
      yield* TestClock.adjust("1 hour")
      yield* drain(opened)
      assert.strictEqual((yield* streamStanding(stream)).status, "healthy")
      down = true
      yield* record(things(1, 1), Micros.SECOND)
      yield* failFor(30 * Micros.MINUTE)
      assert.lengthOf(yield* mails, 2)
    })
  )

  for (const when of ["before", "after"] as const) {
    test(
      `a crash ${when} the position is stored sends again what was sent, in order, with nothing missing`,
      Effect.gen(function* () {
        const { stream, acknowledged } = yield* toServer(ok, { batch_events: 2 })
        yield* record(things(6))
        const consumers = yield* Consumers
        const lost = new StorageUnavailable({ operation: "commit", cause: new Error("gone") })
        let commits = 0
        const commit: typeof consumers.commit = (position, request) => {
          if (commits++ !== 1) return consumers.commit(position, request)
          return when === "before"
            ? Effect.fail(lost)
            : Effect.andThen(consumers.commit(position, request), Effect.fail(lost))
        }
        const unlucky = StreamWorker.layer({ folder, timeout: 2_000, mail: true }).pipe(
          Layer.provide(Layer.succeed(Consumers, { ...consumers, commit }))
        )
        const crash = Effect.scoped(Effect.flatMap(open(stream), drain)).pipe(
          Effect.provide(unlucky, { local: true })
        )
        assert.strictEqual(yield* Effect.flip(crash), lost)
        assert.deepStrictEqual(acknowledged, [actions(2), actions(2, 2)])
        yield* drain(yield* open(stream))
        const rest = when === "before" ? [actions(2, 2), actions(2, 4)] : [actions(2, 4)]
        assert.deepStrictEqual(acknowledged.slice(2), rest)
      })
    )
  }

  test(
    "sends nothing from a store that is behind what was seen of it, though it holds the stream",
    Effect.gen(function* () {
      const { stream, acknowledged } = yield* toServer(ok, { batch_events: 2 })
      yield* record(things(6))
      const nowhere = { timeline: null, sequence: null, event_hash: null }
      const behind = new StoreBehind({ loss: { workspace_id: null, seen: nowhere, found: nowhere } })
      let isBehind = false
      const check = Effect.suspend(() => (isBehind ? Effect.fail(behind) : Effect.void))
      const guarded = StreamWorker.layer({ folder, timeout: 2_000, mail: true }).pipe(
        Layer.provide(Layer.mock(Continuity)({ check }))
      )
      const { turn } = yield* open(stream).pipe(Effect.provide(guarded, { local: true }))
      assert.deepStrictEqual(yield* turn, { _tag: "Moved", sent: 2 })
      isBehind = true
      assert.strictEqual((yield* Effect.flip(turn)).cause, behind)
      assert.deepStrictEqual(acknowledged, [actions(2)])
      isBehind = false
      assert.deepStrictEqual(yield* turn, { _tag: "Moved", sent: 2 })
    })
  )

  test(
    "many that send one stream at once send every event once and in order",
    Effect.gen(function* () {
      const { stream, acknowledged } = yield* toServer(ok, { batch_events: 2 })
      yield* record(things(20))
      const rival = Effect.gen(function* () {
        const opened = yield* open(stream)
        for (let quiet = 0; quiet < 20; ) {
          const came = yield* opened.turn
          quiet = came._tag === "Moved" ? 0 : quiet + 1
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 2)))
        }
      })
      yield* Effect.all([rival, rival, rival], { concurrency: "unbounded" })
      assert.deepStrictEqual(acknowledged.flat(), actions(20))
    })
  )

  test(
    "one that another sends is not passed over either, so that what was sent can be committed",
    Effect.gen(function* () {
      const { stream, acknowledged } = yield* toServer(ok, { action: "rare.*", batch_events: 2 })
      const [one, other] = [yield* open(stream), yield* open(stream)]
      yield* record(["rare.1", "rare.2"].map((action) => ({ actor_id: "ada", action })))
      assert.deepStrictEqual(yield* one.turn, { _tag: "Moved", sent: 2 })
      yield* record(things(3), Micros.SECOND)
      assert.deepStrictEqual(yield* other.turn, { _tag: "Waiting", until: null })
      assert.strictEqual((yield* streamStanding(stream)).sequence, 2)
      assert.deepStrictEqual(yield* one.turn, { _tag: "Moved", sent: 0 })
      assert.deepInclude(yield* streamStanding(stream), { sequence: 5, lag: 0 })
      assert.deepStrictEqual(acknowledged, [["rare.1", "rare.2"]])
    })
  )

  test(
    "a destination that takes its time is nobody else's to send to meanwhile",
    Effect.gen(function* () {
      const { stream, received } = yield* toServer(() => {})
      yield* record(things(2))
      const patient = StreamWorker.layer({ folder, timeout: 600_000, mail: true })
      const { hold } = yield* Consumers
      const takenOver = Effect.flatMap(Micros.now, (at) =>
        Effect.map(hold(consumer(), { holder: "another", at, until: at + 1 }), Option.isSome)
      )
      const sending = yield* Effect.forkChild(
        Effect.scoped(Effect.flatMap(open(stream), ({ turn }) => turn)).pipe(
          Effect.provide(patient, { local: true })
        )
      )
      yield* Effect.promise(async () => {
        while (received.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      })
      for (let seconds = 0; seconds < 60; seconds++) {
        yield* TestClock.adjust("1 second")
        assert.isFalse(yield* takenOver)
      }
      yield* Fiber.interrupt(sending)
      assert.isTrue(yield* takenOver, "whoever is interrupted lets go")
    })
  )

  test(
    "a paused stream sends nothing and loses nothing",
    Effect.gen(function* () {
      const { stream, acknowledged } = yield* toServer(ok)
      const consumers = yield* Consumers
      const opened = yield* open(stream)
      yield* record(things(2))
      yield* drain(opened)
      yield* consumers.pause(consumer(), 0)
      yield* record(things(2, 2), Micros.SECOND)
      assert.deepStrictEqual(yield* opened.turn, { _tag: "Waiting", until: null })
      assert.deepInclude(yield* streamStanding(stream), { status: "paused", lag: 2 })
      yield* consumers.resume(consumer(), 0)
      yield* drain(opened)
      assert.deepStrictEqual(acknowledged.flat(), actions(4))
    })
  )

  for (const [told, next] of [
    ["paused", []],
    ["moved back", actions(2)]
  ] as const) {
    test(
      `one that is ${told} between two batches sends no other batch from where it stood`,
      Effect.gen(function* () {
        const { stream, acknowledged } = yield* toServer(ok, { batch_events: 2 })
        const { pause, replay } = yield* Consumers
        yield* record(things(6))
        const { turn } = yield* open(stream)
        yield* turn
        yield* told === "paused" ? pause(consumer(), 0) : replay(consumer(), 0, 0)
        assert.deepStrictEqual(yield* turn, { _tag: "Waiting", until: null })
        yield* turn
        assert.deepStrictEqual(acknowledged.slice(1).flat(), next)
      })
    )
  }

  test(
    "keeps its hold from batch to batch, and lets go once there is nothing to send",
    Effect.gen(function* () {
      const { stream, acknowledged } = yield* toServer(ok, { batch_events: 2, batch_seconds: 60 })
      yield* record(things(6), START)
      const consumers = yield* Consumers
      const asked: Array<string> = []
      const noted = {
        ...consumers,
        hold: (...args: Parameters<typeof consumers.hold>) => {
          asked.push("hold")
          return consumers.hold(...args)
        },
        release: (...args: Parameters<typeof consumers.release>) => {
          asked.push("release")
          return consumers.release(...args)
        }
      }
      yield* Effect.gen(function* () {
        const opened = yield* open(stream)
        yield* drain(opened)
        assert.deepStrictEqual(asked, ["hold", "release"])
        yield* record(things(3, 6), START + Micros.SECOND)
        assert.strictEqual(yield* drain(opened), 2)
        assert.deepStrictEqual(asked.slice(2), ["hold"], "one event waits for company")
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* drain(opened), 1)
        assert.deepStrictEqual(asked.slice(3), ["hold", "release"], "a hold does not last for ever")
      }).pipe(
        Effect.provide(
          StreamWorker.layer({ folder, timeout: 2_000, mail: true }).pipe(
            Layer.provide(Layer.succeed(Consumers, noted))
          ),
          { local: true }
        )
      )
      assert.deepStrictEqual(acknowledged.flat(), actions(9))
    })
  )

  test(
    "the destination is given its secret, which is stored sealed",
    Effect.gen(function* () {
      const { port, received } = yield* startWebServer(status(200, {}, '{"text":"Success","code":0}'))
      const url = `http://127.0.0.1:${port}`
      const stream = yield* addStream("str_1", { type: "splunk_hec", url }, {}, { token: "tok-1" })
      assert.notInclude(JSON.stringify(stream), "tok-1")
      yield* record(things(1))
      assert.strictEqual(yield* drain(yield* open(stream)), 1)
      assert.strictEqual(received[0]?.headers.authorization, "Splunk tok-1")
    })
  )

  test(
    "a secret that cannot be opened, or a destination that is none, is the stream's error and sends nothing",
    Effect.gen(function* () {
      yield* record(things(1))
      const { seal } = yield* SecretBox
      const foreign = seal('{"token":"tok-1"}', "str_other")
      const cases: ReadonlyArray<readonly [Partial<StoredLogStream>, RegExp]> = [
        [{ sealed: foreign }, /belongs to something else/],
        [{ sealed: `v1.00000000.${"A".repeat(60)}` }, /key 00000000/],
        [{ destination: { type: "carrier pigeon" } }, /must be one of/]
      ]
      for (const [index, [change, reason]] of cases.entries()) {
        const stream = yield* addStream(`str_${index}`, { type: "splunk_hec", url: "https://127.0.0.1" })
        const changed = { ...stream, ...change }
        const came = yield* (yield* open(changed)).turn
        assert.match(came._tag === "Failed" ? came.reason : "", reason)
        assert.match((yield* streamStanding(changed)).lastError ?? "", reason)
      }
    })
  )

  it.live("runs every stream that is enabled, each at its own pace, and follows what is changed", () =>
    Effect.gen(function* () {
      yield* makeWorkspace
      const dead = yield* toServer(() => {}, {}, "str_dead")
      const well = yield* toServer(ok, { batch_events: 5 }, "str_well")
      const off = yield* toServer(ok, { enabled: false }, "str_off")
      yield* addStream("str_file", { type: "file", path: "audit.log" })
      const running = yield* Effect.forkChild(Effect.flatMap(StreamWorker, ({ run }) => run))
      const until = (there: () => boolean) => Effect.repeat(Effect.sleep(20), { until: there, times: 400 })
      yield* record(things(50))
      yield* until(() => well.acknowledged.flat().length >= 50)
      assert.deepStrictEqual(well.acknowledged.flat(), actions(50))
      const path = join(folder, WORKSPACE, "audit.log")
      const written = () => {
        try {
          return actionsOf(readFileSync(path, "utf8"))
        } catch {
          return []
        }
      }
      yield* until(() => written().length >= 50)
      assert.deepStrictEqual(written(), actions(50))
      assert.isAtMost(dead.received.length, 1)
      assert.lengthOf(off.received, 0)
      const { modify } = yield* LogStreams
      const enable = (id: string, enabled: boolean) =>
        modify(WORKSPACE, id, (stream) =>
          Result.succeed({ ...stream, settings: { ...stream.settings, enabled }, updated_at: 1 })
        )
      // In this order: who sees the second change has seen the first.
      yield* enable("str_well", false)
      yield* enable("str_off", true)
      yield* until(() => off.acknowledged.flat().length >= 50)
      yield* record(things(5, 50), Micros.MINUTE)
      yield* until(() => off.acknowledged.flat().length >= 55)
      assert.deepStrictEqual(off.acknowledged.flat(), actions(55))
      assert.lengthOf(well.acknowledged.flat(), 50)
      yield* Fiber.interrupt(running)
      const held = yield* Effect.flatMap(Consumers, ({ hold }) =>
        hold(consumer("str_dead"), { holder: "another", at: 0, until: 1 })
      )
      assert.isTrue(Option.isSome(held), "whoever is interrupted lets go")
    }).pipe(Effect.scoped, Effect.provide(patientWorker))
  )

  test(
    "the log has a line when a stream begins to fail and one when it works again, also across a restart",
    Effect.gen(function* () {
      const { lines, layer } = logLines()
      let code = 503
      const { stream } = yield* toServer((request, response, raw) =>
        status(code, {}, "busy\nnow")(request, response, raw)
      )
      yield* record(things(1))
      const tryAgain = Effect.gen(function* () {
        yield* TestClock.adjust("10 minutes")
        return yield* (yield* open(stream)).turn
      }).pipe(Effect.scoped, Effect.provide(layer))
      for (let count = 0; count < 3; count++) assert.strictEqual((yield* tryAgain)._tag, "Failed")
      code = 200
      assert.strictEqual((yield* tryAgain)._tag, "Moved")
      yield* record(things(1, 1), START + 60 * Micros.MINUTE)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* tryAgain)._tag, "Moved")
      assert.deepStrictEqual(lines, [
        'WARN The log stream str_1 began to fail: the destination returned 503: busy now {"workspaceId":"wsp_1"}',
        'INFO The log stream str_1 works again {"workspaceId":"wsp_1","seconds":1800}'
      ])
    })
  )

  it.live("a test does not tell an internal name that exists from one that does not", () => {
    const resolve: Resolve = (name, done) =>
      name === "wiki.internal"
        ? done(null, [{ address: "10.0.0.7", family: 4 }])
        : done(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" }), [])
    const strict = StreamWorker.layer({ folder, timeout: 2_000, mail: false }).pipe(
      Layer.provide(OutboundGuard.layer({ allow: [], http: true, resolve })),
      Layer.provideMerge(storage)
    )
    return Effect.gen(function* () {
      const { test } = yield* StreamWorker
      const errors = (destination: Record<string, unknown>, member: string) =>
        Effect.forEach(["wiki", "nowhere"], (name) =>
          Effect.gen(function* () {
            const host = `${name}.internal`
            const config = { ...destination, [member]: member === "url" ? `http://${host}/` : host }
            const { accepted, attempt } = yield* test(yield* addStream(`str_${host}_${member}`, config), {
              id: "dlv_1",
              at: 0
            })
            assert.deepInclude({ accepted, ...attempt }, { accepted: false, status: null, answer: "" })
            return attempt.error?.replaceAll(host, "NAME")
          })
        )
      for (const [wiki, nowhere] of [
        yield* errors({ type: "https" }, "url"),
        yield* errors({ type: "syslog" }, "host")
      ]) {
        assert.include(wiki, "NAME")
        assert.strictEqual(wiki, nowhere)
      }
      // The operator's log tells them apart.
      const { lines, layer } = logLines()
      yield* record(things(1))
      for (const name of ["wiki", "nowhere"]) {
        const stream = yield* addStream(name, { type: "https", url: `http://${name}.internal/` })
        yield* Effect.scoped(Effect.flatMap(open(stream), ({ turn }) => turn)).pipe(Effect.provide(layer))
      }
      assert.match(lines[0] ?? "", /wiki began to fail: not public: 10\.0\.0\.7 \(wiki\.internal: has no/)
      const management = ConsumerManagement.layer.pipe(
        Layer.provide(Layer.succeed(ManagementEvents, { record: () => Effect.die("nothing is changed") }))
      )
      const listed = Effect.provide(
        Effect.flatMap(ConsumerManagement, ({ list }) => list(WORKSPACE)),
        management
      )
      const reasons = Effect.map(listed, (all) => all.map(({ failing }) => failing?.reason ?? null))
      const told = yield* reasons
      assert.match(told.join("\n"), /^(ENOTFOUND|not public).*\n(ENOTFOUND|not public)/)
      // One that was switched off is not tried again.
      yield* Effect.flatMap(LogStreams, ({ modify }) =>
        modify(WORKSPACE, "wiki", (stream) =>
          Result.succeed({ ...stream, settings: { ...stream.settings, enabled: false } })
        )
      )
      assert.lengthOf(
        (yield* reasons).filter((reason) => reason !== null),
        1
      )
      assert.match(lines[1] ?? "", /nowhere began to fail: ENOTFOUND \(nowhere\.internal: has no/)
      const sealed = yield* test({ ...(yield* addStream("str_1", {})), sealed: "garbage" }, { id: "", at: 0 })
      assert.isNotEmpty(sealed.attempt.error)
    }).pipe(Effect.provide(strict))
  })
})
