/** What a server remembers of its own changes, so that reads through it see them, whatever they name. */
import { BoundedMap } from "@cairn/core/encoding"
import type { StorePosition } from "@cairn/core/log"

/** Workspaces whose newest change is remembered by itself. */
const MOST_WORKSPACES = 10_000

/** Where the database was after a change; `unknown` if it did not say. */
export type ChangeSeen = StorePosition | "unknown"

/** A change of a server. */
interface OwnChange {
  /** The number of the question where the database is, which was asked when the change had been made. */
  readonly number: number
  readonly seen: ChangeSeen
}

/** What is asked later is at or after everything that was made before. */
const laterOf = (one: OwnChange | undefined, other: OwnChange): OwnChange =>
  one !== undefined && one.number > other.number ? one : other

/** The changes of a server, by workspace: the reads of one wait for no change of another. */
export interface OwnChanges {
  /** Begins a question where the database is; what it returns takes the answer. */
  readonly asking: () => (workspaceId: string, seen: ChangeSeen) => void
  /** What the reads of a workspace must see of the changes; undefined for nothing. */
  readonly of: (workspaceId: string) => ChangeSeen | undefined
}

/**
 * Remembers the newest changes of so many workspaces. All others share the newest of those that were dropped,
 * which covers their own.
 */
export const makeOwnChanges = (most = MOST_WORKSPACES): OwnChanges => {
  const changes = new BoundedMap<string, OwnChange>(most)
  let asked = 0
  let ofOthers: OwnChange | undefined
  return {
    asking: () => {
      const number = ++asked
      return (workspaceId, seen) => {
        const before = changes.get(workspaceId) ?? ofOthers
        const dropped = changes.set(workspaceId, laterOf(before, { number, seen }))
        if (dropped !== undefined) ofOthers = laterOf(ofOthers, dropped)
      }
    },
    of: (workspaceId) => (changes.get(workspaceId) ?? ofOthers)?.seen
  }
}
