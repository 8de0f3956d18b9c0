/** Making and changing workspaces. */
import {
  InvalidInput,
  MAX_NAME,
  Micros,
  type PlanName,
  type PlanOverrides,
  Randomness,
  uuid,
  type Workspace,
  type WorkspaceChange,
  Workspaces
} from "@cairn/core"
import { Context, Effect, Layer } from "effect"
import { parseNetwork } from "../http/ClientAddress.ts"
import { ManagementEvents, type Manager } from "./ManagementEvent.ts"

const checkName = (name: string) =>
  name.trim() === "" || name.length > MAX_NAME || !name.isWellFormed()
    ? Effect.fail(new InvalidInput({ path: "name", reason: `must have 1 to ${MAX_NAME} characters` }))
    : Effect.void

const checkAllowlist = (allowlist: ReadonlyArray<string>) =>
  Effect.forEach(
    allowlist,
    (cidr, index) =>
      parseNetwork(cidr) === undefined
        ? Effect.fail(
            new InvalidInput({ path: `ip_allowlist[${index}]`, reason: "must be an address or a CIDR" })
          )
        : Effect.void,
    { discard: true }
  )

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
    const workspace = yield* workspaces.update(workspaceId, change, yield* Micros.now)
    yield* events.record(by, {
      workspaceId,
      action: "cairn.workspace.updated",
      resource: resource(workspace),
      metadata: { changed: { ...change } }
    })
    return workspace
  })

  return { create, update }
})

/** The use cases; each checks its input, makes the change, and records it in the log. */
export class WorkspaceManagement extends Context.Service<WorkspaceManagement, Effect.Success<typeof make>>()(
  "@cairn/server/WorkspaceManagement"
) {
  static readonly layer = Layer.effect(WorkspaceManagement, make)
}
