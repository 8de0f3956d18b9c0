/** Creating and changing workspaces. */

import { Context, Data, Effect, Layer, Option, Result, Schema } from "effect"
import { type AnchorSchedule, MAX_ANCHOR_PERIOD, MIN_ANCHOR_PERIOD } from "../anchor/AnchorPeriod.ts"
import * as Micros from "../encoding/Micros.ts"
import { MAX_NAME } from "../event/EventInput.ts"
import { describeIssue, InvalidInput, invalidInput } from "../event/InvalidInput.ts"
import { nameFault } from "../event/TextFault.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { ClockGuard } from "../log/ClockGuard.ts"
import { StorageUnavailable } from "../log/StorageUnavailable.ts"
import {
  frameAncestorFault,
  MAX_FRAME_ANCESTORS,
  MAX_FRAME_ANCESTORS_LENGTH
} from "../workspace/FrameAncestor.ts"
import {
  asFirst,
  MAX_ALLOWLIST,
  type ManagedWorkspace,
  type ManagedWorkspaceChange,
  ManagedWorkspaces,
  networkFault,
  WorkspaceNotFound,
  withNewName
} from "../workspace/ManagedWorkspace.ts"
import { LEAST_LIMIT, type PlanName, PlanOverrides } from "../workspace/Plan.ts"
import { AS_PLANNED } from "../workspace/RetentionSettings.ts"
import {
  changedRetention,
  MAX_RETENTION_DAYS,
  type PendingRetention,
  planRetention,
  type RetentionRecord,
  retentionRecords
} from "../workspace/RetentionWindow.ts"
import { viewerSettingsChange, viewerSettingsFaults } from "../workspace/ViewerSettings.ts"
import { ManagementEvents, type Manager, onceKey } from "./ManagementEvent.ts"
import { makeOnePerKey } from "./OnePerKey.ts"

const refuse = (path: string, reason: string) => Effect.fail(new InvalidInput({ path, reason }))

const checkName = (name: string) => {
  const fault = nameFault(name, { least: 1, most: MAX_NAME })
  return fault === undefined ? Effect.void : refuse("name", fault)
}

const checkAllowlist = Effect.fnUntraced(function* (allowlist: ReadonlyArray<string>) {
  if (allowlist.length > MAX_ALLOWLIST) {
    return yield* refuse("ip_allowlist", `must have at most ${MAX_ALLOWLIST} items`)
  }
  for (const [index, cidr] of allowlist.entries()) {
    const fault = networkFault(cidr)
    if (fault !== undefined) return yield* refuse(`ip_allowlist[${index}]`, fault)
  }
})

const checkFrameAncestors = Effect.fnUntraced(function* (ancestors: ReadonlyArray<string>) {
  const name = "viewer_frame_ancestors"
  if (ancestors.length > MAX_FRAME_ANCESTORS) {
    return yield* refuse(name, `must have at most ${MAX_FRAME_ANCESTORS} items`)
  }
  for (const [index, ancestor] of ancestors.entries()) {
    const fault = frameAncestorFault(ancestor)
    if (fault !== undefined) return yield* refuse(`${name}[${index}]`, fault)
  }
  if (ancestors.join(" ").length > MAX_FRAME_ANCESTORS_LENGTH) {
    return yield* refuse(name, `must have at most ${MAX_FRAME_ANCESTORS_LENGTH} characters in all`)
  }
})

const checkAnchorSchedule = ({ every_seconds, offset_seconds }: AnchorSchedule) => {
  if (every_seconds < MIN_ANCHOR_PERIOD || every_seconds > MAX_ANCHOR_PERIOD) {
    return refuse(
      "anchor_schedule.every_seconds",
      `must be ${MIN_ANCHOR_PERIOD} to ${MAX_ANCHOR_PERIOD} seconds`
    )
  }
  return offset_seconds >= 0 && offset_seconds < every_seconds
    ? Effect.void
    : refuse(
        "anchor_schedule.offset_seconds",
        `must be 0 to ${every_seconds - 1} seconds, less than every_seconds`
      )
}

