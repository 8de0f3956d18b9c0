/** Port: the workspaces with everything that a service decides for each: plan and settings. */

import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import { AnchorSchedule } from "../anchor/AnchorPeriod.ts"
import type { Micros } from "../encoding/Micros.ts"
import { parseNetwork } from "../encoding/Network.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { Workspace, Workspaces } from "../log/Workspace.ts"
import { logIdOf } from "../note/LogId.ts"
import { PlanName, PlanOverrides } from "./Plan.ts"
import { AS_PLANNED, RetentionSettings } from "./RetentionSettings.ts"
import { ViewerSettings } from "./ViewerSettings.ts"

/** What becomes of an event with a member that no event has: it is rejected, or taken without the member. */
export const UnknownFields = Schema.Literals(["reject", "warn"])

/**
 * Most networks of an allowlist, so that the event of its change, with the old and the new list, stays within
 * an event's limits.
 */
export const MAX_ALLOWLIST = 500

/** A workspace as stored. */
export const ManagedWorkspace = Schema.Struct({
  ...Workspace.fields,
  plan: PlanName,
  overrides: PlanOverrides,
  /** How long it wants contents kept, including shortenings that do not count yet. */
  retention: RetentionSettings,
  /** CIDRs from which API keys may be used; empty means anywhere. */
  ip_allowlist: Schema.Array(Schema.String),
  /**
   * The origins whose pages may embed the viewer, as `isFrameAncestor` defines them; null for the service's
   * default.
   */
  viewer_frame_ancestors: Schema.NullOr(Schema.Array(Schema.String)),
  /** When its anchors' periods end; null for the service's default. */
  anchor_schedule: Schema.NullOr(AnchorSchedule),
  unknown_fields: UnknownFields,
  /** Whether what API keys read is recorded in its log. */
  key_access_events: Schema.Boolean,
  /** How its viewer tells events; null for the viewer's own way. */
  viewer: Schema.NullOr(ViewerSettings),
  /** What its log's id begins with, as `isLogOrigin` defines it; null for `cairn`. */
  log_origin: Schema.NullOr(Schema.String),
  /** When its log was closed, which takes no events since; null for one that does. */
  closed_at: Schema.NullOr(Schema.Number)
})
export type ManagedWorkspace = typeof ManagedWorkspace.Type

/**
 * What can be changed. A stored plan, overrides and retention count at once; to give notice first, use
 * `changedRetention`.
 */
export type ManagedWorkspaceChange = Partial<
  Omit<ManagedWorkspace, "id" | "created_at" | "log_origin" | "closed_at">
>

/** No workspace has this id. */
export class WorkspaceNotFound extends Schema.TaggedError<WorkspaceNotFound>()("WorkspaceNotFound", {
  workspaceId: Schema.String
}) {}

/** A new workspace needs a name that no other has. */
export class WorkspaceNameTaken extends Schema.TaggedError<WorkspaceNameTaken>()("WorkspaceNameTaken", {
  name: Schema.String,
  /** The workspaces that have it. */
  ids: Schema.Array(Schema.String)
}) {
  /** One sentence for the operator. */
  override get message(): string {
    return `a workspace is named ${JSON.stringify(this.name)} already: ${this.ids.join(", ")}; choose another name`
  }
}

/** Allows a name that no workspace has yet. For `create`. */
export const withNewName =
  (name: string) =>
  (namesakes: ReadonlyArray<string>): Result.Result<void, WorkspaceNameTaken> =>
    namesakes.length === 0 ? Result.void : Result.fail(new WorkspaceNameTaken({ name, ids: namesakes }))

/** The service has a workspace already. */
export class NotTheFirst extends Schema.TaggedError<NotTheFirst>()("NotTheFirst", {}) {}

/**
 * Allows the first workspace of a service; the one with the id `beside`, such as a demo's, does not count.
 * For `create`.
 */
