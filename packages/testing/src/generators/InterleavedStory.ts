/**
 * Random events in the life of several processes of Cairn on one database: requests, rounds of sequencing,
 * restarts, and faults.
 */
import type { SeededRandom } from "./SeededRandom.ts"

/** Idempotency keys that stories share, so that requests meet. */
const KEYS = 6
/** The most events of one request. */
const MAX_EVENTS = 5

/** What happens to one of the processes. */
export type Act<Fault extends string> = { readonly process: number } & (
  | { readonly kind: "accept"; readonly workspace: number; readonly keys: ReadonlyArray<string | null> }
  | { readonly kind: "sequence" | "restart" | Fault }
)

/** The parameters of a story. */
export interface StoryOptions<Fault extends string> {
  readonly processes: number
  readonly workspaces: number
  /**
   * The faults, and how often they occur compared with six requests, four rounds of sequencing and one
   * restart.
   */
  readonly faults: Readonly<Record<Fault, number>>
}

/** A list of acts that happen at the same time; the next list follows. */
export const randomStory = <Fault extends string>(
  random: SeededRandom,
  { processes, workspaces, faults }: StoryOptions<Fault>
): ReadonlyArray<ReadonlyArray<Act<Fault>>> => {
  const weights = Object.entries<number>({ accept: 6, sequence: 4, restart: 1, ...faults })
  const kinds = weights.flatMap(([kind, weight]) =>
    Array.from({ length: weight }, () => kind as Act<Fault>["kind"])
  )
  const key = () => (random.chance(1 / 4) ? null : `key-${random.below(KEYS)}`)
  const act = (): Act<Fault> => {
    const kind = random.pick(kinds)
    const process = random.below(processes)
    const keys = () => Array.from({ length: 1 + random.below(MAX_EVENTS) }, key)
    return {
      process,
      ...(kind === "accept" ? { kind, workspace: random.below(workspaces), keys: keys() } : { kind })
    } as Act<Fault>
  }
  return Array.from({ length: 3 + random.below(8) }, () => Array.from({ length: 1 + random.below(4) }, act))
}
