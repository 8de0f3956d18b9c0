/** Port: the workspaces, each with a log of its own. */
import { Context, type Effect, type Option, type Result, Schema } from "effect"
import { AnchorSchedule } from "../anchor/AnchorPeriod.ts"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/Storage.ts"
import { PlanName, PlanOverrides } from "./Plan.ts"
import { RetentionSettings } from "./RetentionWindow.ts"

/** A workspace as stored. */
export const Workspace = Schema.Struct({
  /** `wsp_` and a UUID. */
  id: Schema.String,
  name: Schema.String,
  plan: PlanName,
  overrides: PlanOverrides,
  /** How long it wants contents kept, and what of that does not count yet. */
  retention: RetentionSettings,
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

/** What can be changed. A plan, overrides and retention that are stored count at once: whoever is to be warned has it from `changedRetention`. */
export type WorkspaceChange = Partial<Omit<Workspace, "id" | "created_at">>

/** No workspace has this id. */
export class WorkspaceNotFound extends Schema.TaggedError<WorkspaceNotFound>()("WorkspaceNotFound", {
  workspaceId: Schema.String
}) {}

/**
 * Contract: what a call returned is durable; `list` is oldest first; an id names one workspace for good. Figures of `overrides` below the least
 * there may be are stored, and read, as that. `modify` changes a workspace by what it is at that moment: no other change comes between.
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
  readonly modify: <E>(
    id: string,
    /** Must be free of effects. */
    change: (before: Workspace) => Result.Result<WorkspaceChange, E>,
    at: Micros
  ) => Effect.Effect<Workspace, E | WorkspaceNotFound | StorageUnavailable>
}

/** The workspaces. */
export class Workspaces extends Context.Service<Workspaces, WorkspacesShape>()("@cairn/core/Workspaces") {}
