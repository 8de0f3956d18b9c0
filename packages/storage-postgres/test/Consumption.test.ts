import {
  alertConsumerContract,
  alertsContract,
  consumersContract,
  exportsContract,
  outboxContract,
  peopleContract,
  peopleProcessesContract,
  workspaceCollectionsContract
} from "@cairn/testing"
import { emptyStorage, twoStorages } from "./support.ts"

const storage = () => emptyStorage({})

consumersContract("PostgreSQL", storage)
alertsContract("PostgreSQL", storage)
outboxContract("PostgreSQL", storage)
workspaceCollectionsContract("PostgreSQL", storage)
peopleContract("PostgreSQL", storage)
peopleProcessesContract("PostgreSQL", twoStorages)
alertConsumerContract("PostgreSQL", storage)
exportsContract("PostgreSQL", storage)
