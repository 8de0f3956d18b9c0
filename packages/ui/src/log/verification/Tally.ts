/** How many of the events that are shown verified. */
import type { Mark } from "./EventVerifier.ts"

/** The numbers, and who is not among those that verified. */
export interface Tally {
  readonly shown: number
  readonly proven: number
  /** Whether some are still being verified. */
  readonly isChecking: boolean
  /** Whether the verification of some failed. */
  readonly isBroken: boolean
  /** Ids of those that did not verify: those whose verification failed, or else those without one. */
  readonly others: ReadonlyArray<string>
}

/** The tally of marks, each with the id of its event. */
export const tallyOf = (marks: ReadonlyArray<readonly [id: string, kind: Mark["kind"]]>): Tally => {
  const ids = (wanted: Mark["kind"]) => marks.filter(([, kind]) => kind === wanted).map(([id]) => id)
  const broken = ids("broken")
  return {
    shown: marks.length,
    proven: ids("proven").length,
    isChecking: marks.some(([, kind]) => kind === "checking"),
    isBroken: broken.length > 0,
    others: broken.length > 0 ? broken : ids("unchecked")
  }
}

/** The one after `last` among ids, and the first again after the last of them. */
export const nextOf = (ids: ReadonlyArray<string>, last: string | undefined): string | undefined =>
  ids[(ids.indexOf(last ?? "") + 1) % Math.max(1, ids.length)]
