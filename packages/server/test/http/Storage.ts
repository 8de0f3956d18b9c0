/** The storage under the HTTP tests: in memory, or on SQLite when `CAIRN_TEST_STORAGE` is `sqlite`. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ApiKeys, EventLog, Inbox, Sha256, Workspaces } from "@cairn/core"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { MemoryStorage } from "@cairn/testing"
import { Effect, Layer } from "effect"

/** The ports that the server needs. */
export type Ports = Inbox | EventLog | Workspaces | ApiKeys

const onSqlite = (inboxCapacity: number) =>
  Layer.unwrap(
    Effect.map(
      Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "cairn-http-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
      ),
      (folder) => SqliteStorage.layer({ filename: join(folder, "cairn.db"), inboxCapacity })
    )
  )

/** A storage of its own for each test. */
export const storage = (inboxCapacity = 1_000): Layer.Layer<Ports, never, Sha256> =>
  process.env.CAIRN_TEST_STORAGE === "sqlite"
    ? Layer.orDie(onSqlite(inboxCapacity))
    : MemoryStorage.layer({ inboxCapacity })
