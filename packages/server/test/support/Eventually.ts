/** Waiting for something that another process does. */

const PAUSE_MILLIS = 20

/** Time ran out: nothing was found to be wrong. A trial that fails with nothing else is run once more. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime"
}

/** Asks until the answer is there; fails with {@link OutOfTime} and `what` when it takes too long. */
export const eventually = async <A>(
  what: string,
  ask: () => Promise<A | undefined> | A | undefined,
  withinMillis = 20_000
): Promise<A> => {
  const until = performance.now() + withinMillis
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (performance.now() > until) throw new OutOfTime(`not within ${withinMillis} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLIS))
  }
}
