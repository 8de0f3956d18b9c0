import {
  apiKeysContract,
  eventLogContract,
  inboxContract,
  MemoryStorage,
  treeStoreContract,
  workspacesContract
} from "@cairn/testing"

inboxContract("memory", MemoryStorage.layer)
eventLogContract("memory", MemoryStorage.layer)
workspacesContract("memory", MemoryStorage.layer)
apiKeysContract("memory", MemoryStorage.layer)
treeStoreContract("memory", MemoryStorage.layer)
