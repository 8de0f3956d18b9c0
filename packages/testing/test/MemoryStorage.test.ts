import { apiKeysContract, inboxContract, MemoryStorage, workspacesContract } from "@cairn/testing"

inboxContract("memory", MemoryStorage.layer)
workspacesContract("memory", MemoryStorage.layer)
apiKeysContract("memory", MemoryStorage.layer)
