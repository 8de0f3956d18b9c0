import {
  apiKeysContract,
  checkpointsContract,
  eventLogContract,
  inboxContract,
  largeSearchContract,
  quotaContract,
  searchIndexerContract,
  treeStoreContract,
  verificationContract,
  workspacesContract
} from "@cairn/testing"
import { emptyStorage } from "./support.ts"

const storage = emptyStorage

inboxContract("PostgreSQL", storage)
quotaContract("PostgreSQL", storage)
eventLogContract("PostgreSQL", storage)
searchIndexerContract("PostgreSQL", storage)
largeSearchContract("PostgreSQL", storage)
workspacesContract("PostgreSQL", storage)
apiKeysContract("PostgreSQL", storage)
treeStoreContract("PostgreSQL", storage)
verificationContract("PostgreSQL", storage)
checkpointsContract("PostgreSQL", storage)
