/**
 * Long reads in progress. Equal questions share one; a workspace has a few at once; and one that nobody waits
 * for any more is ended, unless a client was told to come back for it.
 */
import type { StorageUnavailable } from "@cairn/core/log"
import { Deferred, Effect, type Fiber, type Scope, Semaphore } from "effect"
import { type ApiError, overLimit } from "../plumbing/ApiError.ts"

/** How long an answer waits for its run, in milliseconds. */
export const PATIENCE_MILLIS = 10_000

/** Seconds after which a client that was told to come back may. */
export const COME_BACK_SECONDS = 5

/** Runs of one kind that a workspace has in progress: those that take longest, and apart from them others. */
export const MOST_LONG = 2
const MOST_OTHER = 4

/** Long runs in progress in all; further ones wait. Fewer than the connections to a database. */
const MOST_LONG_IN_ALL = 4

/** What is asked for. */
export interface Question<A> {
  /** The same for equal questions. */
  readonly key: string
  /** Whose runs it takes turns with. */
  readonly lane: string
  readonly isLong: boolean
  readonly work: Effect.Effect<A, StorageUnavailable>
}

/** A run that somebody asked for. */
interface Run<A> {
  /** Its place among the runs and the questions, in the order of time. */
  readonly begun: number
  readonly result: Deferred.Deferred<A, StorageUnavailable>
  /** Undefined for a moment, while it begins. */
  fiber: Fiber.Fiber<unknown> | undefined
  /** Whether it has a place, and is being worked on. */
  working: boolean
  /** How many wait for it. */
  waiting: number
  /** Whether it goes on if nobody waits: somebody was told to come back. */
  kept: boolean
}

/** The runs of one kind and one workspace. */
interface Lane {
  readonly places: Semaphore.Semaphore
  /** Those that are in progress or wait for a place. */
  runs: number
}

/** The places of a service, for runs of all kinds. */
export interface Places {
  readonly everywhere: Semaphore.Semaphore
  readonly lanes: Map<string, Lane>
}

/** Makes them, none taken yet. */
export const makePlaces = (): Places => ({
  everywhere: Semaphore.makeUnsafe(MOST_LONG_IN_ALL),
  lanes: new Map()
})

/** Runs of one kind of question. */
interface Context<A> {
  readonly places: Places
  readonly scope: Scope.Scope
  /** How long the result of a kept run is there for a client that comes back, in milliseconds. */
  readonly rememberMillis: number
  readonly runs: Map<string, Run<A>>
  readonly remembered: Map<string, A>
  /** How many runs and questions there were. */
  moments: number
}

/** Forgets a run, which is over or of no use to anyone. */
const forget = <A>({ runs }: Context<A>, { key }: Question<A>, run: Run<A>): void => {
  if (runs.get(key) === run) runs.delete(key)
}

/** Keeps a result for those who were told to come back for it. */
const remember = <A>(context: Context<A>, { key }: Question<A>, result: A): Effect.Effect<void> => {
  const { remembered, rememberMillis, scope } = context
  if (rememberMillis === 0) return Effect.void
  remembered.set(key, result)
  return Effect.sleep(rememberMillis).pipe(
    Effect.andThen(
      Effect.sync(() => {
        if (remembered.get(key) === result) remembered.delete(key)
      })
    ),
    Effect.forkIn(scope),
    Effect.asVoid
  )
}

