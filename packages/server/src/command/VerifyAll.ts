/** Verifies the logs of all workspaces. */
import { ChainVerifier } from "@cairn/core/verification"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { Effect } from "effect"

/** The chain of each workspace, checked where it is now. */
export const verifyAll = Effect.gen(function* () {
  const { verify } = yield* ChainVerifier
  const workspaces = yield* (yield* ManagedWorkspaces).list
  return yield* Effect.forEach(workspaces, ({ id }) =>
    Effect.map(
      verify({ workspaceId: id, limit: Number.MAX_SAFE_INTEGER }),
      ({ valid, events_checked, breaks }) => ({
        workspace_id: id,
        valid,
        events_checked,
        breaks: breaks.length
      })
    )
  )
})
