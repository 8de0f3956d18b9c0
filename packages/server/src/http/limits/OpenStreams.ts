/**
 * How many answers of a kind are open at a time whose clients decide how long: of a workspace, of what one
 * viewer scope sees, and of this process.
 */
import type { ServerResponse } from "node:http"
import type { ViewerScope } from "@cairn/core/event"
import { Effect } from "effect"
import { ApiError, unavailable } from "../plumbing/ApiError.ts"

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

/** When whoever is refused may try again. */
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
    new ApiError({ code: "rate_limited", message, headers: { "retry-after": String(RETRY_SECONDS) } })
  const open = ({ identity: { workspaceId }, viewer, response }: Asking): Effect.Effect<void, ApiError> =>
    Effect.suspend(() => {
      const workspace = `workspace ${workspaceId}`
      const scope =
        viewer === null
          ? undefined
          : `viewer ${JSON.stringify([workspaceId, viewer.tenantId, viewer.actorId])}`
      if (tally.of(workspace) >= limits.ofWorkspace)
        return Effect.fail(
          tooMany(`The workspace has ${limits.ofWorkspace} ${what} open, and no more may be at once`)
        )
      if (scope !== undefined && tally.of(scope) >= limits.ofViewer)
        return Effect.fail(
          tooMany(
            `What this viewer token shows has ${limits.ofViewer} ${what} open, and no more may be at once`
          )
        )
      if (tally.of(all) >= limits.ofProcess)
        return Effect.fail(unavailable(`The server has ${limits.ofProcess} ${what} open`, RETRY_SECONDS))
      // The client has gone while its request was looked at.
      if (response.closed || response.destroyed) return Effect.interrupt
      const names = [all, workspace, ...(scope === undefined ? [] : [scope])]
      for (const name of names) tally.add(name, 1)
      response.once("close", () => {
        for (const name of names) tally.add(name, -1)
      })
      return Effect.void
    })
  return { open, size: () => tally.of(all) }
}
