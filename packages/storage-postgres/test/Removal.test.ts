import { Effect } from "effect"
import { removalOn } from "./RemovalOn.ts"
import { sharedServer } from "./support.ts"

const server = sharedServer()

removalOn(
  "PostgreSQL",
  Effect.promise(() => server().newDatabase())
)
