import { anchorsContract } from "@cairn/testing"
import { emptyStorage, postgresServer } from "./support.ts"

anchorsContract("PostgreSQL", emptyStorage(postgresServer()))