const decodeOverrides = Schema.decodeUnknownResult(PlanOverrides)

const checkOverrides = (overrides: PlanOverrides) =>
  Result.match(decodeOverrides(overrides), {
    onFailure: ({ issue }) => Effect.fail(describeIssue(issue, ["overrides"])),
    onSuccess: () => Effect.void
  })

/** A new workspace. */
export interface NewWorkspace {
  readonly name: string
  /** `wsp_` and a UUID that no other workspace has; a random one unless given. */
  readonly id?: string
  /** `enterprise` unless given. */
  readonly plan?: PlanName
  readonly overrides?: PlanOverrides
  /** The service's unless given. */
  readonly anchor_schedule?: AnchorSchedule
}

/** A change of a workspace; omitted fields are not changed. */
export type WorkspaceUpdate = Omit<ManagedWorkspaceChange, "retention"> & {
  /** The workspace's own figure; null for the plan's. */
  readonly retention_days?: number | null
}

/**
 * A workspace's own figure may be at most its plan's. A figure that is not changed may be more: the plan may
 * have become smaller since.
 */
const checkRetention = (before: ManagedWorkspace, update: WorkspaceUpdate) => {
  const name = "retention_days"
  const days = update.retention_days
  if (days === undefined || days === null || days === before.retention.days) return Effect.void
  if (!Number.isInteger(days) || days < LEAST_LIMIT || days > MAX_RETENTION_DAYS)
    return refuse(
      name,
      `must be an integer from ${LEAST_LIMIT} to ${MAX_RETENTION_DAYS} days, or null for the plan's`
    )
  const most = planRetention({ ...before, ...update })
  return most !== null && days > most
    ? refuse(
        name,
        `must be ${LEAST_LIMIT} to ${most} days, at most the figure of the plan, which is the operator's to change`
      )
    : Effect.void
}

const FIELDS = [
  "name",
  "plan",
  "overrides",
  "ip_allowlist",
  "viewer_frame_ancestors",
  "anchor_schedule",
  "unknown_fields",
  "key_access_events",
  "viewer"
] as const

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The fields that a change really changes, with the old and the new value. */
const difference = (workspace: ManagedWorkspace, update: WorkspaceUpdate) => {
  const changed: Record<string, { readonly from: unknown; readonly to: unknown }> = {}
  for (const field of FIELDS) {
    const to = update[field]
    if (to !== undefined && !same(workspace[field], to)) changed[field] = { from: workspace[field], to }
  }
  if (changed.viewer !== undefined)
    changed.viewer = viewerSettingsChange(workspace.viewer, update.viewer ?? null)
  const { days } = workspace.retention
  const to = update.retention_days
  if (to !== undefined && to !== days) changed.retention_days = { from: days, to }
  return changed
}

/** Another process changed the retention between reading and changing it. */
class ChangedMeanwhile extends Data.TaggedError("ChangedMeanwhile") {}

/** How often that is tried again before the store is reported as busy. */
const RETRIES = 10

/** The fields that determine how long contents are kept. */
const basisOf = ({ plan, overrides, retention }: ManagedWorkspace) => ({
  plan,
  overrides,
  days: retention.days,
  holds: [retention.own_hold?.id, retention.plan_hold?.id]
})

const pendingMetadata = ({ at }: PendingRetention) => ({ takes_effect_at: Micros.format(at) })

/** Settings for creating and changing workspaces. */
export interface WorkspaceManagementOptions {
  /** How long the old figure continues to count when retention becomes shorter. */
  readonly retentionDelay: Micros.Micros
  /** What the logs of new workspaces are named after, as `isLogOrigin` defines it; null for `cairn`. */
  readonly logOrigin?: string | null
}

