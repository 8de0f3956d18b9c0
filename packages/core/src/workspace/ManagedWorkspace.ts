/** Port: the workspaces with what a service decides for each: its plan and its settings. */
import { Context, Effect, Layer, Option, type Result, Schema } from "effect"
import { AnchorSchedule } from "../anchor/AnchorPeriod.ts"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { Workspace, Workspaces } from "../log/Workspace.ts"
import { PlanName, PlanOverrides } from "./Plan.ts"
import { AS_PLANNED, RetentionSettings } from "./RetentionSettings.ts"

/** A workspace as stored. */
export const ManagedWorkspace = Schema.Struct({
  ...Workspace.fields,
  plan: PlanName,
  overrides: PlanOverrides,
  /** How long it wants contents kept, and what of that does not count yet. */
  retention: RetentionSettings,
  /** CIDRs from which API keys may be used; empty means anywhere. */
  ip_allowlist: Schema.Array(Schema.String),
  /** Those whose pages may embed the viewer, as `isFrameAncestor` has them; null leaves it to the service. */
  viewer_frame_ancestors: Schema.NullOr(Schema.Array(Schema.String)),
  /** When its anchors' periods end; null leaves it to the service. */
  anchor_schedule: Schema.NullOr(AnchorSchedule)
})
export type ManagedWorkspace = typeof ManagedWorkspace.Type

/**
 * What can be changed. A plan, overrides and retention that are stored count at once: whoever is to be warned
 * has it from `changedRetention`.
 */
export type ManagedWorkspaceChange = Partial<Omit<ManagedWorkspace, "id" | "created_at">>

/** No workspace has this id. */
export class WorkspaceNotFound extends Schema.TaggedError<WorkspaceNotFound>()("WorkspaceNotFound", {
  workspaceId: Schema.String
}) {}

/**
 * Contract: what a call returned is durable; `list` is oldest first; an id names one workspace for good.
 * Figures of `overrides` below the least there may be are stored, and read, as that. `modify` changes a
 * workspace by what it is at that moment: no other change comes between.
 */
interface ManagedWorkspacesShape {
  readonly create: (workspace: ManagedWorkspace) => Effect.Effect<void, StorageUnavailable>
  readonly get: (id: string) => Effect.Effect<Option.Option<ManagedWorkspace>, StorageUnavailable>
  readonly list: Effect.Effect<ReadonlyArray<ManagedWorkspace>, StorageUnavailable>
  readonly update: (
    id: string,
    change: ManagedWorkspaceChange,
    at: Micros
  ) => Effect.Effect<ManagedWorkspace, WorkspaceNotFound | StorageUnavailable>
  readonly modify: <E>(
    id: string,
    /** Must be free of effects. */
    change: (before: ManagedWorkspace) => Result.Result<ManagedWorkspaceChange, E>,
    at: Micros
  ) => Effect.Effect<ManagedWorkspace, E | WorkspaceNotFound | StorageUnavailable>
}

/** The workspaces. */
export class ManagedWorkspaces extends Context.Service<ManagedWorkspaces, ManagedWorkspacesShape>()(
  "@cairn/core/ManagedWorkspaces"
) {}

/** What a workspace has whose owner decides nothing: no limit, nothing removed, no address excluded. */
const UNLIMITED: Omit<ManagedWorkspace, keyof Workspace> = {
  plan: "enterprise",
  overrides: {},
  retention: AS_PLANNED,
  ip_allowlist: [],
  viewer_frame_ancestors: null,
  anchor_schedule: null
}

const bare = ({ id, name, created_at }: Workspace): Workspace => ({ id, name, created_at })

/** The same workspaces without what a service decides for them. */
export const layerWorkspaces = Layer.effect(
  Workspaces,
  Effect.map(ManagedWorkspaces, ({ create, get, list }) =>
    Workspaces.of({
      create: (workspace) => create({ ...UNLIMITED, ...bare(workspace) }),
      get: (id) => Effect.map(get(id), Option.map(bare)),
      list: Effect.map(list, (workspaces) => workspaces.map(bare))
    })
  )
)
