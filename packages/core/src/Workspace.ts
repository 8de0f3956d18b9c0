/** Port: the workspaces, each with a log of its own. */
import { Context, type Effect, type Option, Schema } from "effect"
import { AnchorSchedule } from "./AnchorPeriod.ts"
import type { Micros } from "./Micros.ts"
import { PlanName, PlanOverrides } from "./Plan.ts"
import type { StorageUnavailable } from "./Storage.ts"

/** A workspace as stored. */
export const Workspace = Schema.Struct({
  /** `wsp_` and a UUID. */
  id: Schema.String,
  name: Schema.String,
  plan: PlanName,
  overrides: PlanOverrides,
  /** CIDRs from which API keys may be used; empty means anywhere. */
  ip_allowlist: Schema.Array(Schema.String),
  /** Those whose pages may embed the viewer, as `isFrameAncestor` has them; null leaves it to the service. */
  viewer_frame_ancestors: Schema.NullOr(Schema.Array(Schema.String)),
  /** When its anchors' periods end; null leaves it to the service. */
  anchor_schedule: Schema.NullOr(AnchorSchedule),
  /** Microseconds since the epoch. */
  created_at: Schema.Number
})
export type Workspace = typeof Workspace.Type

/** What can be changed. */
export type WorkspaceChange = Partial<Omit<Workspace, "id" | "created_at">>

/** No workspace has this id. */
export class WorkspaceNotFound extends Schema.TaggedError<WorkspaceNotFound>()("WorkspaceNotFound", {
  workspaceId: Schema.String
}) {}

/**
 * Contract: what a call returned is durable; `list` is oldest first; an id names one workspace for good.
 */
export interface WorkspacesShape {
  readonly create: (workspace: Workspace) => Effect.Effect<void, StorageUnavailable>
  readonly get: (id: string) => Effect.Effect<Option.Option<Workspace>, StorageUnavailable>
  readonly list: Effect.Effect<ReadonlyArray<Workspace>, StorageUnavailable>
  readonly update: (
    id: string,
    change: WorkspaceChange,
    at: Micros
  ) => Effect.Effect<Workspace, WorkspaceNotFound | StorageUnavailable>
}

/** The workspaces. */
export class Workspaces extends Context.Service<Workspaces, WorkspacesShape>()("@cairn/core/Workspaces") {}
