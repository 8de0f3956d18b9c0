/** What of the contract of SQLite tries many cases: what is asked of logs, and how these are verified. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { SearchIndexer } from "@cairn/core/log"
import { FrameEvents } from "@cairn/storage-sql"
import { SqliteStorage } from "@cairn/storage-sqlite"
import {
  eventQueryContract,
  indexedAtOnce,
  indexedSearchContract,
  largeSearchContract,
  unindexedContract,
  verificationContract
} from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { Effect, Layer } from "effect"
import { afterAll } from "vitest"

const folder = quickFolder("cairn-sqlite-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let databases = 0

const storage = () => SqliteStorage.layer({ filename: join(folder, `${databases++}`, "cairn.db") })

/** Two events a frame, so that a short log has more frames than a group. */
const smallFrames = () => storage().pipe(Layer.provide(Layer.succeed(FrameEvents, 2)))

eventQueryContract("SQLite", storage)
indexedSearchContract("SQLite, its search index caught up", indexedAtOnce(smallFrames))
largeSearchContract("SQLite, its search index caught up", indexedAtOnce(smallFrames))
verificationContract("SQLite", storage)
unindexedContract("SQLite", () => {
  const layer = smallFrames()
  const index = Effect.flatMap(SearchIndexer, ({ advance }) =>
    Effect.repeat(advance, { while: (count) => count > 0 })
  ).pipe(Effect.provide(layer), Effect.asVoid)
  return { layer, index, find: async () => [] }
})
