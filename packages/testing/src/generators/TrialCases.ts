/**
 * Tests with more cases than a run needs that somebody waits for: `npm test` tries some of them, and a trial,
 * which imports the file or registers the same suite, all.
 */
import { isEndurance } from "./SeededTrial.ts"

/** Whether all cases are tried: in trials, as `vitest.config.ts` says, and in whatever runs whole. */
export const isTrial = (): boolean => process.env.CAIRN_TRIALS !== undefined || isEndurance()

/** All cases in a trial, and otherwise the first `count`. */
export const firstOf = <Case>(count: number, cases: ReadonlyArray<Case>): ReadonlyArray<Case> =>
  isTrial() ? cases : cases.slice(0, count)

/** All cases in a trial, and otherwise every `step`th. */
export const sampled = <Case>(cases: ReadonlyArray<Case>, step: number): ReadonlyArray<Case> =>
  isTrial() ? cases : cases.filter((_, at) => at % step === 0)
