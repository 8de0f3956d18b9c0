import { rmSync } from "node:fs"
import { join } from "node:path"
import { Sha256 } from "@cairn/core/hashing"
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
  largeSearchContract,
  outboxContract,
  peopleContract,
  peopleProcessesContract,
  quotaContract,
  type StorageOptions,
  searchIndexerContract,
  treeStoreContract,
  verificationContract,
  workspaceCollectionsContract,
  workspacesContract
} from "@cairn/testing"
import { folderCopies, quickFolder } from "@cairn/testing/TestFolders"
import { Effect, Layer } from "effect"
import { afterAll } from "vitest"

const folder = quickFolder("cairn-sqlite-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const storageIn = (folder: string, inboxCapacity?: number) =>
  SqliteStorage.layer({
    filename: join(folder, "cairn.db"),
    ...(inboxCapacity === undefined ? {} : { inboxCapacity })
  })

const copyEmpty = folderCopies((folder) =>
  Layer.build(storageIn(folder)).pipe(
    Effect.provide(Sha256.layer),
    Effect.scoped,
    Effect.asVoid,
    Effect.runPromise
  )
)

let databases = 0

/** The folder of a database that has its tables and nothing in them. */
const emptyDatabase = Effect.promise(async () => {
  const name = join(folder, `${databases++}`)
  await copyEmpty(name)
  return name
})

/** A database of its own for each test. */
const sqlite = ({ inboxCapacity }: StorageOptions) =>
  Layer.unwrap(Effect.map(emptyDatabase, (name) => storageIn(name, inboxCapacity)))

inboxContract("SQLite", sqlite)
quotaContract("SQLite", sqlite)
eventLogContract("SQLite", sqlite)
searchIndexerContract("SQLite", sqlite)
largeSearchContract("SQLite", sqlite)
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
peopleContract("SQLite", consumption)
peopleProcessesContract(
  "SQLite",
  Effect.map(emptyDatabase, (name) => [storageIn(name), storageIn(name)])
)
alertConsumerContract("SQLite", consumption)
exportsContract("SQLite", consumption)
