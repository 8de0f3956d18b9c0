/** How far a replica is behind its primary, by what both have said. */
import type { Known } from "./ReplicaSet.ts"
import type { ReplicaState } from "./ReplicaState.ts"

/** Most positions of the primary that are kept; the older ones lie further apart. */
const KEPT = 600

/** Those positions of the primary that are kept, with one that was asked for after them. */
export const withWritten = (history: ReadonlyArray<Known>, known: Known): ReadonlyArray<Known> => {
  const [first] = history
  const { system, timeline } = known.position
  const continues = first?.position.system === system && first.position.timeline === timeline
  const before = continues ? history : []
  const kept = before.length < KEPT ? before : before.filter((_, index) => index % 2 === 0)
  return [...kept, known]
}

/** What a replica has replayed, and the newest position of its primary; undefined where one is not known. */
const compared = (history: ReadonlyArray<Known>, state: ReplicaState | undefined) => {
  const newest = history.at(-1)?.position
  return newest === undefined || state?.system !== newest.system || state.replayed === null
    ? undefined
    : { written: newest.written, replayed: state.replayed }
}

/** What the primary has written and the replica has not replayed. */
export const lagBytes = (history: ReadonlyArray<Known>, state: ReplicaState | undefined) => {
  const found = compared(history, state)
  return found && Math.max(0, found.written - found.replayed)
}

/**
 * For how long there has been something that the replica has not replayed: since the last time that the
 * primary was asked, and had written no more than the replica has now.
 */
export const lagSeconds = (
  history: ReadonlyArray<Known>,
  state: ReplicaState | undefined,
  now: number
): number | undefined => {
  const found = compared(history, state)
  if (found === undefined || found.written <= found.replayed) return found && 0
  const last = history.findLast(({ position }) => position.written <= found.replayed) ?? history[0]
  return last && (now - last.at) / 1_000
}
