/** The tables that every adapter has name a workspace by its number here, and also have its id. */
import { WorkspaceKeys } from "@cairn/storage-sql"
import { Effect, Layer } from "effect"
import { Places } from "./Places.ts"
import { WorkspaceNumbers } from "./WorkspaceNumbers.ts"

/** The number of no workspace: theirs begin at 1. */
const NONE = 0

/** The keys. */
export const layer = Layer.effect(
  WorkspaceKeys,
  Effect.map(Effect.all([WorkspaceNumbers, Places]), ([{ number, find }, places]) =>
    WorkspaceKeys.of({
      column: "workspace",
      of: (workspaceId) =>
        Effect.map(number(workspaceId), (workspace) => ({ workspace, workspace_id: workspaceId })),
      find: (workspaceId) =>
        Effect.map(find(workspaceId), (workspace) =>
          workspace === undefined ? undefined : { workspace, workspace_id: workspaceId }
        ),
      number: (sql, workspaceId) =>
        Effect.map(find(workspaceId), (workspace) => sql`${workspace ?? null}::bigint`),
      everywhere: (_, column, read) => places.everywhere(Effect.suspend(() => read(places.within(column)))),
      none: { workspace: NONE, workspace_id: "" }
    })
  )
)