/** What the use cases need. */
const loadServices = Effect.fnUntraced(function* ({
  retentionDelay,
  logOrigin = null
}: WorkspaceManagementOptions) {
  const workspaces = yield* ManagedWorkspaces
  const events = yield* ManagementEvents
  const random = yield* Randomness
  const clock = yield* ClockGuard
  const alone = makeOnePerKey()
  return { workspaces, events, random, clock, alone, retentionDelay, logOrigin }
})
type Services = Effect.Success<ReturnType<typeof loadServices>>

const resource = ({ id, name }: ManagedWorkspace) => ({ type: "workspace", id, name })

const newWorkspace = (
  { logOrigin }: Services,
  id: string,
  { name, plan = "enterprise", overrides = {}, anchor_schedule }: NewWorkspace
): Effect.Effect<ManagedWorkspace> =>
  Effect.map(Micros.now, (created_at) => ({
    id,
    name,
    plan,
    overrides,
    retention: AS_PLANNED,
    ip_allowlist: [],
    viewer_frame_ancestors: null,
    anchor_schedule: anchor_schedule ?? null,
    unknown_fields: "reject",
    key_access_events: false,
    viewer: null,
    log_origin: logOrigin,
    closed_at: null,
    created_at
  }))

/** The record of a workspace's creation. */
const creation = (workspace: ManagedWorkspace) => {
  const { id: workspaceId, name, plan, overrides } = workspace
  return {
    workspaceId,
    action: "cairn.workspace.created",
    resource: resource(workspace),
    metadata: { name, plan, overrides }
  }
}

const create = (services: Services) =>
  Effect.fn("WorkspaceManagement.create")(function* (by: Manager, input: NewWorkspace) {
    yield* checkName(input.name)
    yield* checkOverrides(input.overrides ?? {})
    if (input.anchor_schedule !== undefined) yield* checkAnchorSchedule(input.anchor_schedule)
    const workspace = yield* newWorkspace(services, input.id ?? `wsp_${uuid(services.random)}`, input)
    yield* services.workspaces.create(workspace, withNewName(workspace.name))
    yield* services.events.record(by, creation(workspace))
    return workspace
  })

const createFirst = (services: Services) =>
  Effect.fn("WorkspaceManagement.createFirst")(function* (
    by: Manager,
    { id, name }: Pick<ManagedWorkspace, "id" | "name">,
    beside: string | null
  ) {
    const made = Option.getOrUndefined(yield* services.workspaces.get(id))
    const workspace = made ?? (yield* newWorkspace(services, id, { name }))
    if (made === undefined) yield* services.workspaces.create(workspace, asFirst(beside))
    const record = creation(workspace)
    yield* services.events.record(by, { ...record, idempotencyKey: onceKey(record.action, id) })
    return workspace
  })

const check = Effect.fnUntraced(function* (change: WorkspaceUpdate) {
  if (change.name !== undefined) yield* checkName(change.name)
  if (change.overrides !== undefined) yield* checkOverrides(change.overrides)
  if (change.ip_allowlist !== undefined) yield* checkAllowlist(change.ip_allowlist)
  const ancestors = change.viewer_frame_ancestors ?? null
  if (ancestors !== null) yield* checkFrameAncestors(ancestors)
  const schedule = change.anchor_schedule ?? null
  if (schedule !== null) yield* checkAnchorSchedule(schedule)
  const viewer = change.viewer ?? null
  const wrong = viewer === null ? undefined : invalidInput(viewerSettingsFaults(viewer))
  if (wrong !== undefined) return yield* wrong
})

const recordRetention =
  (services: Services) =>
  (by: Manager, workspace: ManagedWorkspace, { action, from, to, pending }: RetentionRecord) => {
    const when = pending === undefined ? {} : pendingMetadata(pending)
    return services.events.record(by, {
      workspaceId: workspace.id,
      action,
      resource: resource(workspace),
      metadata: { from_days: from, to_days: to, ...when }
    })
  }

