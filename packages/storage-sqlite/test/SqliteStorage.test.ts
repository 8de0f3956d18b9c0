import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EventLog, SearchIndexer } from "@cairn/core"
import { SqliteStorage } from "@cairn/storage-sqlite"
import {
  apiKeysContract,
  eventLogContract,
  inboxContract,
  type StorageLayer,
  type StorageOptions,
  treeStoreContract,
  workspacesContract
} from "@cairn/testing"
import { Effect, Layer } from "effect"
import { afterAll } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "cairn-sqlite-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let databases = 0

/** A database of its own for each test. */
const sqlite = ({ inboxCapacity }: StorageOptions) =>
  SqliteStorage.layer({
    filename: join(folder, `${databases++}`, "cairn.db"),
    ...(inboxCapacity === undefined ? {} : { inboxCapacity })
  })

const storage: StorageLayer = sqlite

/** The same, but the search index follows every append at once. */
const indexed: StorageLayer = (options) => {
  const following = Layer.effect(
    EventLog,
    Effect.gen(function* () {
      const log = yield* EventLog
      const { advance } = yield* SearchIndexer
      const catchUp = Effect.orDie(Effect.repeat(advance, { while: (count) => count > 0 }))
      return EventLog.of({
        ...log,
        append: (...request) => Effect.tap(log.append(...request), () => catchUp)
      })
    })
  )
  return following.pipe(Layer.provideMerge(sqlite(options)))
}

inboxContract("SQLite", storage)
eventLogContract("SQLite", storage)
eventLogContract("SQLite, its search index caught up", indexed)
workspacesContract("SQLite", storage)
apiKeysContract("SQLite", storage)
treeStoreContract("SQLite", storage)
