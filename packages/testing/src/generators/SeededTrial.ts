/**
 * Trials that choose at random: from the seeds of their corpus in their short form, and from a new one too
 * where they run whole.
 */
import { Cause, Effect } from "effect"
import { corpusEntries, seedOfRun, titleOfTest } from "./GeneratedTests.ts"
import { type SeededRandom, seededRandom } from "./SeededRandom.ts"

/** Whether trials run in full, as in `npm run test:endurance`, and not in their short form. */
export const isEndurance = (): boolean => process.env.CAIRN_ENDURANCE !== undefined

const nameSeed = (failure: unknown, seed: number): void => {
  if (failure instanceof Error) failure.message += `\n\nCAIRN_SEED=${seed} repeats this trial.`
}

/**
 * The seeds of a trial: the one of `CAIRN_SEED`, or else those that the corpus of the file at `url` keeps for
 * its title, and a new one where trials run whole. The title is that of the test alone: those of its suites
 * may name a storage or a count.
 */
const seedsOf = (url: string): ReadonlyArray<number> => {
  if (process.env.CAIRN_SEED !== undefined) return [seedOfRun()]
  const title = titleOfTest().split(" > ").at(-1) ?? ""
  const kept = corpusEntries(url, title).flatMap((entry) => ("seed" in entry ? [entry.seed] : []))
  return isEndurance() ? [...kept, seedOfRun()] : kept
}

/** Runs a story of the contract suite at `url` from each of its seeds. A failure names the seed. */
export const seededStory = <A, E, R>(
  url: string,
  story: (random: SeededRandom) => Effect.Effect<A, E, R>
): Effect.Effect<void, E, R> =>
  Effect.suspend(() =>
    Effect.forEach(
      seedsOf(url),
      (seed) =>
        Effect.tapCause(story(seededRandom(seed)), (cause) =>
          Effect.sync(() => nameSeed(Cause.squash(cause), seed))
        ),
      { discard: true }
    )
  )

/** Runs a trial of the test file at `url` from each of its seeds. A failure names the seed. */
export const seededTrial = async (url: string, trial: (seed: number) => Promise<void>): Promise<void> => {
  for (const seed of seedsOf(url)) {
    try {
      await trial(seed)
    } catch (failure) {
      nameSeed(failure, seed)
      throw failure
    }
  }
}
