/** How durations are taken and summed up. All of them are milliseconds. */

/** The value below which a share of the samples lies; 0 of no samples. */
export const quantile = (samples: ReadonlyArray<number>, share: number): number => {
  const sorted = samples.toSorted((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0
}

/** Runs a task and gives its value and how long it took. */
export const timed = async <A>(task: () => A | Promise<A>): Promise<readonly [A, number]> => {
  const begun = performance.now()
  const value = await task()
  return [value, performance.now() - begun]
}

/** Milliseconds after which no further run is begun, once there are {@link FEWEST} samples. */
const PATIENCE = 20_000
const FEWEST = 3

/**
 * How long each of some runs took, one after the other; those of the warm-up are left out. There are fewer
 * samples than asked for where they take long.
 */
export const durations = async (
  runs: number,
  task: (run: number) => unknown,
  warmUp = 0
): Promise<ReadonlyArray<number>> => {
  const samples: Array<number> = []
  const begun = performance.now()
  for (let run = -warmUp; samples.length < runs; run++) {
    const late = performance.now() - begun > PATIENCE
    if (late && samples.length >= FEWEST) break
    const [, millis] = await timed(() => task(run))
    if (run >= 0 || late) samples.push(millis)
  }
  return samples
}

/** The best of five runs: a server has run for longer than its compiler needs to warm up. */
export const bestOf = async (task: () => unknown): Promise<number> => Math.min(...(await durations(5, task)))
