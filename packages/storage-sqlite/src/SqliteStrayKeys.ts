/** Stray idempotency keys on SQLite: the keys are in the inbox's file, their events in the log's. */
import { StrayKeys } from "@cairn/core/log"
import { findStrayKeys, unavailable } from "@cairn/storage-sql"
import { Effect, Layer } from "effect"
import { SqliteFiles } from "./SqliteFiles.ts"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/** The search for stray keys. */
export const layer = Layer.effect(
  StrayKeys,
  Effect.gen(function* () {
    const { log, inbox } = yield* SqliteFiles
    const numbers = yield* WorkspaceNumbers
    return StrayKeys.of({
      find: (workspaceId, after) => {
        const workspace = numbers.number(workspaceId)
        return workspace === undefined
          ? Effect.succeed({ stray: [], next: null })
          : findStrayKeys({ inbox, log, workspace }, after).pipe(unavailable("look for stray keys"))
      }
    })
  })
)
