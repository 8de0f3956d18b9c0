import { rmSync } from "node:fs"
import { join } from "node:path"
import { Micros } from "@cairn/core/encoding"
import { type EventFilter, GeoIp } from "@cairn/core/event"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import {
  Acceptance,
  ClockGuard,
  EventLog,
  FacetMillis,
  GROUP_FRAMES,
  SearchIndexer,
  Sequencer
} from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import {
  type EventIndexShape,
  eventsOverFrames,
  FacetCache,
  FrameEvents,
  frameRows,
  KeptTails
} from "@cairn/storage-sql"
import { SqliteStorage, siblingFile } from "@cairn/storage-sqlite"
import { newWorkspace } from "@cairn/testing"
import { folderCopies, quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { Reactivity } from "effect/reactivity"
import { afterAll } from "vitest"
import { newestRows } from "../src/NewestRows.ts"
import { make } from "../src/SqliteClient.ts"
import { disturbed } from "./DisturbedFrames.ts"

const folder = quickFolder("cairn-disturbed-occurrences-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Events of a frame, and of a group that is complete. */
const FRAME = 2
const GROUP = FRAME * GROUP_FRAMES

const cairnOn = (filename: string) =>
  Layer.mergeAll(Acceptance.layer, Sequencer.layer).pipe(
    Layer.provide(GeoIp.layerNowhere),
    Layer.provideMerge(ClockGuard.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        SqliteStorage.layer({ filename }).pipe(Layer.provide(Layer.succeed(FrameEvents, FRAME))),
        Sha256.layer,
        Randomness.layer
      )
    )
  )

type Ports = Layer.Success<ReturnType<typeof cairnOn>>

const ALL = { from: 1, to: Number.MAX_SAFE_INTEGER }

/** 2024-05-01T12:00:00Z */
const NOON: Micros.Micros = 1_714_564_800_000_000

/** When an event occurred: those of each group and of each frame are spread over all times. */
const occurrenceOf = (sequence: number): Micros.Micros => NOON + ((sequence * 377) % 1_009) * Micros.MINUTE

const isAdas = (sequence: number): boolean => sequence % 3 === 0

/** Accepts, sequences and indexes the events after a sequence, up to another. */
const grow = Effect.fnUntraced(function* (workspaceId: string, after: number, to: number) {
  const { batch } = yield* Acceptance
  for (let first = after + 1; first <= to; first += 100) {
    const events = Array.from({ length: Math.min(100, to - first + 1) }, (_, at) => ({
      actor_id: isAdas(first + at) ? "ada" : "bob",
      action: "document.read",
      occurred_at: Micros.format(occurrenceOf(first + at))
    }))
    yield* batch({ workspaceId, clientAddress: null, keysExpireBefore: null }, { events })
  }
  yield* (yield* Sequencer).drain
  const { advance } = yield* SearchIndexer
  yield* Effect.repeat(advance, { while: (count) => count > 0 })
})

const remove = Effect.fnUntraced(function* (workspaceId: string, sequences: ReadonlyArray<number>) {
  const rows = yield* (yield* EventLog).entries(workspaceId, 1, 1_000)
  const events = rows
    .filter(({ sequence }) => sequences.includes(sequence))
    .map(({ sequence, id, content, contentHash }) => ({
      sequence,
      id,
      content: content ?? "",
      contentHash: contentHash ?? ""
    }))
  assert.lengthOf(events, sequences.length)
  yield* (yield* ContentRemoval).remove(workspaceId, events, null)
})

/** The index of a log of which one read is disturbed, and how many reads there were. */
const indexBeside = Effect.fnUntraced(function* (
  filename: string,
  at: number,
  disturb: Effect.Effect<void, unknown>
) {
  const log = yield* make({ filename, readonly: true })
  const search = yield* make({ filename: siblingFile(filename, "search"), readonly: true })
  const workspace = 1
  const { reads, calls } = disturbed(frameRows(search), { workspace, at, disturb })
  return {
    workspace,
    calls,
    index: eventsOverFrames({
      sql: log,
      store: reads,
      readNewest: newestRows(log),
      cache: new FacetCache(0),
      tails: new KeptTails(0)
    })
  }
})

/** Reads of a question that are disturbed, spread over all of them. */
const MOST_READS = 12

/** Something that happens to an index while it is asked. */
interface Meanwhile {
  readonly what: string
  /** Events that are there before. */
  readonly events: number
  readonly happens: (workspaceId: string) => Effect.Effect<void, unknown, Ports>
  /** Sequences that may be found or not. */
  readonly touched: ReadonlyArray<number>
}

const NEW = [GROUP, GROUP + 1, GROUP + 2]
const REMOVED = [1, 2, 3, GROUP - 1, GROUP, GROUP + 1, 2 * GROUP + 3]

const meanwhile: ReadonlyArray<Meanwhile> = [
  {
    what: "a group is completed",
    events: GROUP - 1,
    happens: (id) => grow(id, GROUP - 1, GROUP + 2),
    touched: NEW
  },
  {
    what: "a group is completed, and events of it removed,",
    events: GROUP - 1,
    happens: (id) => Effect.andThen(grow(id, GROUP - 1, GROUP + 2), remove(id, [5, 6, 9])),
    touched: [5, 6, 9, ...NEW]
  },
  {
    what: "events are removed",
    events: 2 * GROUP + 5,
    happens: (id) => remove(id, REMOVED),
    touched: REMOVED
  }
]

/** What was found: places, or only how many events. */
type Answer = { readonly sequences: ReadonlyArray<number> } | { readonly count: number }

type Index = Omit<EventIndexShape, "advance">

/** What is asked. */
interface Question {
  readonly what: string
  readonly filter: EventFilter
  readonly first: "newest" | "oldest"
  readonly most: number
  readonly ask: (index: Index, workspace: number) => Effect.Effect<Answer, unknown>
}

const places = (first: Question["first"], filter: EventFilter, most: number): Question => ({
  what: `the ${most} ${first} of ${JSON.stringify(filter)}`,
  filter,
  first,
  most,
  ask: (index, workspace) =>
    index
      .occurrences(workspace, { filter, range: ALL, first, beyond: null, limit: most })
      .pipe(Effect.map((found) => ({ sequences: found.map(({ sequence }) => sequence) })))
})

const counts = (filter: EventFilter, bucket: Micros.Micros | null): Question => ({
  what: `the counts of ${JSON.stringify(filter)} by ${bucket}`,
  filter,
  first: "newest",
  most: Number.POSITIVE_INFINITY,
  ask: (index, workspace) =>
    index
      .occurrenceCounts(workspace, { filter, range: ALL, bucket })
      .pipe(Effect.map((found) => ({ count: [...found.values()].reduce((sum, count) => sum + count, 0) })))
})

const questions: ReadonlyArray<Question> = [
  places("newest", {}, 1_000),
  places("oldest", { actorId: "ada" }, 7),
  counts({ actorId: "ada" }, 100 * Micros.MINUTE),
  {
    what: "the values of the newest",
    filter: {},
    first: "newest",
    most: 1_000,
    ask: (index, workspace) =>
      index
        .occurrenceFacets(workspace, { filter: {}, range: ALL, field: "actor", prefix: "", most: 1_000 })
        .pipe(
          Effect.provideService(FacetMillis, Number.POSITIVE_INFINITY),
          Effect.map(({ values }) => ({ count: values.reduce((sum, { count }) => sum + count, 0) }))
        )
  }
]

/** The sequences that a question is for, in its order. */
const sorted = ({ filter, first }: Question, events: number): ReadonlyArray<number> =>
  Array.from({ length: events }, (_, at) => at + 1)
    .filter((sequence) => filter.actorId === undefined || isAdas(sequence))
    .sort((one, other) => (first === "oldest" ? 1 : -1) * (occurrenceOf(one) - occurrenceOf(other)))

/** What is told meanwhile. */
const lines: Array<string> = []
const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])

