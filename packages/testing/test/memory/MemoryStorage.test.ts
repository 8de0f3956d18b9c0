import {
  alertConsumerContract,
  alertsContract,
  apiKeysContract,
  checkpointsContract,
  consumersContract,
  eventLogContract,
  exportsContract,
  inboxContract,
  MemoryStorage,
  outboxContract,
  peopleContract,
  quotaContract,
  treeStoreContract,
  workspaceCollectionsContract,
  workspacesContract
} from "@cairn/testing"

inboxContract("memory", MemoryStorage.layer)
quotaContract("memory", MemoryStorage.layer)
eventLogContract("memory", MemoryStorage.layer)
workspacesContract("memory", MemoryStorage.layer)
apiKeysContract("memory", MemoryStorage.layer)
treeStoreContract("memory", MemoryStorage.layer)
checkpointsContract("memory", MemoryStorage.layer)

consumersContract("memory", MemoryStorage.layer)
alertsContract("memory", MemoryStorage.layer)
outboxContract("memory", MemoryStorage.layer)
workspaceCollectionsContract("memory", MemoryStorage.layer)
peopleContract("memory", MemoryStorage.layer)
alertConsumerContract("memory", MemoryStorage.layer)

exportsContract("memory", MemoryStorage.layer)
