/** Waiting for something that another process does. */

const PAUSE_MILLIS = 20

/** Long: what is asserted is that something comes, and a machine may be slow. */
const LIMIT_MILLIS = 60_000

/**
 * A process did not start in time, and nothing was found wrong. A trial with no other failure is run again.
 */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime"
}

/**
 * Asks until the answer is there; fails with `what` when it takes too long. What never comes may be an event
 * that was lost, so a trial that fails by it is not run again.
 */
export const eventually = async <A>(
  what: string,
  ask: () => Promise<A | undefined> | A | undefined,
  withinMillis = LIMIT_MILLIS
): Promise<A> => {
  const until = performance.now() + withinMillis
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (performance.now() > until) throw new Error(`not within ${withinMillis} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS))
  }
}
