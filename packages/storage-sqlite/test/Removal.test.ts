import { readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { EventLog, GROUP_FRAMES, SearchIndexer } from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import { FrameEvents } from "@cairn/storage-sql"
import { SqliteStorage, siblingFile } from "@cairn/storage-sqlite"
import { acceptEvents, makeWorkspace, removalContract, sequenceAll, useCases } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { afterAll } from "vitest"
import { assertExactIndex } from "./ExactIndex.ts"
import { framesNow, framesWith } from "./FramesWith.ts"

const folder = quickFolder("cairn-removal-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let databases = 0

/**
 * Every file that has the text in its bytes, whatever it is in there: a row, a free page, the write-ahead
 * log.
 */
const filesWith = (filename: string, text: string): ReadonlyArray<string> =>
  readdirSync(dirname(filename)).filter((name) => readFileSync(join(dirname(filename), name)).includes(text))

removalContract("SQLite", () => {
  const filename = join(folder, `${databases++}`, "cairn.db")
  const layer = SqliteStorage.layer({ filename }).pipe(Layer.provide(Layer.succeed(FrameEvents, 2)))
  const index = Effect.flatMap(SearchIndexer, ({ advance }) =>
    Effect.repeat(advance, { while: (count) => count > 0 })
  ).pipe(
    // Another process's: the index is in a file.
    Effect.provide(layer),
    Effect.asVoid
  )
  const find = async (text: string): Promise<ReadonlyArray<string>> => [
    ...filesWith(filename, text),
    ...framesWith(filename, text)
  ]
  return { layer, index, find }
})

const remove = (workspaceId: string, sequences: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const { entries } = yield* EventLog
    const events = yield* Effect.forEach(sequences, (sequence) =>
      Effect.map(entries(workspaceId, sequence, 1), ([row]) => {
        const { id, content, contentHash } = row ?? assert.fail("there is no such event")
        return { sequence, id, content: content ?? "", contentHash: contentHash ?? "" }
      })
    )
    yield* (yield* ContentRemoval).remove(workspaceId, events, null)
  })

const indexAll = Effect.flatMap(SearchIndexer, ({ advance }) =>
  Effect.repeat(advance, { while: (count) => count > 0 })
)

/** Frames of two events each. */
const smallFramesIn = (filename: string) =>
  useCases<SearchIndexer | ContentRemoval>(
    SqliteStorage.layer({ filename }).pipe(Layer.provide(Layer.succeed(FrameEvents, 2)))
  )

describe("what a removal leaves in the index", () => {
  const EVENTS = 2 * (2 * GROUP_FRAMES + 6)
  const wordsOf = (index: number) => ({
    actor_id: `Äctor ${index}`,
    actor_name: `Nåme of ${index}`,
    action: `document.read_${index}.by`,
    resource: `kind-${index}`,
    resource_id: `resource-${index}`,
    resource_name: `Figures of ${index}`,
    tenant_id: `tenant-${index}`,
    session_id: `session-${index}`,
    targets: [
      { type: `type-${index}`, id: `id-${index}`, name: `Called ${index}` },
      { type: `bare-${index}` }
    ],
    metadata: { note: `a note of ${index}` },
    // Now and then.
    occurred_at: new Date(Date.UTC(2020, 0, 1) + ((index * 7_919) % 1_000) * 60_000).toISOString()
  })

  it.live("is what the log has left, to the byte, in complete groups and in the open one", () => {
    const filename = join(folder, `${databases++}`, "cairn.db")
    return Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      for (let at = 0; at < EVENTS; at += 100)
        yield* acceptEvents(
          workspaceId,
          Array.from({ length: Math.min(100, EVENTS - at) }, (_, index) => wordsOf(at + index + 1))
        )
      yield* sequenceAll
      yield* indexAll
      const frames = { complete: 2 * GROUP_FRAMES, frames: 2 * GROUP_FRAMES + 6 }
      assert.deepStrictEqual(yield* assertExactIndex(filename, 1), frames)
      const last = GROUP_FRAMES * 2
      for (const sequences of [
        // One of a frame, what is left of it, whole frames at the ends of groups, some of the open one.
        [3],
        [4],
        [1, 2, last - 1, last],
        [last + 1, last + 2, 2 * last],
        [2 * last + 1, 2 * last + 4],
        [2 * last + 2, EVENTS - 1, EVENTS],
        // A whole group.
        Array.from({ length: last }, (_, at) => last + at + 1).filter(
          (sequence) => ![last + 1, last + 2, 2 * last].includes(sequence)
        )
      ]) {
        const texts = sequences.flatMap((sequence) => {
          const { targets, metadata, occurred_at: _, ...others } = wordsOf(sequence)
          return [...Object.values(others), ...targets.flatMap((target) => Object.values(target))]
        })
        const some = texts.slice(0, 48)
        const having = framesNow(filename)
        for (const text of some) assert.isNotEmpty(having(`${text}`), text)
        yield* remove(workspaceId, sequences)
        yield* assertExactIndex(filename, 1)
      }
    }).pipe(Effect.provide(smallFramesIn(filename)))
  })
})

describe("a removal that the index missed, as its process was killed between two commits", () => {
  const change = (filename: string, statements: string) => {
    const db = new DatabaseSync(siblingFile(filename, "search"))
    db.exec(statements)
    db.close()
  }
  const others = {
    "the next removal": (workspaceId: string) => remove(workspaceId, [3]),
    "what ends removals": () => Effect.flatMap(ContentRemoval, ({ scrub }) => scrub)
  }
  for (const [which, other] of Object.entries(others)) {
    it.live(`is made good by ${which}, of a process that went on`, () => {
      const filename = join(folder, `${databases++}`, "cairn.db")
      return Effect.gen(function* () {
        const workspaceId = yield* makeWorkspace
        const names = ["first", "second", "third", "fourth"]
        yield* acceptEvents(
          workspaceId,
          names.map((name) => ({ actor_id: "a", action: "b", resource_name: `the ${name} secret` }))
        )
        yield* sequenceAll
        yield* indexAll
        change(filename, "CREATE TABLE kept AS SELECT * FROM search_frame")
        yield* remove(workspaceId, [1])
        change(
          filename,
          `DELETE FROM search_frame;
           INSERT INTO search_frame SELECT * FROM kept;
           DROP TABLE kept;
           UPDATE search_file SET removals = removals - 1`
        )
        assert.isNotEmpty(framesWith(filename, "first secret"))
        yield* other(workspaceId)
        assert.isEmpty(framesWith(filename, "first secret"))
      }).pipe(Effect.provide(smallFramesIn(filename)))
    })
  }
})
