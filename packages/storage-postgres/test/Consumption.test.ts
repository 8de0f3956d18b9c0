import {
  alertConsumerContract,
  alertsContract,
  consumersContract,
  exportsContract,
  outboxContract,
  workspaceCollectionsContract
} from "@cairn/testing"
import { emptyStorage, postgresServer } from "./support.ts"

const empty = emptyStorage(postgresServer())
const storage = () => empty({})

consumersContract("PostgreSQL", storage)
alertsContract("PostgreSQL", storage)
outboxContract("PostgreSQL", storage)
workspaceCollectionsContract("PostgreSQL", storage)
alertConsumerContract("PostgreSQL", storage)
exportsContract("PostgreSQL", storage)
