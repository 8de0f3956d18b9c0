import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqliteStorage } from "@cairn/storage-sqlite"
import {
  apiKeysContract,
  eventLogContract,
  inboxContract,
  type StorageLayer,
  workspacesContract
} from "@cairn/testing"
import { afterAll } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "cairn-sqlite-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let databases = 0

/** A database of its own for each test. */
const storage: StorageLayer = ({ inboxCapacity }) =>
  SqliteStorage.layer({
    filename: join(folder, `${databases++}`, "cairn.db"),
    ...(inboxCapacity === undefined ? {} : { inboxCapacity })
  })

inboxContract("SQLite", storage)
eventLogContract("SQLite", storage)
workspacesContract("SQLite", storage)
apiKeysContract("SQLite", storage)
