/** One change of a workspace's things at a time, in all processes. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Runs within a transaction that no other one for this workspace overlaps: the workspace's row is the lock.
 */
export const aloneInWorkspace = <B, E>(
  sql: SqlClient.SqlClient,
  workspaceId: string,
  effect: Effect.Effect<B, E>
) =>
  sql.withTransaction(
    Effect.andThen(sql`UPDATE workspace SET updated_at = updated_at WHERE id = ${workspaceId}`, effect)
  )
