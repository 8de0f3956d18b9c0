/** What the plans and the reports of kill trials share. */
import type { SeededRandom } from "@cairn/testing"

/** How many kills there are. */
export interface KillCounts {
  /** Of each point. */
  readonly each: number
  /** Of all; those that remain are at random. */
  readonly kills: number
}

/** A kill at whatever instruction the process is. */
export const AT_RANDOM = "at random"

/** The items in an order of chance. */
export const shuffled = <A>(items: ReadonlyArray<A>, random: SeededRandom): ReadonlyArray<A> =>
  items
    .map((item) => [random.real(), item] as const)
    .sort(([one], [other]) => one - other)
    .map(([, item]) => item)

/** Counts one more. */
export const count = (counts: Map<string, number>, what: string): void =>
  void counts.set(what, (counts.get(what) ?? 0) + 1)

/** Counts as a text. */
export const say = (counts: Iterable<readonly [string, number]>): string =>
  [...counts].map(([what, times]) => `${what} ${times}`).join(", ")

/** Kills as a text: of all, and of each point. */
export const sayKills = (killed: ReadonlyMap<string, number>): string => {
  const all = [...killed.values()].reduce((sum, times) => sum + times, 0)
  return `${all} kills (${say([...killed].sort())})`
}
