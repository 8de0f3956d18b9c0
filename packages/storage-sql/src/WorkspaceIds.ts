/**
 * Workspaces by their id, which every row has: for a database whose tables have no number, and to read a
 * little of any.
 */
import { Effect, Layer } from "effect"
import { WorkspaceKeys } from "./WorkspaceKeys.ts"

const keyOf = (workspaceId: string) => ({ workspace_id: workspaceId })

/** The keys. */
export const workspaceIds = WorkspaceKeys.of({
  column: "workspace_id",
  of: (workspaceId) => Effect.succeed(keyOf(workspaceId)),
  find: (workspaceId) => Effect.succeed(keyOf(workspaceId)),
  none: keyOf(""),
  number: (sql, workspaceId) => Effect.succeed(sql`(SELECT number FROM workspace WHERE id = ${workspaceId})`),
  everywhere: (sql, _, read) => read(sql`1 = 1`)
})

/** The keys, for the layers of the tables. */
export const layer = Layer.succeed(WorkspaceKeys, workspaceIds)
