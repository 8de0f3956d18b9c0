import { Effect } from "effect"
import { removalOn } from "./RemovalOn.ts"
import { copiedDatabase } from "./support.ts"

removalOn("PostgreSQL", Effect.promise(copiedDatabase))