/** Copies of a database whose first workspace has so many events, and that workspace's id. */
const logsOf = (events: number) => {
  let workspaceId = ""
  const copy = folderCopies((original) =>
    Effect.gen(function* () {
      workspaceId = yield* newWorkspace
      yield* grow(workspaceId, 0, events)
    }).pipe(Effect.provide(cairnOn(join(original, "cairn.db"))), Effect.runPromise)
  )
  let copies = 0
  return async () => {
    const place = join(folder, `${events}-${copies++}`)
    await copy(place)
    return { filename: join(place, "cairn.db"), workspaceId }
  }
}

const logs = new Map(meanwhile.map(({ events }) => [events, logsOf(events)]))

/** What a question that is disturbed in one of its reads is answered, and how many reads it has. */
const askBeside = Effect.fnUntraced(
  function* ({ events, happens }: Meanwhile, { ask }: Question, at: number) {
    const copyLog = logs.get(events) ?? assert.fail("no such log")
    const { filename, workspaceId } = yield* Effect.promise(copyLog)
    return yield* Effect.gen(function* () {
      const context = yield* Effect.context<Ports>()
      const disturb = Effect.provide(happens(workspaceId), context)
      const { index, workspace, calls } = yield* indexBeside(filename, at, disturb)
      const answer = yield* ask(index, workspace)
      return { answer, reads: calls() }
    }).pipe(Effect.provide(cairnOn(filename)))
  },
  Effect.scoped,
  Effect.provide([Reactivity.layer, logger])
)

describe("what is asked of the order of occurrence", { timeout: 120_000 }, () => {
  for (const happening of meanwhile)
    for (const question of questions)
      it.live(
        `is all that stays, and nothing twice, whenever ${happening.what} meanwhile: ${question.what}`,
        () =>
          Effect.gen(function* () {
            const { what, events, touched } = happening
            const all = sorted(question, events)
            const stays = (sequence: number) => !touched.includes(sequence)
            const left = all.filter(stays)
            let [asked, reads] = [0, 1]
            for (let at = 0; at < reads; at += Math.ceil(reads / MOST_READS)) {
              const { answer, reads: made } = yield* askBeside(happening, question, at)
              const when = `${what} before read ${at}`
              if ("sequences" in answer) {
                const { sequences } = answer
                const found = sequences.filter(stays)
                assert.deepStrictEqual(found, left.slice(0, found.length), when)
                assert.strictEqual(new Set(sequences).size, sequences.length, when)
                assert.isAtLeast(sequences.length, Math.min(question.most, left.length), when)
              } else {
                assert.isAtLeast(answer.count, left.length, when)
                assert.isAtMost(answer.count, left.length + touched.length, when)
              }
              assert.deepStrictEqual(
                lines.filter((line) => line.includes("damaged")),
                [],
                when
              )
              reads = made
              asked++
            }
            assert.isAtLeast(asked, 4)
          })
      )
})
