/**
 * Checkpoints in log streams: after the events that they cover, each once it was signed, none lost to an
 * outage.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Checkpoints } from "@cairn/core/checkpoint"
import { Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { type StoredLogStream, streamConsumer, streamStanding } from "@cairn/core/outbound"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { afterAll } from "vitest"
import type { OpenStream } from "../../src/stream/OpenStream.ts"
import { StreamWorker } from "../../src/stream/StreamWorker.ts"
import { addStream, makeWorkspace, record, storage, things, WORKSPACE } from "../fixtures/Workspace.ts"
import { startWebServer } from "../peers/WebServer.ts"

const folder = mkdtempSync(join(tmpdir(), "cairn-checkpoints-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const worker = StreamWorker.layer({ folder, timeout: 2_000, mail: true }).pipe(Layer.provideMerge(storage))
type Services = Layer.Success<typeof worker>

const START = 60 * Micros.MINUTE

const test = <A, E>(says: string, effect: Effect.Effect<A, E, Services | Scope.Scope>): void =>
  it.effect(says, () =>
    Effect.all([TestClock.setTime(START / 1_000), makeWorkspace]).pipe(
      Effect.andThen(effect),
      Effect.provide(worker)
    )
  )

const open = (stream: StoredLogStream) => Effect.flatMap(StreamWorker, (streams) => streams.open(stream))

/** Turns until there is nothing to send. */
const drain = Effect.fnUntraced(function* ({ turn }: OpenStream) {
  let last = yield* turn
  while (last._tag === "Moved") last = yield* turn
  return last
})

/** A checkpoint of this many events is signed. */
const sign = (size: number) =>
  Effect.flatMap(Checkpoints, ({ publish }) =>
    publish(WORKSPACE, {
      size,
      root: String(size % 10).repeat(64),
      note: `cairn/wsp_1\n${size}\nAAAA\n\n— key signature\n`,
      signedAt: START + size
    })
  )

/** Long enough for a stream to look again, and for a destination that failed to be tried again. */
const later = TestClock.adjust("10 minutes")

/** What a line of the format `cairn` is: the number of an event's action, or the size of a checkpoint. */
const nameOf = (line: string): string => {
  const value = JSON.parse(line) as {
    readonly type?: string
    readonly size?: number
    readonly action?: string
  }
  return value.type === "checkpoint" ? `checkpoint ${value.size}` : String(value.action)
}

const actions = (count: number, from = 0): ReadonlyArray<string> =>
  things(count, from).map(({ action }) => action)

/** A stream by HTTP, what it has acknowledged, and whether it refuses checkpoints, or all. */
const toServer = Effect.fnUntraced(function* (
  settings: Partial<StoredLogStream["settings"]> = {},
  id = "str_1"
) {
  const acknowledged: Array<string> = []
  const refuses = { checkpoints: false, all: false }
  const server = yield* startWebServer((request, response) => {
    const lines = request.body.toString("utf8").trim().split("\n").map(nameOf)
    const isCheckpoint = request.headers["x-cairn-checkpoint-size"] !== undefined
    const refused = refuses.all || (refuses.checkpoints && isCheckpoint)
    if (!refused) acknowledged.push(...lines)
    response.writeHead(refused ? 400 : 200).end()
  })
  const destination = { type: "https", url: `http://127.0.0.1:${server.port}/`, body: "ndjson" }
  return { stream: yield* addStream(id, destination, settings), acknowledged, refuses }
})

