/** Shares one thread among workspaces, so that many requests of one workspace do not delay another. */
import { Effect, Semaphore } from "effect"

/**
 * The kinds of request: a look at a few rows, a page of events, the proofs of some, which may be several
 * pages' contents, a search, or a walk through much of a log, as a verification is.
 */
export type Errand = "look" | "page" | "proofs" | "search" | "walk"

/**
 * Most errands of a kind that one workspace has in progress. Each is done in turns, so another workspace
 * waits for one turn of each.
 */
export const MOST_UNDER_WAY: Readonly<Record<Errand, number>> = {
  look: 16,
  page: 4,
  proofs: 1,
  search: 2,
  walk: 2
}

/** Errands of one kind and one workspace. */
interface Share {
  readonly semaphore: Semaphore.Semaphore
  /** Errands that are in progress or wait. */
  asked: number
}

/** The shares of a thread. */
export interface Shares {
  /**
   * Does it once fewer than {@link MOST_UNDER_WAY} of the workspace's are in progress, first come, first
   * served. A caller that is interrupted while it waits leaves nothing to do.
   */
  readonly take: <A, E, R>(
    workspaceId: string,
    errand: Errand,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R>
  /** How many shares are in use: memory holds no others. */
  readonly size: () => number
}

/** Makes shares, none of which is in use yet. */
export const makeShares = (): Shares => {
  const shares = new Map<string, Share>()
  const shareOf = (key: string, errand: Errand): Share => {
    const known = shares.get(key)
    if (known !== undefined) return known
    const made = { semaphore: Semaphore.makeUnsafe(MOST_UNDER_WAY[errand]), asked: 0 }
    shares.set(key, made)
    return made
  }
  return {
    take: (workspaceId, errand, effect) => {
      const key = `${errand} ${workspaceId}`
      return Effect.acquireUseRelease(
        Effect.sync(() => {
          const share = shareOf(key, errand)
          share.asked++
          return share
        }),
        ({ semaphore }) => semaphore.withPermit(effect),
        (share) =>
          Effect.sync(() => {
            share.asked--
            if (share.asked === 0) shares.delete(key)
          })
      )
    },
    size: () => shares.size
  }
}
