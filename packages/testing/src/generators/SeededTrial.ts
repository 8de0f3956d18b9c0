/**
 * Trials that choose at random: from a fixed seed in their short form, from a new one where they run whole.
 */
import { seedOfRun } from "./GeneratedTests.ts"

/** Whether trials run in full, as in `npm run test:endurance`, and not in their short form. */
export const isEndurance = (): boolean => process.env.CAIRN_ENDURANCE !== undefined

/**
 * Runs a trial from a seed; `short` is the seed of the short form, and `CAIRN_SEED` takes precedence. A
 * failure names the seed.
 */
export const seededTrial = async (short: number, trial: (seed: number) => Promise<void>): Promise<void> => {
  const seed = seedOfRun(isEndurance() ? undefined : short)
  try {
    await trial(seed)
  } catch (failure) {
    if (failure instanceof Error) failure.message += `\n\nCAIRN_SEED=${seed} repeats this trial.`
    throw failure
  }
}
