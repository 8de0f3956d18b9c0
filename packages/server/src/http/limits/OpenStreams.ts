/**
 * How many answers of a kind are open at a time whose clients decide how long: of a workspace, of one of its
 * tenants, of what one viewer scope sees, and of this process.
 *
 * The viewers of a tenant may have one more only while more are free in the workspace than they have: alone
 * they have half of all, and there is room for another tenant, and for the workspace's own people.
 */
import type { ServerResponse } from "node:http"
import type { ViewerScope } from "@cairn/core/event"
import { Effect } from "effect"
import { ApiError, overLimit } from "../plumbing/ApiError.ts"

/** The most that may be open at once. */
export interface StreamLimits {
  readonly ofWorkspace: number
  /** Of the viewer tokens for one tenant and actor, however many there are. */
  readonly ofViewer: number
  readonly ofProcess: number
}

/** Who asks, of a request. */
interface Asking {
  readonly identity: { readonly workspaceId: string }
  readonly viewer: ViewerScope | null
  readonly response: ServerResponse
}

/** The open streams of one kind. */
export interface OpenStreams {
  /** Counts one until its response is over; `429` where there are too many. */
  readonly open: (request: Asking) => Effect.Effect<void, ApiError>
  /** How many are open. */
  readonly size: () => number
}

/** When a rejected client may try again. */
const RETRY_SECONDS = 10

/** How many of each name. */
class Tally {
  readonly #counts = new Map<string, number>()

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  add(name: string, change: 1 | -1): void {
    const count = this.of(name) + change
    if (count === 0) this.#counts.delete(name)
    else this.#counts.set(name, count)
  }
}

/** Makes the count of those that are called `what`, none of which is open. */
export const makeOpenStreams = (what: string, limits: StreamLimits): OpenStreams => {
  const tally = new Tally()
  const all = "all"
  const tooMany = (message: string) =>
    new ApiError({
      code: "rate_limited",
      message,
      headers: { "retry-after": String(RETRY_SECONDS) },
      limit: "open_answers"
    })
  const limitOf = (name: string, most: number, whose: string) =>
    tally.of(name) < most
      ? undefined
      : tooMany(`${whose} ${tally.of(name)} ${what} open, and no more may be at once`)
  /** The names that one is counted by, and what refuses it. */
  const namesOf = (workspaceId: string, viewer: ViewerScope | null) => {
    const workspace = `workspace ${workspaceId}`
    const places = limitOf(workspace, limits.ofWorkspace, "The workspace has")
    if (viewer === null) return { names: [workspace], refusal: places }
    const { tenantId, actorId } = viewer
    const scope = `viewer ${JSON.stringify([workspaceId, tenantId, actorId])}`
    // A token of no tenant is one of its actor, or of all.
    const tenant = `tenant ${JSON.stringify([workspaceId, tenantId, tenantId === null ? actorId : null])}`
    const free = limits.ofWorkspace - tally.of(workspace)
    return {
      names: [workspace, scope, tenant],
      refusal:
        places ??
        limitOf(scope, limits.ofViewer, "What this viewer token shows has") ??
        limitOf(tenant, free, "The viewers of this tenant have")
    }
  }
  const open = ({ identity: { workspaceId }, viewer, response }: Asking): Effect.Effect<void, ApiError> =>
    Effect.suspend(() => {
      const { names: own, refusal } = namesOf(workspaceId, viewer)
      if (refusal !== undefined) return Effect.fail(refusal)
      if (tally.of(all) >= limits.ofProcess)
        return Effect.fail(
          overLimit("open_answers", `The server has ${limits.ofProcess} ${what} open`, RETRY_SECONDS)
        )
      // The client has gone while its request was looked at.
      if (response.closed || response.destroyed) return Effect.interrupt
      const names = [all, ...own]
      for (const name of names) tally.add(name, 1)
      response.once("close", () => {
        for (const name of names) tally.add(name, -1)
      })
      return Effect.void
    })
  return { open, size: () => tally.of(all) }
}
