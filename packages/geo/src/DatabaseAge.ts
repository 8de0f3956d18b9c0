/** When a database was made, for an operator: opened as for look-ups, and closed again. */
import { Effect } from "effect"
import { readDatabase, stampOf } from "./DatabaseFile.ts"

/** When the database in a file was made. Costs its size in memory for a moment. */
export const databaseAge = (file: string) =>
  Effect.map(
    Effect.flatMap(stampOf(file), (stamp) => readDatabase(file, stamp)),
    ({ builtAt }) => builtAt
  )
