/**
 * Trials that choose at random: from a fixed seed in their short form, from a new one where they run whole.
 */
import { Cause, Effect } from "effect"
import { seedOfRun } from "./GeneratedTests.ts"
import { type SeededRandom, seededRandom } from "./SeededRandom.ts"

/** Whether trials run in full, as in `npm run test:endurance`, and not in their short form. */
export const isEndurance = (): boolean => process.env.CAIRN_ENDURANCE !== undefined

const nameSeed = (failure: unknown, seed: number): void => {
  if (failure instanceof Error) failure.message += `\n\nCAIRN_SEED=${seed} repeats this trial.`
}

/**
 * Runs a story of a contract from a seed: `CAIRN_SEED`, or else `short`, or a new one where trials run whole.
 * A failure names it.
 */
export const seededStory = <A, E, R>(
  short: number,
  story: (random: SeededRandom) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const seed = seedOfRun(isEndurance() ? undefined : short)
    return Effect.tapCause(story(seededRandom(seed)), (cause) =>
      Effect.sync(() => nameSeed(Cause.squash(cause), seed))
    )
  })

/**
 * Runs a trial from a seed; `short` is the seed of the short form, and `CAIRN_SEED` takes precedence. A
 * failure names the seed.
 */
export const seededTrial = async (short: number, trial: (seed: number) => Promise<void>): Promise<void> => {
  const seed = seedOfRun(isEndurance() ? undefined : short)
  try {
    await trial(seed)
  } catch (failure) {
    nameSeed(failure, seed)
    throw failure
  }
}
