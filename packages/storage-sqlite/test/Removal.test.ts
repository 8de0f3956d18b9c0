import { readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { SearchIndexer } from "@cairn/core/log"
import { FrameEvents } from "@cairn/storage-sql"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { removalContract } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
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
