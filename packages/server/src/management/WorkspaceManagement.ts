/** Making and changing workspaces. */
import {
  type AnchorSchedule,
  InvalidInput,
  isFrameAncestor,
  MAX_FRAME_ANCESTORS,
  MAX_FRAME_ANCESTORS_LENGTH,
  MAX_NAME,
  Micros,
  type PlanName,
  type PlanOverrides,
  Randomness,
  uuid,
  type Workspace,
  type WorkspaceChange,
  WorkspaceNotFound,
  Workspaces
} from "@cairn/core"
import { Context, Effect, Layer, Option } from "effect"
import { parseNetwork } from "../http/ClientAddress.ts"
import { ManagementEvents, type Manager } from "./ManagementEvent.ts"

/** Most networks of an allowlist; its event, which holds the old and the new one, stays within an event's limits. */
export const MAX_ALLOWLIST = 500

const refuse = (path: string, reason: string) => Effect.fail(new InvalidInput({ path, reason }))

const checkName = (name: string) =>
  name.trim() === "" || name.length > MAX_NAME || !name.isWellFormed() || name.includes("\0")
    ? refuse("name", `must have 1 to ${MAX_NAME} characters, none of them U+0000`)
    : Effect.void

const checkAllowlist = Effect.fnUntraced(function* (allowlist: ReadonlyArray<string>) {
  if (allowlist.length > MAX_ALLOWLIST) {
    return yield* refuse("ip_allowlist", `must have at most ${MAX_ALLOWLIST} items`)
  }
  for (const [index, cidr] of allowlist.entries()) {
    if (parseNetwork(cidr) === undefined) {
      return yield* refuse(
        `ip_allowlist[${index}]`,
        "must be an IPv4 or IPv6 address, or a CIDR whose bits after the prefix are zero"
      )
    }
  }
})

const checkFrameAncestors = Effect.fnUntraced(function* (ancestors: ReadonlyArray<string>) {
  const name = "viewer_frame_ancestors"
  if (ancestors.length > MAX_FRAME_ANCESTORS) {
    return yield* refuse(name, `must have at most ${MAX_FRAME_ANCESTORS} items`)
  }
  const wrong = ancestors.findIndex((ancestor) => !isFrameAncestor(ancestor))
  if (wrong >= 0) {
    return yield* refuse(
      `${name}[${wrong}]`,
      "must be an origin such as https://app.example.com or https://*.example.com:8443, without a path"
    )
  }
  if (ancestors.join(" ").length > MAX_FRAME_ANCESTORS_LENGTH) {
    return yield* refuse(name, `must have at most ${MAX_FRAME_ANCESTORS_LENGTH} characters in all`)
  }
})

/** Seconds: whoever may set a workspace's schedule does not pay for its transactions. */
const MIN_ANCHOR_PERIOD = 60

const checkAnchorSchedule = ({ every_seconds, offset_seconds }: AnchorSchedule) => {
  if (every_seconds < MIN_ANCHOR_PERIOD) {
    return refuse("anchor_schedule.every_seconds", `must be at least ${MIN_ANCHOR_PERIOD}`)
  }
  return offset_seconds < every_seconds
    ? Effect.void
    : refuse("anchor_schedule.offset_seconds", "must be less than every_seconds")
}

const FIELDS = [
  "name",
  "plan",
  "overrides",
  "ip_allowlist",
  "viewer_frame_ancestors",
  "anchor_schedule"
] as const

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The fields that a change would really change, with what each was and what it becomes. */
const difference = (workspace: Workspace, change: WorkspaceChange) => {
  const changed: Record<string, { readonly from: unknown; readonly to: unknown }> = {}
  for (const field of FIELDS) {
    const to = change[field]
    if (to !== undefined && !same(workspace[field], to)) changed[field] = { from: workspace[field], to }
  }
  return changed
}

const make = Effect.gen(function* () {
  const workspaces = yield* Workspaces
  const events = yield* ManagementEvents
  const random = yield* Randomness

  const resource = ({ id, name }: Workspace) => ({ type: "workspace", id, name })

  const create = Effect.fn("WorkspaceManagement.create")(function* (
    by: Manager,
    input: { readonly name: string; readonly plan?: PlanName; readonly overrides?: PlanOverrides }
  ) {
    yield* checkName(input.name)
    const workspace: Workspace = {
      id: `wsp_${uuid(random)}`,
      name: input.name,
      plan: input.plan ?? "enterprise",
      overrides: input.overrides ?? {},
      ip_allowlist: [],
      viewer_frame_ancestors: null,
      anchor_schedule: null,
      created_at: yield* Micros.now
    }
    yield* workspaces.create(workspace)
    const { id: workspaceId, name, plan, overrides } = workspace
    yield* events.record(by, {
      workspaceId,
      action: "cairn.workspace.created",
      resource: resource(workspace),
      metadata: { name, plan, overrides }
    })
    return workspace
  })

  const update = Effect.fn("WorkspaceManagement.update")(function* (
    by: Manager,
    workspaceId: string,
    change: WorkspaceChange
  ) {
    if (change.name !== undefined) yield* checkName(change.name)
    if (change.ip_allowlist !== undefined) yield* checkAllowlist(change.ip_allowlist)
    const ancestors = change.viewer_frame_ancestors ?? null
    if (ancestors !== null) yield* checkFrameAncestors(ancestors)
    const schedule = change.anchor_schedule ?? null
    if (schedule !== null) yield* checkAnchorSchedule(schedule)
    const before = yield* workspaces.get(workspaceId)
    if (Option.isNone(before)) return yield* new WorkspaceNotFound({ workspaceId })
    const changed = difference(before.value, change)
    if (Object.keys(changed).length === 0) return before.value
    // Recorded first: a change that is not in the log would be worse than one in the log that then failed.
    yield* events.record(by, {
      workspaceId,
      action: "cairn.workspace.updated",
      resource: resource(before.value),
      metadata: { changed }
    })
    return yield* workspaces.update(workspaceId, change, yield* Micros.now)
  })

  return { create, update }
})

/**
 * The use cases; each checks its input, makes the change, and records it in the workspace's log.
 *
 * An allowlist without the address of whoever sets it is taken: it says where keys may be used, and the `cairn` command, which needs
 * no key, can always set another.
 */
export class WorkspaceManagement extends Context.Service<WorkspaceManagement, Effect.Success<typeof make>>()(
  "@cairn/server/WorkspaceManagement"
) {
  static readonly layer = Layer.effect(WorkspaceManagement, make)
}
