/** Stray idempotency keys on PostgreSQL. */
import { STRAY_KEYS_A_LOOK, StrayKeys } from "@cairn/core"
import { findStrayKeys, inBatches, unavailable } from "@cairn/storage-sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/** The look at them. */
export const layer = Layer.effect(
  StrayKeys,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const numbers = yield* WorkspaceNumbers
    const look = Effect.fnUntraced(function* (workspace: number, after: string | null) {
      const keys = (from: string | null) => {
        const beyond = from === null ? sql`true` : sql`key > ${from}`
        return sql`
          SELECT key, event_id, accepted_at FROM idempotency_key WHERE workspace = ${workspace} AND ${beyond}
          ORDER BY key LIMIT ${STRAY_KEYS_A_LOOK}`
      }
      const inLog = (ids: ReadonlyArray<string>) =>
        Effect.map(
          Effect.forEach(
            inBatches(ids),
            (batch) => sql`SELECT id FROM event WHERE workspace = ${workspace} AND ${sql.in("id", batch)}`
          ),
          (found) => found.flat()
        )
      const waiting = sql`
        SELECT events FROM inbox WHERE workspace = ${workspace}
        UNION ALL SELECT events FROM parked WHERE workspace = ${workspace}`
      return yield* findStrayKeys({ keys, inLog, waiting }, after)
    }, unavailable("look for stray keys"))
    return StrayKeys.of({
      find: (workspaceId, after) =>
        Effect.flatMap(numbers.number(workspaceId), (workspace) => look(workspace, after))
    })
  })
)
