/** Stray idempotency keys on PostgreSQL. */
import { StrayKeys } from "@cairn/core/log"
import { findStrayKeys, unavailable } from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/** The search for stray keys. */
export const layer = Layer.effect(
  StrayKeys,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const numbers = yield* WorkspaceNumbers
    return StrayKeys.of({
      find: (workspaceId, after) =>
        Effect.flatMap(numbers.number(workspaceId), (workspace) =>
          findStrayKeys({ inbox: sql, log: sql, workspace }, after ?? "").pipe(
            unavailable("look for stray keys")
          )
        )
    })
  })
)
