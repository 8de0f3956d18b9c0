import { readdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { SearchIndexer } from "@cairn/core/log"
import { SqliteStorage, siblingFile } from "@cairn/storage-sqlite"
import { NEEDLE, removalContract } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll } from "vitest"

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
  const layer = SqliteStorage.layer({ filename })
  const index = Effect.flatMap(SearchIndexer, ({ advance }) =>
    Effect.repeat(advance, { while: (count) => count > 0 })
  ).pipe(
    // Another process's: the index is in a file.
    Effect.provide(layer),
    Effect.asVoid
  )
  const find = async (text: string): Promise<ReadonlyArray<string>> => {
    const search = new DatabaseSync(siblingFile(filename, "search"), { readOnly: true })
    search.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, search, row)")
    const trigrams = search
      .prepare("SELECT term FROM temp.vocabulary WHERE term IN (?, ?)")
      .all(text.slice(0, 3), text.slice(1, 4))
      .map(({ term }) => `search: ${term}`)
    search.close()
    return [...filesWith(filename, text), ...trigrams]
  }
  return { layer, index, find }
})

assert.match(NEEDLE, /^zqjx/, "trigrams that no other text of these tests has")
