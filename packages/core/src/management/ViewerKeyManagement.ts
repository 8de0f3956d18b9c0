/** Making viewer tokens, and replacing the key that signs them. */

import { Context, Effect, Layer, Option } from "effect"
import { ManagedWorkspaces, WorkspaceNotFound } from "../workspace/ManagedWorkspace.ts"
import { type AskedToken, ViewerTokens } from "../workspace/ViewerTokens.ts"
import { ManagementEvents, type Manager } from "./ManagementEvent.ts"

const make = Effect.gen(function* () {
  const tokens = yield* ViewerTokens
  const workspaces = yield* ManagedWorkspaces
  const events = yield* ManagementEvents

  /** Makes a new key and returns its id; see `ViewerTokens.rotate` for `revoke`. */
  const rotate = Effect.fn("ViewerKeyManagement.rotate")(function* (
    by: Manager,
    workspaceId: string,
    { revoke }: { readonly revoke: boolean }
  ) {
    const workspace = yield* workspaces.get(workspaceId)
    if (Option.isNone(workspace)) return yield* new WorkspaceNotFound({ workspaceId })
    const id = yield* tokens.rotate(workspaceId, { revoke })
    // The log names a key after it is stored. A crash in between leaves a key that is not in the log.
    yield* events.record(by, {
      workspaceId,
      action: "cairn.viewer_key.rotated",
      resource: { type: "viewer_key", id, name: null },
      metadata: { revoke }
    })
    return id
  })

  /**
   * Makes a token. That a person makes one is recorded before anybody has it; programs make one for each page
   * that they show, and theirs are not.
   */
  const issue = Effect.fn("ViewerKeyManagement.issue")(function* (
    by: Manager,
    workspaceId: string,
    asked: AskedToken
  ) {
    const issued = yield* tokens.issue(workspaceId, asked)
    if (by.type === "member")
      yield* events.record(by, {
        workspaceId,
        action: "cairn.viewer_token.created",
        resource: { type: "viewer_token", id: issued.tokenId, name: null },
        metadata: {
          tenant_id: asked.tenantId,
          // Not whose: that could not be erased.
          is_of_actor: asked.actorId !== null,
          may_export: asked.mayExport === true,
          expires_at: issued.expiresAt
        }
      })
    return issued
  })

  return { rotate, issue }
})

/** The use cases; they record the change in the workspace's log. */
export class ViewerKeyManagement extends Context.Service<ViewerKeyManagement, Effect.Success<typeof make>>()(
  "@cairn/core/ViewerKeyManagement"
) {
  static readonly layer = Layer.effect(ViewerKeyManagement, make)
}