/** Records what changes, and what that means for how long contents are kept. */
const record = (services: Services) =>
  Effect.fnUntraced(function* (
    by: Manager,
    before: ManagedWorkspace,
    after: ManagedWorkspace,
    changed: Record<string, unknown>,
    now: Micros.Micros
  ) {
    for (const one of retentionRecords(before, after, now)) yield* recordRetention(services)(by, before, one)
    yield* services.events.record(by, {
      workspaceId: before.id,
      action: "cairn.workspace.updated",
      resource: resource(before),
      metadata: { changed }
    })
  })

const attempt = (services: Services) =>
  Effect.fnUntraced(function* (by: Manager, workspaceId: string, given: WorkspaceUpdate) {
    const found = yield* services.workspaces.get(workspaceId)
    if (Option.isNone(found)) return yield* new WorkspaceNotFound({ workspaceId })
    const before = found.value
    yield* checkRetention(before, given)
    const changed = difference(before, given)
    if (Object.keys(changed).length === 0) return before
    const { retention_days: days = before.retention.days, ...change } = given
    const now = yield* services.clock.now
    const target = { plan: change.plan ?? before.plan, overrides: change.overrides ?? before.overrides, days }
    const retention = changedRetention(before, target, {
      now,
      delay: services.retentionDelay,
      id: uuid(services.random)
    })
    // Recorded first: a change that is not in the log would be worse than a recorded change that then failed.
    yield* record(services)(by, before, { ...before, ...change, retention }, changed, now)
    const takeBack = Effect.forEach(
      retentionRecords({ ...before, ...change, retention }, before, now),
      (one) => recordRetention(services)(by, before, one),
      { discard: true }
    )
    return yield* services.workspaces
      .modify(
        workspaceId,
        (current) =>
          same(basisOf(current), basisOf(before))
            ? Result.succeed({
                ...change,
                retention: changedRetention(current, target, {
                  now,
                  delay: services.retentionDelay,
                  id: uuid(services.random)
                })
              })
            : Result.fail(new ChangedMeanwhile()),
        now
      )
      .pipe(Effect.tapError(({ _tag }) => (_tag === "ChangedMeanwhile" ? takeBack : Effect.void)))
  })

const update = (services: Services) =>
  Effect.fn("WorkspaceManagement.update")(function* (
    by: Manager,
    workspaceId: string,
    change: WorkspaceUpdate
  ) {
    yield* check(change)
    // In this process one at a time, so that what is recorded is what is done. Another process may still come
    // between.
    return yield* attempt(services)(by, workspaceId, change).pipe(
      services.alone(workspaceId),
      Effect.retry({ while: ({ _tag }) => _tag === "ChangedMeanwhile", times: RETRIES }),
      Effect.catchTag("ChangedMeanwhile", (cause) =>
        Effect.fail(new StorageUnavailable({ operation: "update a workspace", cause }))
      )
    )
  })

const make = (options: WorkspaceManagementOptions) =>
  Effect.map(loadServices(options), (services) => ({
    create: create(services),
    /**
     * Makes the first workspace of a service, under an id that the caller has chosen and a name that it has
     * checked; once made, it is returned. Recorded once, also if a crash came between.
     */
    createFirst: createFirst(services),
    update: update(services)
  }))

/**
 * The use cases. Each checks its input, makes the change, and records it in the workspace's log.
 *
 * An allowlist without the caller's own address is accepted: it says where keys may be used, and the `cairn`
 * command, which needs no key, can always set another. Who may change what is for callers to check: the plan
 * and its overrides are the operator's.
 */
export class WorkspaceManagement extends Context.Service<
  WorkspaceManagement,
  Effect.Success<ReturnType<typeof make>>
>()("@cairn/core/WorkspaceManagement") {
  static readonly layer = (options: WorkspaceManagementOptions) =>
    Layer.effect(WorkspaceManagement, make(options))
}