export const asFirst =
  (beside: string | null = null) =>
  (_namesakes: ReadonlyArray<string>, some: ReadonlyArray<string>): Result.Result<void, NotTheFirst> =>
    some.every((id) => id === beside) ? Result.void : Result.fail(new NotTheFirst())

/**
 * Contract: when a call returns, its result is durable; `list` is oldest first; an id is never used for
 * another workspace. Figures of `overrides` below the minimum are stored and read as the minimum. `modify`
 * changes a workspace based on its current state: no other change comes between.
 *
 * `create` passes to `admit` the ids of the workspaces with the same name, oldest first, and those of some
 * workspaces, of two if there are as many, while nobody else creates one with `admit`, in any process; if
 * it fails, nothing was stored. Without `admit` a name may be there already: earlier versions took any.
 *
 * `close` closes the log of a workspace, for good: once it has returned, no process accepts events of it, and
 * what was accepted before is in the inbox or in the log. One that is closed already stays as it is.
 *
 * `versions` tells cheaply which workspaces have changed: each change gives a workspace another version, and
 * one that does not exist has none.
 */
interface ManagedWorkspacesShape {
  readonly create: <E = never>(
    workspace: ManagedWorkspace,
    /** Must have no effects. */
    admit?: (namesakes: ReadonlyArray<string>, some: ReadonlyArray<string>) => Result.Result<void, E>
  ) => Effect.Effect<void, E | StorageUnavailable>
  readonly get: (id: string) => Effect.Effect<Option.Option<ManagedWorkspace>, StorageUnavailable>
  readonly list: Effect.Effect<ReadonlyArray<ManagedWorkspace>, StorageUnavailable>
  readonly versions: (
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, number>, StorageUnavailable>
  readonly update: (
    id: string,
    change: ManagedWorkspaceChange,
    at: Micros
  ) => Effect.Effect<ManagedWorkspace, WorkspaceNotFound | StorageUnavailable>
  readonly close: (
    id: string,
    at: Micros
  ) => Effect.Effect<ManagedWorkspace, WorkspaceNotFound | StorageUnavailable>
  readonly modify: <E>(
    id: string,
    /** Must have no effects. */
    change: (before: ManagedWorkspace) => Result.Result<ManagedWorkspaceChange, E>,
    at: Micros
  ) => Effect.Effect<ManagedWorkspace, E | WorkspaceNotFound | StorageUnavailable>
}

/** The workspaces. */
export class ManagedWorkspaces extends Context.Service<ManagedWorkspaces, ManagedWorkspacesShape>()(
  "@cairn/core/ManagedWorkspaces"
) {}

/** The settings of a workspace without any decisions: no limit, nothing removed, no address excluded. */
const UNLIMITED: Omit<ManagedWorkspace, keyof Workspace> = {
  plan: "enterprise",
  overrides: {},
  retention: AS_PLANNED,
  ip_allowlist: [],
  viewer_frame_ancestors: null,
  anchor_schedule: null,
  unknown_fields: "reject",
  key_access_events: false,
  viewer: null,
  log_origin: null,
  closed_at: null
}

const bare = ({ id, name, created_at }: Workspace): Workspace => ({ id, name, created_at })

/** The same workspaces without the service's settings. */
export const layerWorkspaces = Layer.effect(
  Workspaces,
  Effect.map(ManagedWorkspaces, ({ create, get, list }) =>
    Workspaces.of({
      create: (workspace) => create({ ...UNLIMITED, ...bare(workspace) }),
      get: (id) => Effect.map(get(id), Option.map(bare)),
      list: Effect.map(list, (workspaces) => workspaces.map(bare)),
      logId: (id) =>
        Effect.map(get(id), (workspace) => logIdOf(id, Option.getOrUndefined(workspace)?.log_origin))
    })
  )
)

/** What is wrong with an item of an allowlist; undefined if nothing is. */
export const networkFault = (network: string): string | undefined =>
  parseNetwork(network) === undefined
    ? "must be an IPv4 or IPv6 address, or a CIDR whose bits after the prefix are zero"
    : undefined
