import { rmSync } from "node:fs"
import { join } from "node:path"
import { TURN_SIZE } from "@cairn/core/encoding"
import type { EventFilter } from "@cairn/core/event"
import { columnFilter, type FrameEvent, GROUP_FRAMES, searchTerm } from "@cairn/core/log"
import { appendFrame, frameRows, removeFromFrames, searchFrames } from "@cairn/storage-sql"
import { folderCopies, quickFolder } from "@cairn/testing/TestFolders"
import { firstOf } from "@cairn/testing/TrialCases"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { afterAll } from "vitest"
import { migrate } from "../src/Migrations.ts"
import { make } from "../src/SqliteClient.ts"
import { disturbed } from "./DisturbedFrames.ts"

const folder = quickFolder("cairn-frame-search-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ALL = { from: 1, to: Number.MAX_SAFE_INTEGER }
const neverRead = () => Effect.die(new Error("no frame is damaged"))

/** An event with one field of text. */
const eventOf = (sequence: number, text = "a needle"): FrameEvent => ({
  sequence,
  createdAt: sequence,
  occurredAt: sequence,
  columns: {
    action: "document.read",
    actorId: "ada",
    resourceType: null,
    resourceId: null,
    tenantId: sequence % 2 === 0 ? "even" : "odd",
    sessionId: null,
    actionCategory: sequence % 3 === 0 ? "third" : null,
    ipCountry: null,
    resourceName: `Folder ${sequence % 5}`,
    actorName: "Ada Lovelace",
    targets: [{ type: "folder", id: "f", name: null }]
  },
  text: Uint8Array.from([...new TextEncoder().encode(text), 0xff])
})

/** What is asked of frames: a term, values, or both; and whether an event of a sequence has them. */
const questions: ReadonlyArray<readonly [filter: EventFilter, has: (sequence: number) => boolean]> = [
  [{ search: "needle" }, () => true],
  [{ action: "document.*", targetType: "folder", targetId: "f" }, () => true],
  [{ actorId: "ada", tenantId: "odd" }, (sequence) => sequence % 2 === 1],
  [{ search: "NEEDLE", tenantId: "odd" }, (sequence) => sequence % 2 === 1],
  [{ search: ["needle", "a", "a n"], action: ["*.read", "*.read", "x"] }, () => true],
  [
    { resourceName: ["Folder 1", "Folder 4"], category: ["third", "x"] },
    (sequence) => [1, 4].includes(sequence % 5) && sequence % 3 === 0
  ]
]

/** An index in a file, which is made if it is not there. */
const openFile = Effect.fnUntraced(function* (filename: string) {
  const search = yield* make({ filename })
  yield* migrate(search, "search")
  const store = frameRows(search)
  /** The log has nothing that is not in a frame, and no frame is damaged. */
  const writer = (workspace: number) => ({ store, workspace, readContents: () => Effect.succeed([]) })
  /** Appends a frame of one event. */
  const grow = Effect.fnUntraced(function* (workspace: number) {
    const position = yield* store.position(workspace)
    const sequence = position.frames + 1
    yield* appendFrame(writer(workspace), position, sequence, [eventOf(sequence)])
    yield* search`
      INSERT INTO search_position (workspace, sequence, frames) VALUES (${workspace}, ${sequence}, ${sequence})
      ON CONFLICT DO UPDATE SET sequence = excluded.sequence, frames = excluded.frames`
  })
  return {
    store,
    search,
    grow: (workspace: number, frames = 1) =>
      search.withTransaction(Effect.repeat(grow(workspace), { times: frames - 1 })),
    remove: (workspace: number, sequences: ReadonlyArray<number>) =>
      search.withTransaction(removeFromFrames(writer(workspace), sequences))
  }
}, Effect.provide(Reactivity.layer))

/** Frames of an event each that logs have before something happens. */
const LENGTHS = [GROUP_FRAMES - 1, 2 * GROUP_FRAMES + 3]

/** The log in the file that is copied which has so many frames. */
const modelOf = (frames: number) => 1_000_000 + frames

const copyModels = folderCopies((original) =>
  openFile(join(original, "search.db")).pipe(
    Effect.flatMap(({ grow }) => Effect.forEach(LENGTHS, (frames) => grow(modelOf(frames), frames))),
    Effect.scoped,
    Effect.asVoid,
    Effect.runPromise
  )
)

let files = 0

/** An index of its own, with logs of {@link LENGTHS} to copy. */
const openIndex = Effect.gen(function* () {
  const place = join(folder, `${files++}`)
  yield* Effect.promise(() => copyModels(place))
  return yield* openFile(join(place, "search.db"))
})

type Index = Effect.Success<typeof openIndex>

/** Gives a log so many frames of an event each, which {@link LENGTHS} has: those of the model. */
const fill = ({ search }: Index, workspace: number, frames: number) => {
  const model = modelOf(frames)
  return search.withTransaction(
    Effect.all([
      search`INSERT INTO search_frame (workspace, number, first, since, earliest, latest, layout, texts, columns,
          signature)
        SELECT ${workspace}, number, first, since, earliest, latest, layout, texts, columns, signature
        FROM search_frame WHERE workspace = ${model}`,
      search`INSERT INTO search_part (workspace, frame_group, part, cells)
        SELECT ${workspace}, frame_group, part, cells FROM search_part WHERE workspace = ${model}`,
      search`INSERT INTO search_posting (workspace, number, frame_group, blob)
        SELECT ${workspace}, number, frame_group, blob FROM search_posting WHERE workspace = ${model}`,
      search`INSERT INTO search_order (workspace, frame_group, first, last, earliest, latest, events, blob)
        SELECT ${workspace}, frame_group, first, last, earliest, latest, events, blob
        FROM search_order WHERE workspace = ${model}`,
      search`INSERT INTO search_position (workspace, sequence, frames)
        SELECT ${workspace}, sequence, frames FROM search_position WHERE workspace = ${model}`
    ])
  )
}

/** Something that happens to an index while it is asked. */
interface Meanwhile {
  readonly what: string
  /** Frames of an event each that are there before. */
  readonly frames: number
  readonly happens: (index: Index, workspace: number) => Effect.Effect<unknown, unknown>
  /** Sequences that may be found or not. */
  readonly touched: (sequence: number) => boolean
}

const meanwhile: ReadonlyArray<Meanwhile> = [
  {
    what: "a group is completed",
    frames: GROUP_FRAMES - 1,
    happens: ({ grow }, workspace) => grow(workspace),
    touched: (sequence) => sequence >= GROUP_FRAMES
  },
  {
    what: "a frame is removed",
    frames: GROUP_FRAMES - 1,
    happens: ({ remove }, workspace) => remove(workspace, [5, GROUP_FRAMES - 2]),
    touched: (sequence) => sequence === 5 || sequence === GROUP_FRAMES - 2
  },
  {
    what: "a group is completed, and a frame of it removed,",
    frames: GROUP_FRAMES - 1,
    happens: ({ grow, remove }, workspace) => Effect.andThen(grow(workspace), remove(workspace, [7])),
    touched: (sequence) => sequence === 7 || sequence >= GROUP_FRAMES
  },
  {
    what: "frames of complete groups are removed",
    frames: 2 * GROUP_FRAMES + 3,
    happens: ({ remove }, workspace) => remove(workspace, [1, 9, GROUP_FRAMES, GROUP_FRAMES + 1]),
    touched: (sequence) => [1, 9, GROUP_FRAMES, GROUP_FRAMES + 1].includes(sequence)
  }
]

describe("what is asked of frames", { timeout: 120_000 }, () => {
  for (const { what, frames, happens, touched } of meanwhile)
    for (const [filter, has] of firstOf(1, questions))
      it.live(`finds all that stays there, whenever ${what} meanwhile: ${JSON.stringify(filter)}`, () =>
        Effect.gen(function* () {
          const index = yield* openIndex
          const always = Array.from({ length: frames }, (_, at) => frames - at).filter(has)
          let [at, calls] = [0, 1]
          for (; at < calls; at++) {
            const workspace = at + 1
            yield* fill(index, workspace, frames)
            const watched = disturbed(index.store, { workspace, at, disturb: happens(index, workspace) })
            const { frames: written } = yield* watched.reads.position(workspace)
            const found: Array<number> = []
            let count = 0
            yield* searchFrames(
              {
                store: watched.reads,
                workspace,
                range: ALL,
                written,
                filter: columnFilter(filter),
                term: filter.search === undefined ? undefined : searchTerm(filter.search)
              },
              {
                take: Effect.fnUntraced(function* (some) {
                  count += some.count
                  found.push(...(yield* some.sequences))
                  return true
                }),
                read: neverRead
              }
            )
            const when = `${what} before read ${at}`
            const stays = (sequence: number) => !touched(sequence)
            assert.deepStrictEqual(found.filter(stays), always.filter(stays), when)
            assert.isTrue(found.every(has), when)
            assert.isAtLeast(count, always.filter(stays).length, when)
            const most = Math.max(always.length, found.length)
            assert.isAtMost(count, most, when)
            calls = watched.calls()
          }
          assert.isAtLeast(at, 3)
        }).pipe(Effect.scoped)
      )

  it.live("of large texts leaves the event loop a turn after each", () =>
    Effect.gen(function* () {
      const { store } = yield* openIndex
      const workspace = 10_000
      const frames = 9
      const writer = { store, workspace, readContents: () => Effect.succeed([]) }
      for (let number = 0; number < frames; number++)
        yield* appendFrame(writer, { sequence: number, frames: number }, number + 1, [
          eventOf(number + 1, "needles ".repeat(TURN_SIZE / 8))
        ])
      let turns = 0
      const turn = () => {
        turns++
        next = setImmediate(turn)
      }
      let next = setImmediate(turn)
      let taken = 0
      const query = {
        store,
        workspace,
        range: ALL,
        written: frames,
        filter: columnFilter({}),
        term: searchTerm("needle")
      }
      yield* searchFrames(query, {
        take: ({ count }) =>
          Effect.sync(() => {
            taken += count
            return true
          }),
        read: neverRead
      }).pipe(Effect.ensuring(Effect.sync(() => clearImmediate(next))))
      assert.strictEqual(taken, frames)
      assert.isAtLeast(turns, frames)
    }).pipe(Effect.scoped)
  )

  it.live("finds what a frame has whose signature was cut short before its group was completed", () =>
    Effect.gen(function* () {
      const { store, search, grow } = yield* openIndex
      yield* grow(1, GROUP_FRAMES - 1)
      yield* search`UPDATE search_frame SET signature = x'00' WHERE number IN (3, 40)`
      yield* grow(1)
      const found: Array<number> = []
      yield* searchFrames(
        {
          store,
          workspace: 1,
          range: ALL,
          written: GROUP_FRAMES,
          filter: columnFilter({}),
          term: searchTerm("needle")
        },
        {
          take: ({ sequences }) => Effect.map(sequences, (some) => found.push(...some) > 0),
          read: neverRead
        }
      )
      assert.lengthOf(found, GROUP_FRAMES)
    }).pipe(Effect.scoped)
  )
})
