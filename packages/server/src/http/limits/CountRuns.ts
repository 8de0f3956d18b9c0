/**
 * Exact counts in progress. Equal questions share one; a workspace has a few at once; and one that nobody
 * waits for any more is ended, unless a client was told to come back for it.
 */
import type { CountRequest, StorageUnavailable } from "@cairn/core/log"
import { Deferred, Effect, type Fiber, type Scope, Semaphore } from "effect"
import { ApiError, unavailable } from "../plumbing/ApiError.ts"

/** How long a list waits for its total, in milliseconds. */
export const PATIENCE_MILLIS = 10_000

/** Seconds after which a client that was told to come back may. */
const COME_BACK_SECONDS = 5

/**
 * Counts that one workspace has in progress: those that were asked for by themselves and those of searches,
 * which take longest, and apart from them those of other lists.
 */
const MOST_LONG = 2
const MOST_OTHER = 4

/** Long counts in progress in all; further ones wait. Fewer than the connections to a database. */
const MOST_LONG_IN_ALL = 4

/** Makes a count. */
type Count = (request: CountRequest) => Effect.Effect<number, StorageUnavailable>

/** A count that somebody asked for. */
interface Run {
  /** Its place among the runs and the questions, in the order of time. */
  readonly begun: number
  readonly result: Deferred.Deferred<number, StorageUnavailable>
  /** Undefined for a moment, while it begins. */
  fiber: Fiber.Fiber<unknown> | undefined
  /** Whether it has a place, and is being counted. */
  counting: boolean
  /** How many wait for it. */
  waiting: number
  /** Whether it goes on if nobody waits: somebody was told to come back. */
  kept: boolean
}

/** The runs of one kind and one workspace. */
interface Lane {
  readonly places: Semaphore.Semaphore
  /** Those that are counting or wait for a place. */
  runs: number
}

/** What is asked for. */
interface Question {
  readonly request: CountRequest
  /** The same for equal questions, though the retention window begins later with each request. */
  readonly key: string
  readonly lane: string
  readonly isLong: boolean
}

/** The counts of a service. */
interface Context {
  readonly count: Count
  readonly scope: Scope.Scope
  readonly everywhere: Semaphore.Semaphore
  readonly runs: Map<string, Run>
  readonly lanes: Map<string, Lane>
  /** How many runs and questions there were. */
  moments: number
}

const questionOf = (request: CountRequest, isLong: boolean): Question => {
  const conditions = Object.entries(request.filter).sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    request,
    key: JSON.stringify([request.workspaceId, request.visibleFrom === null, conditions]),
    lane: `${isLong ? "long" : "other"} ${request.workspaceId}`,
    isLong
  }
}

/** Forgets a run, which is over or of no use to anyone. */
const forget = ({ runs }: Context, { key }: Question, run: Run): void => {
  if (runs.get(key) === run) runs.delete(key)
}

/** Begins a count, which belongs to the service and not to whoever asked for it. */
const begin = (context: Context, question: Question): Effect.Effect<Run> => {
  const { lanes, everywhere } = context
  const { request, isLong } = question
  const run: Run = {
    begun: ++context.moments,
    result: Deferred.makeUnsafe(),
    fiber: undefined,
    counting: false,
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
  const counting = Effect.suspend(() => {
    run.counting = true
    return context.count(request)
  })
  return lane.places.withPermit(isLong ? everywhere.withPermit(counting) : counting).pipe(
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
const join = (context: Context, question: Question, run: Run): Effect.Effect<number, StorageUnavailable> =>
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
 * The answer to a question: that of a run that began after it was asked. One that began before may lack what
 * was recorded in between; it is awaited, since counting after it costs only that.
 */
const answer = (context: Context, question: Question): Effect.Effect<number, StorageUnavailable> =>
  Effect.suspend(() => {
    const asked = ++context.moments
    const again: Effect.Effect<number, StorageUnavailable> = Effect.suspend(() => {
      const run = context.runs.get(question.key)
      if (run === undefined) {
        return Effect.flatMap(begin(context, question), (begun) => join(context, question, begun))
      }
      const joined = join(context, question, run)
      return run.begun > asked ? joined : Effect.andThen(joined, again)
    })
    return again
  })

/** Counts, shared and bounded. */
export interface CountRuns {
  /**
   * The total of a list. Fails with `503` if that takes longer than {@link PATIENCE_MILLIS}; the count goes
   * on then, and whoever asks again finds it.
   */
  readonly ofList: (request: CountRequest) => Effect.Effect<number, ApiError | StorageUnavailable>
  /** The number alone, however long it takes. Fails with `429` if the workspace has too many in progress. */
  readonly alone: (request: CountRequest) => Effect.Effect<number, ApiError | StorageUnavailable>
}

const tooMany = () =>
  new ApiError({
    code: "rate_limited",
    message: `${MOST_LONG} counts of the workspace are under way, and no more may be at once`,
    headers: { "retry-after": String(COME_BACK_SECONDS) }
  })

const tooLong = () =>
  unavailable(
    "The total is still being counted; ask again for it, or for the list with total=none",
    COME_BACK_SECONDS
  )

/** Makes them, none in progress yet; counts end with the scope. */
export const makeCountRuns = (count: Count): Effect.Effect<CountRuns, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    const context: Context = {
      count,
      scope,
      everywhere: Semaphore.makeUnsafe(MOST_LONG_IN_ALL),
      runs: new Map(),
      lanes: new Map(),
      moments: 0
    }
    const isSearch = ({ filter: { search = "" } }: CountRequest) => search !== ""
    return {
      ofList: (request) => {
        const question = questionOf(request, isSearch(request))
        const outOfPatience = Effect.andThen(
          Effect.sleep(PATIENCE_MILLIS),
          Effect.suspend(() => {
            const run = context.runs.get(question.key)
            // One that waits for its place is not kept: there may be many of those.
            if (run?.counting === true) run.kept = true
            return Effect.fail(tooLong())
          })
        )
        return Effect.raceFirst(answer(context, question), outOfPatience)
      },
      alone: (request) =>
        Effect.suspend((): Effect.Effect<number, ApiError | StorageUnavailable> => {
          const question = questionOf(request, true)
          const isFull = (context.lanes.get(question.lane)?.runs ?? 0) >= MOST_LONG
          return isFull && !context.runs.has(question.key)
            ? Effect.fail(tooMany())
            : answer(context, question)
        })
    }
  })
