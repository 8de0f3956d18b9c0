/**
 * Says which work of a background thread runs in a turn of its event loop. Work there never ends, or takes
 * many turns, so its beginning and end say little: each step is noted.
 */
import { Effect, Scheduler, Stream } from "effect"
import { TurnWatch } from "./TurnWatch.ts"

class WatchedScheduler extends Scheduler.MixedScheduler {
  readonly #note: () => void

  constructor(note: () => void) {
    super()
    this.#note = note
  }

  /** Asked at each step of each fiber. */
  override shouldYield(fiber: Parameters<Scheduler.MixedScheduler["shouldYield"]>[0]): boolean {
    this.#note()
    return super.shouldYield(fiber)
  }
}

/** Gives work a name for the thread's watch. */
export type NameWork = (name: string) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Makes the names of a thread. */
export const makeNameWork = Effect.map(TurnWatch, ({ touched }): NameWork => {
  const schedulers = new Map<string, WatchedScheduler>()
  return (name) => {
    const known = schedulers.get(name)
    const work = { route: name }
    const scheduler = known ?? new WatchedScheduler(() => touched(work))
    schedulers.set(name, scheduler)
    return (effect) => Effect.provideService(effect, Scheduler.Scheduler, scheduler)
  }
})

/** Work under a name. */
export const named = <A, E, R>(name: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(makeNameWork, (nameWork) => nameWork(name)(work))

/** Names what a stream does for each of its chunks. */
export const nameStream = <A, E, R>(
  nameWork: NameWork,
  name: string,
  stream: Stream.Stream<A, E, R>
): Stream.Stream<A, E, R> => Stream.transformPull(stream, (pull) => Effect.succeed(nameWork(name)(pull)))

/** Names each handler's work as the handler is named. */
export const nameEach = <
  Handlers extends Readonly<
    Record<string, (request: never, options: never) => Effect.Effect<unknown, unknown, unknown>>
  >
>(
  nameWork: NameWork,
  handlers: Handlers
): Handlers =>
  Object.fromEntries(
    Object.entries(handlers).map(([name, handle]) => [
      name,
      (request: never, options: never) => nameWork(name)(handle(request, options))
    ])
  ) as Handlers
