import { rmSync } from "node:fs"
import { join } from "node:path"
import { TURN_SIZE } from "@cairn/core/encoding"
import { GROUP_FRAMES, searchTerm } from "@cairn/core/log"
import { appendFrame, frameRows, searchFrames } from "@cairn/storage-sql"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { afterAll } from "vitest"
import { MIGRATIONS, migrate } from "../src/Migrations.ts"
import { make } from "../src/SqliteClient.ts"
import { disturbed } from "./DisturbedFrames.ts"

const folder = quickFolder("cairn-frame-search-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ALL = { from: 1, to: Number.MAX_SAFE_INTEGER }
const TERM = searchTerm("needle")
const neverRead = () => Effect.die(new Error("no frame is damaged"))
/** The text of an event: one field, and its end. */
const TEXT = Uint8Array.from([...new TextEncoder().encode("a needle"), 0xff])

const openIndex = Effect.gen(function* () {
  const search = yield* make({ filename: join(folder, "search.db") })
  yield* migrate(search, MIGRATIONS.search)
  const store = frameRows(search)
  /** Appends a frame of one event. */
  const grow = Effect.fnUntraced(function* (workspace: number) {
    const position = yield* store.position(workspace)
    const sequence = position.frames + 1
    yield* appendFrame(store, workspace, position, sequence, [{ sequence, text: TEXT }])
    yield* search`
      INSERT INTO search_position (workspace, sequence, frames) VALUES (${workspace}, ${sequence}, ${sequence})
      ON CONFLICT DO UPDATE SET sequence = excluded.sequence, frames = excluded.frames`
  })
  return { search, store, grow: (workspace: number) => search.withTransaction(grow(workspace)) }
}).pipe(Effect.provide(Reactivity.layer))

describe("a search of frames", () => {
  it.live("finds all that was there before it, whenever a group is completed meanwhile", () =>
    Effect.gen(function* () {
      const { store, grow } = yield* openIndex
      const frames = GROUP_FRAMES - 1
      let [at, calls] = [0, 1]
      for (; at < calls; at++) {
        const workspace = at + 1
        for (let frame = 0; frame < frames; frame++) yield* grow(workspace)
        const watched = disturbed(store, { workspace, at, disturb: grow(workspace) })
        const found: Array<number> = []
        yield* searchFrames(
          { store: watched.reads, workspace, range: ALL, term: TERM },
          { take: (sequences) => Effect.sync(() => found.push(...sequences) > 0), read: neverRead }
        )
        assert.deepStrictEqual(
          found.filter((sequence) => sequence <= frames),
          Array.from({ length: frames }, (_, index) => frames - index),
          `a frame was appended before read ${at}`
        )
        calls = watched.calls()
      }
      assert.isAbove(at, 3)
    }).pipe(Effect.scoped)
  )

  it.live("of large texts leaves the event loop a turn after each", () =>
    Effect.gen(function* () {
      const { store } = yield* openIndex
      const workspace = 10_000
      const frames = 9
      const text = Uint8Array.from([...new TextEncoder().encode("needles ".repeat(TURN_SIZE / 8)), 0xff])
      for (let number = 0; number < frames; number++)
        yield* appendFrame(store, workspace, { sequence: number, frames: number }, number + 1, [
          { sequence: number + 1, text }
        ])
      const reads = { ...store, position: () => Effect.succeed({ sequence: frames, frames }) }
      let turns = 0
      const turn = () => {
        turns++
        next = setImmediate(turn)
      }
      let next = setImmediate(turn)
      const taken: Array<number> = []
      const take = (sequences: ReadonlyArray<number>) => Effect.sync(() => taken.push(...sequences) > 0)
      yield* searchFrames(
        { store: reads, workspace, range: ALL, term: TERM },
        { take, read: neverRead }
      ).pipe(Effect.ensuring(Effect.sync(() => clearImmediate(next))))
      assert.lengthOf(taken, frames)
      assert.isAtLeast(turns, frames)
    }).pipe(Effect.scoped)
  )
})
