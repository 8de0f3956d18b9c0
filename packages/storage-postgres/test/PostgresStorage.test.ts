import { FrameEvents } from "@cairn/storage-sql"
import {
  apiKeysContract,
  checkpointsContract,
  eventLogContract,
  inboxContract,
  indexedAtOnce,
  indexedSearchContract,
  largeSearchContract,
  quotaContract,
  searchIndexerContract,
  treeStoreContract,
  verificationContract,
  workspacesContract
} from "@cairn/testing"
import { Layer } from "effect"
import { emptyStorage } from "./support.ts"

const storage = emptyStorage

/** Two events a frame, so that a short log has more frames than a group. */
const smallFrames: typeof storage = (options) =>
  storage(options).pipe(Layer.provide(Layer.succeed(FrameEvents, 2)))

inboxContract("PostgreSQL", storage)
quotaContract("PostgreSQL", storage)
eventLogContract("PostgreSQL", storage)
indexedSearchContract("PostgreSQL, its search index caught up", indexedAtOnce(smallFrames))
searchIndexerContract("PostgreSQL", storage)
largeSearchContract("PostgreSQL", storage)
largeSearchContract("PostgreSQL, its search index caught up", indexedAtOnce(smallFrames))
workspacesContract("PostgreSQL", storage)
apiKeysContract("PostgreSQL", storage)
treeStoreContract("PostgreSQL", storage)
verificationContract("PostgreSQL", storage)
checkpointsContract("PostgreSQL", storage)
