import { anchorsContract } from "@cairn/testing"
import { emptyStorage } from "./support.ts"

anchorsContract("PostgreSQL", emptyStorage)
