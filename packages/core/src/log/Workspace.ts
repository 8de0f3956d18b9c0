/** Port: the workspaces, each with a log of its own. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/** Whose log it is. What a service decides for a workspace, such as its plan, is `ManagedWorkspace`. */
export const Workspace = Schema.Struct({
  /** Such as `wsp_` and a UUID; part of every hash of its log. */
  id: Schema.String,
  name: Schema.String,
  /** Microseconds since the epoch. */
  created_at: Schema.Number
})
export type Workspace = typeof Workspace.Type

/**
 * Contract: what `create` returned is durable; `list` is oldest first; an id names one workspace for good.
 */
interface WorkspacesShape {
  /** The log is empty, and nothing about it is limited. Fails where the id is taken. */
  readonly create: (workspace: Workspace) => Effect.Effect<void, StorageUnavailable>
  readonly get: (id: string) => Effect.Effect<Option.Option<Workspace>, StorageUnavailable>
  readonly list: Effect.Effect<ReadonlyArray<Workspace>, StorageUnavailable>
}

/** The workspaces. */
export class Workspaces extends Context.Service<Workspaces, WorkspacesShape>()("@cairn/core/Workspaces") {}