/** Begins a run, which belongs to the service and not to the request that asked for it. */
const begin = <A>(context: Context<A>, question: Question<A>): Effect.Effect<Run<A>> => {
  const { lanes, everywhere } = context.places
  const { isLong } = question
  const run: Run<A> = {
    begun: ++context.moments,
    result: Deferred.makeUnsafe(),
    fiber: undefined,
    working: false,
    waiting: 0,
    kept: false
  }
  const lane = lanes.get(question.lane) ?? {
    places: Semaphore.makeUnsafe(isLong ? MOST_LONG : MOST_OTHER),
    runs: 0
  }
  lanes.set(question.lane, lane)
  lane.runs++
  context.runs.set(question.key, run)
  const working = Effect.suspend(() => {
    run.working = true
    return question.work
  }).pipe(
    Effect.tap((result) =>
      Effect.suspend(() => (run.kept ? remember(context, question, result) : Effect.void))
    )
  )
  return lane.places.withPermit(isLong ? everywhere.withPermit(working) : working).pipe(
    Effect.onExit((exit) =>
      Effect.sync(() => {
        forget(context, question, run)
        lane.runs--
        if (lane.runs === 0) lanes.delete(question.lane)
        Deferred.doneUnsafe(run.result, exit)
      })
    ),
    Effect.exit,
    // At once, so that what ends it finds it begun.
    Effect.forkIn(context.scope, { startImmediately: true }),
    Effect.map((fiber) => {
      run.fiber = fiber
      return run
    })
  )
}

/** Waits for a run. The last one who leaves ends it, unless it is kept. */
const join = <A>(
  context: Context<A>,
  question: Question<A>,
  run: Run<A>
): Effect.Effect<A, StorageUnavailable> =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      run.waiting++
    }),
    () => Deferred.await(run.result),
    () =>
      Effect.sync(() => {
        run.waiting--
        if (run.waiting > 0 || run.kept) return
        forget(context, question, run)
        run.fiber?.interruptUnsafe()
      })
  )

/**
 * The answer to a question: what is remembered, or that of a run that began after it was asked. One that
 * began before may lack what was recorded in between; it is awaited, since a run after it costs only that, or
 * finds what it left.
 */
const answer = <A>(context: Context<A>, question: Question<A>): Effect.Effect<A, StorageUnavailable> =>
  Effect.suspend(() => {
    const asked = ++context.moments
    const again: Effect.Effect<A, StorageUnavailable> = Effect.suspend(() => {
      const { remembered, runs } = context
      const known = remembered.get(question.key)
      if (known !== undefined) return Effect.succeed(known)
      const run = runs.get(question.key)
      if (run === undefined) {
        return Effect.flatMap(begin(context, question), (begun) => join(context, question, begun))
      }
      const joined = join(context, question, run)
      return run.begun > asked ? joined : Effect.andThen(joined, again)
    })
    return again
  })

/** Runs, shared and bounded. */
export interface SharedRuns<A> {
  /** The answer, however long it takes. */
  readonly answer: (question: Question<A>) => Effect.Effect<A, StorageUnavailable>
  /**
   * The answer, or `503` with a message if that takes longer than {@link PATIENCE_MILLIS}: the run goes on
   * then, and the next request finds it.
   */
  readonly inTime: (question: Question<A>, message: string) => Effect.Effect<A, ApiError | StorageUnavailable>
  /** Whether a run for the question would have to wait for a place in its lane. */
  readonly mustWait: (question: Question<A>) => boolean
}

/** Makes them, none in progress yet; they end with the scope. */
export const makeSharedRuns = <A>(
  places: Places,
  rememberMillis: number
): Effect.Effect<SharedRuns<A>, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const context: Context<A> = {
      places,
      scope,
      rememberMillis,
      runs: new Map(),
      remembered: new Map(),
      moments: 0
    }
    return {
      answer: (question) => answer(context, question),
      inTime: (question, message) => {
        const outOfPatience = Effect.andThen(
          Effect.sleep(PATIENCE_MILLIS),
          Effect.suspend(() => {
            const run = context.runs.get(question.key)
            // One that waits for its place is not kept: there may be many of those.
            if (run?.working === true) run.kept = true
            return Effect.fail(overLimit("counts", message, COME_BACK_SECONDS))
          })
        )
        return Effect.raceFirst(answer(context, question), outOfPatience)
      },
      mustWait: ({ key, lane }) => (places.lanes.get(lane)?.runs ?? 0) >= MOST_LONG && !context.runs.has(key)
    }
  })
