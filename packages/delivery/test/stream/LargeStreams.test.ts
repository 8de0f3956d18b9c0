/**
 * Alerts and streams over a log of large contents: little is read at once, little is parsed in a turn, and
 * everything is sent.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AlertConsumer } from "@cairn/core/alert"
import { contentSize } from "@cairn/core/encoding"
import { EventLog, type LogEntry } from "@cairn/core/log"
import { layerAlertNotices } from "@cairn/core/outbound"
import { workPerTurn } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { afterAll } from "vitest"
import { StreamWorker } from "../../src/stream/StreamWorker.ts"
import { addStream, makeWorkspace, record, storage, things, WORKSPACE } from "../fixtures/Workspace.ts"

const folder = mkdtempSync(join(tmpdir(), "cairn-large-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const EVENTS = 60
/** Characters of an event: many small objects whose keys have escapes. */
const EVENT = 200_000
/**
 * Characters that may go through JSON in one turn: an event that is read, and written, and the like of the
 * turn before.
 */
const MOST_IN_A_TURN = 8 * EVENT

/** The log, which notes how much each of its reads brought. */
const reads: Array<number> = []
const counted = Layer.effect(
  EventLog,
  Effect.map(EventLog, (log) =>
    EventLog.of({
      ...log,
      entries: (workspaceId, from, limit) =>
        Effect.tap(log.entries(workspaceId, from, limit), (entries: ReadonlyArray<LogEntry>) =>
          Effect.sync(() => reads.push(entries.reduce((sum, entry) => sum + contentSize(entry), 0)))
        )
    })
  )
)

const services = Layer.mergeAll(
  AlertConsumer.layer().pipe(Layer.provide(layerAlertNotices({ mail: false }))),
  StreamWorker.layer({ folder, timeout: 2_000, mail: false })
).pipe(Layer.provideMerge(counted), Layer.provideMerge(storage))

const fill = Effect.gen(function* () {
  reads.length = 0
  yield* makeWorkspace
  const metadata = { a: Array.from({ length: 3_500 }, () => ({ "\n": {} })) }
  const targets = Array.from({ length: 4 }, () => ({ type: "t", metadata }))
  for (let from = 0; from < EVENTS; from += 10) {
    yield* record(things(10, from).map((thing) => ({ ...thing, targets })))
  }
})

const boundedReads = () => {
  assert.isAbove(reads.length, EVENTS / 20)
  assert.isBelow(Math.max(...reads), 2_500_000)
}

const test = <A, E>(says: string, effect: Effect.Effect<A, E, Layer.Success<typeof services>>): void =>
  it.live(says, () => Effect.provide(effect, services), 120_000)

describe("a log of large contents", () => {
  test(
    "is sent by a stream that reads little at once and parses little in a turn",
    Effect.gen(function* () {
      yield* fill
      const path = "acme.jsonl"
      const stream = yield* addStream("str_1", { type: "file", path }, {})
      const sending = Effect.gen(function* () {
        const { turn } = yield* Effect.flatMap(StreamWorker, ({ open }) => open(stream))
        for (let came = yield* turn; came._tag === "Moved"; came = yield* turn);
      })
      const { most, all } = yield* workPerTurn(Effect.scoped(sending))
      assert.isAbove(all, 2 * EVENTS * EVENT * 0.7)
      assert.isBelow(most, MOST_IN_A_TURN)
      boundedReads()
      const lines = readFileSync(join(folder, WORKSPACE, path), "utf8")
        .trim()
        .split("\n")
      assert.deepStrictEqual(
        lines.map((line) => (JSON.parse(line) as { readonly action: string }).action),
        things(EVENTS).map(({ action }) => action)
      )
    })
  )

  test(
    "is looked at by the alerts in the same way",
    Effect.gen(function* () {
      yield* fill
      const { drain } = yield* AlertConsumer
      const { value, most } = yield* workPerTurn(drain)
      assert.strictEqual(value, EVENTS)
      assert.isBelow(most, MOST_IN_A_TURN)
      boundedReads()
    })
  )
})
