/** Port: the workspaces, each with a log of its own. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** The owner of a log. What a service decides for a workspace, such as its plan, is in `ManagedWorkspace`. */
export const Workspace = Schema.Struct({
  /** Such as `wsp_` and a UUID. It is part of every hash of the log. */
  id: Schema.String,
  name: Schema.String,
  /** Microseconds since the epoch. */
  created_at: Schema.Number
})
export type Workspace = typeof Workspace.Type

/**
 * Contract: when `create` returns, the workspace is durable; `list` is oldest first; an id is never used for
 * another workspace.
 */
interface WorkspacesShape {
  /** Creates a workspace with an empty log and without limits. Fails if the id is taken. */
  readonly create: (workspace: Workspace) => Effect.Effect<void, StorageUnavailable>
  readonly get: (id: string) => Effect.Effect<Option.Option<Workspace>, StorageUnavailable>
  readonly list: Effect.Effect<ReadonlyArray<Workspace>, StorageUnavailable>
  /** The name of its log outside Cairn, which never changes; see `LogId`. */
  readonly logId: (id: string) => Effect.Effect<string, StorageUnavailable>
}

/** The workspaces. */
export class Workspaces extends Context.Service<Workspaces, WorkspacesShape>()("@cairn/core/Workspaces") {}
