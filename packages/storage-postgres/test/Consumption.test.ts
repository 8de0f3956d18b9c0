import {
  alertConsumerContract,
  alertsContract,
  consumersContract,
  exportsContract,
  outboxContract,
  workspaceCollectionsContract
} from "@cairn/testing"
import { emptyStorage } from "./support.ts"

const storage = () => emptyStorage({})

consumersContract("PostgreSQL", storage)
alertsContract("PostgreSQL", storage)
outboxContract("PostgreSQL", storage)
workspaceCollectionsContract("PostgreSQL", storage)
alertConsumerContract("PostgreSQL", storage)
exportsContract("PostgreSQL", storage)