describe("checkpoints in a log stream", () => {
  test(
    "come after the events that they cover, and before those that come later",
    Effect.gen(function* () {
      const { stream, acknowledged } = yield* toServer()
      yield* record(things(3))
      const opened = yield* open(stream)
      yield* drain(opened)
      yield* sign(3)
      yield* later
      yield* drain(opened)
      yield* record(things(2, 3), START)
      yield* drain(opened)
      assert.deepStrictEqual(acknowledged, [...actions(3), "checkpoint 3", ...actions(2, 3)])
      assert.deepInclude(yield* streamStanding(stream), { checkpointSize: 3, sequence: 5, status: "healthy" })
    })
  )

  test(
    "wait until the stream has come so far",
    Effect.gen(function* () {
      const { stream, acknowledged } = yield* toServer({ batch_events: 2, batch_seconds: 0 })
      yield* record(things(6))
      yield* sign(4)
      yield* sign(6)
      const opened = yield* open(stream)
      for (let turns = 0; turns < 8; turns++) {
        yield* opened.turn
        yield* later
      }
      const order = [...actions(4), "checkpoint 4", ...actions(2, 4), "checkpoint 6"]
      assert.deepStrictEqual(acknowledged, order)
    })
  )

  test(
    "that were signed while the destination was down are all sent, in their order",
    Effect.gen(function* () {
      const { stream, acknowledged, refuses } = yield* toServer()
      refuses.all = true
      for (let number = 1; number <= 5; number++) {
        yield* record(things(1, number - 1), START)
        yield* sign(number)
        const opened = yield* open(stream)
        yield* drain(opened)
        yield* later
      }
      assert.deepStrictEqual(acknowledged, [])
      refuses.all = false
      yield* drain(yield* open(stream))
      yield* later
      yield* drain(yield* open(stream))
      assert.sameMembers(acknowledged, [
        ...actions(5),
        ...[1, 2, 3, 4, 5].map((size) => `checkpoint ${size}`)
      ])
      const sizes = acknowledged.filter((name) => name.startsWith("checkpoint"))
      assert.deepStrictEqual(
        sizes,
        [1, 2, 3, 4, 5].map((size) => `checkpoint ${size}`)
      )
    })
  )

  test(
    "that a destination does not take hold up no event, show in the stream's error, and are tried again",
    Effect.gen(function* () {
      const { stream, acknowledged, refuses } = yield* toServer()
      refuses.checkpoints = true
      yield* record(things(2))
      yield* sign(2)
      const opened = yield* open(stream)
      yield* drain(opened)
      yield* later
      yield* drain(opened)
      yield* record(things(2, 2), START)
      yield* later
      yield* drain(opened)
      assert.deepStrictEqual(acknowledged, actions(4))
      const standing = yield* streamStanding(stream)
      assert.deepInclude(standing, { status: "healthy", lag: 0, checkpointSize: 0 })
      assert.match(standing.lastError ?? "", /^a checkpoint was not accepted: .*400/)
      refuses.checkpoints = false
      yield* later
      yield* drain(opened)
      assert.strictEqual(acknowledged.at(-1), "checkpoint 2")
      assert.isNull((yield* streamStanding(stream)).lastError)
    })
  )

  test(
    "are sent once by two processes, and again by none",
    Effect.gen(function* () {
      const { stream, acknowledged } = yield* toServer()
      yield* record(things(2))
      yield* sign(2)
      const processes = [yield* open(stream), yield* open(stream)]
      for (let turns = 0; turns < 6; turns++) {
        yield* Effect.all(processes.map(drain), { concurrency: "unbounded" })
        yield* later
      }
      assert.deepStrictEqual(acknowledged, [...actions(2), "checkpoint 2"])
    })
  )

  test(
    "begin with those that are signed after the stream does, are not a tenant's, and can be switched",
    Effect.gen(function* () {
      yield* record(things(4))
      yield* sign(2)
      const all = yield* toServer({}, "str_all")
      const late = yield* toServer({}, "str_late")
      const tenant = yield* toServer({ tenant_id: "tenant" }, "str_tenant")
      const asked = yield* toServer({ tenant_id: "tenant", checkpoints: true }, "str_asked")
      const off = yield* toServer({ checkpoints: false }, "str_off")
      const lateStream = { ...late.stream, after: 4 }
      const streams = [all.stream, lateStream, tenant.stream, asked.stream, off.stream]
      const opened = yield* Effect.forEach(streams, open)
      for (let turns = 0; turns < 4; turns++) {
        yield* Effect.forEach(opened, drain)
        yield* later
      }
      yield* sign(4)
      yield* record(things(1, 4), START)
      yield* sign(5)
      for (let turns = 0; turns < 4; turns++) {
        yield* Effect.forEach(opened, drain)
        yield* later
      }
      const sizesOf = ({ acknowledged }: typeof all) =>
        acknowledged.filter((name) => name.startsWith("checkpoint")).map((name) => name.slice(11))
      assert.deepStrictEqual(sizesOf(all), ["2", "4", "5"])
      assert.deepStrictEqual(sizesOf(late), ["5"])
      assert.deepStrictEqual(sizesOf(tenant), [])
      assert.deepStrictEqual(sizesOf(asked), ["2", "4", "5"])
      assert.deepStrictEqual(sizesOf(off), [])
    })
  )

  test(
    "are not sent by a stream that is paused",
    Effect.gen(function* () {
      const { stream, acknowledged } = yield* toServer()
      const opened = yield* open(stream)
      yield* record(things(1))
      yield* drain(opened)
      const { pause, resume } = yield* Consumers
      const key = { workspaceId: WORKSPACE, consumer: streamConsumer(stream.id) }
      yield* pause(key, START)
      yield* sign(1)
      yield* later
      yield* drain(opened)
      assert.deepStrictEqual(acknowledged, actions(1))
      yield* resume(key, START)
      yield* later
      yield* drain(opened)
      assert.deepStrictEqual(acknowledged, [...actions(1), "checkpoint 1"])
    })
  )

  test(
    "are a line of a file, by the stream's format",
    Effect.gen(function* () {
      for (const format of ["cairn", "ocsf", "cloudevents", "cef"] as const) {
        const path = `${format}.log`
        const stream = yield* addStream(`str_${format}`, { type: "file", path }, { format })
        yield* record(things(1, 0), START)
        yield* sign(1)
        const opened = yield* open(stream)
        yield* drain(opened)
        yield* later
        yield* drain(opened)
        const lines = readFileSync(join(folder, WORKSPACE, path), "utf8")
          .trimEnd()
          .split("\n")
        const checkpoint = lines.find((line) => line.includes("key signature")) ?? assert.fail(format)
        if (format === "cef") {
          assert.match(checkpoint, /^CEF:0\|Cairn\|Cairn\|1\|cairn\.checkpoint\|.* cn1=1 cs1Label=origin/)
          continue
        }
        const value = JSON.parse(checkpoint)
        const told = { origin: "cairn/wsp_1", size: 1 }
        if (format === "cairn") assert.deepInclude(value, { type: "checkpoint", ...told })
        else if (format === "cloudevents") {
          assert.strictEqual(value.type, "cairn.checkpoint")
          assert.deepInclude(value.data, told)
        } else {
          assert.deepInclude(value, { class_uid: 0, type_uid: 99, activity_id: 99 })
          assert.deepInclude(value.unmapped, told)
        }
      }
    })
  )
})
