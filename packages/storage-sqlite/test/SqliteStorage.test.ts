import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqliteStorage } from "@cairn/storage-sqlite"
import {
  alertConsumerContract,
  alertsContract,
  apiKeysContract,
  checkpointsContract,
  consumersContract,
  eventLogContract,
  exportsContract,
  inboxContract,
  indexedAtOnce,
  largeSearchContract,
  outboxContract,
  quotaContract,
  type StorageOptions,
  searchIndexerContract,
  treeStoreContract,
  verificationContract,
  workspaceCollectionsContract,
  workspacesContract
} from "@cairn/testing"
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

inboxContract("SQLite", sqlite)
quotaContract("SQLite", sqlite)
eventLogContract("SQLite", sqlite)
eventLogContract("SQLite, its search index caught up", indexedAtOnce(sqlite))
searchIndexerContract("SQLite", sqlite)
largeSearchContract("SQLite", sqlite)
largeSearchContract("SQLite, its search index caught up", indexedAtOnce(sqlite))
workspacesContract("SQLite", sqlite)
apiKeysContract("SQLite", sqlite)
treeStoreContract("SQLite", sqlite)
verificationContract("SQLite", sqlite)
checkpointsContract("SQLite", sqlite)

const consumption = () => sqlite({})
consumersContract("SQLite", consumption)
alertsContract("SQLite", consumption)
outboxContract("SQLite", consumption)
workspaceCollectionsContract("SQLite", consumption)
alertConsumerContract("SQLite", consumption)
exportsContract("SQLite", consumption)
