/**
 * How much JSON is parsed and written between two turns of the event loop: what a long turn is made of,
 * counted instead of timed.
 */
import { Effect } from "effect"

/** What was counted while an effect ran. */
export interface WorkPerTurn<A> {
  readonly value: A
  /**
   * Characters that went through `JSON.parse` and `JSON.stringify` in the turn with the most of them; up to
   * two pieces if work is split.
   */
  readonly most: number
  /** The same in all turns. */
  readonly all: number
}

/**
 * Runs an effect and counts. Whatever else runs in the process is counted too, so only one may be counted at
 * a time.
 */
export const workPerTurn = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<WorkPerTurn<A>, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const { parse, stringify } = JSON
      const work = { most: 0, all: 0, now: 0 }
      const count = (characters: number) => {
        work.now += characters
        work.all += characters
        work.most = Math.max(work.most, work.now)
      }
      Object.assign(JSON, {
        parse: (...given: Parameters<typeof parse>): unknown => {
          count(given[0].length)
          return parse(...given)
        },
        stringify: (...given: Parameters<typeof stringify>): string | undefined => {
          const text: string | undefined = stringify(...given)
          count(text?.length ?? 0)
          return text
        }
      })
      const turn = () => {
        work.now = 0
        next = setImmediate(turn)
      }
      let next = setImmediate(turn)
      const stop = () => {
        clearImmediate(next)
        Object.assign(JSON, { parse, stringify })
      }
      return { work, stop }
    }),
    ({ work }) => Effect.map(effect, (value): WorkPerTurn<A> => ({ value, most: work.most, all: work.all })),
    ({ stop }) => Effect.sync(stop)
  )
