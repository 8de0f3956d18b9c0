/**
 * Tests with more cases than a run needs that somebody waits for: `npm test` tries the first of them, and a
 * trial, which imports the file, all.
 */

/** Whether the file runs as a trial, as `vitest.config.ts` says. */
export const isTrial = (): boolean => process.env.CAIRN_TRIALS !== undefined

/** All cases in a trial, and otherwise the first `count`. */
export const firstOf = <Case>(count: number, cases: ReadonlyArray<Case>): ReadonlyArray<Case> =>
  isTrial() ? cases : cases.slice(0, count)
