import { readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { EventLog, SearchIndexer } from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import { FrameEvents } from "@cairn/storage-sql"
import { SqliteStorage, siblingFile } from "@cairn/storage-sqlite"
import { acceptEvents, makeWorkspace, removalContract, sequenceAll, useCases } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { afterAll } from "vitest"
import { framesWith } from "./FramesWith.ts"

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

describe("a removal that the index missed, as its process was killed between two commits", () => {
  const change = (filename: string, statements: string) => {
    const db = new DatabaseSync(siblingFile(filename, "search"))
    db.exec(statements)
    db.close()
  }
  const remove = (workspaceId: string, sequence: number) =>
    Effect.gen(function* () {
      const [row] = yield* (yield* EventLog).scan(workspaceId, sequence, 1)
      const { id, content, contentHash } = row ?? assert.fail("there is no such event")
      const event = { sequence, id, content: content ?? "", contentHash: contentHash ?? "" }
      yield* (yield* ContentRemoval).remove(workspaceId, [event], null)
    })
  const others = {
    "the next removal": (workspaceId: string) => remove(workspaceId, 3),
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
        yield* Effect.repeat((yield* SearchIndexer).advance, { while: (count) => count > 0 })
        change(filename, "CREATE TABLE kept AS SELECT * FROM search_frame")
        yield* remove(workspaceId, 1)
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
      }).pipe(
        Effect.provide(
          useCases<SearchIndexer | ContentRemoval>(
            SqliteStorage.layer({ filename }).pipe(Layer.provide(Layer.succeed(FrameEvents, 2)))
          )
        )
      )
    })
  }
})
