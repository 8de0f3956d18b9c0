/**
 * Events of the service's own that must be in the log, although what they are about does not depend on it:
 * that somebody has read the log. A read waits for the event, but not for a store that takes no writes
 * (a full disk, a standby): then the read is answered, and the event is written as soon as it can be.
 */
import { Context, Deferred, Effect, FiberSet, Latch, Layer, Result, Schema, Semaphore } from "effect"
import type { InvalidInput } from "../event/InvalidInput.ts"
import { Acceptance } from "../log/Acceptance.ts"
import type { AcceptOutcome } from "../log/Inbox.ts"

/** An event of the service's own. */
export interface OwedEvent {
  readonly workspaceId: string
  /** Its body, as `Acceptance.own` takes it. Without an idempotency key it may be written twice. */
  readonly body: object
  /** Whether it counts against the month. */
  readonly isCounted: boolean
}

/** An event that is to be written. */
export interface Owed extends OwedEvent {
  /** What became of it; undefined until it is written. */
  readonly outcome: AcceptOutcome | undefined
  /** Done once nobody need wait for the event any more: the first attempt has ended. */
  readonly tried: Deferred.Deferred<void>
}

interface Job extends Owed {
  outcome: AcceptOutcome | undefined
}

/** As many events wait as this process may keep, of the workspace or of all. */
export class TooMuchOwed extends Schema.TaggedError<TooMuchOwed>()("TooMuchOwed", {
  /** Events of the workspace that wait. */
  waiting: Schema.Number
}) {}

/** How long the request that causes an event waits for it. */
const PATIENCE = "2 seconds"

/**
 * Most events that wait in memory, some 100 MB; no more is read then without being accounted for. A workspace
 * that takes no events may not use up what all others have.
 */
export const MOST_OWED = { inAll: 100_000, ofWorkspace: 10_000 } as const

/** Events of a workspace that are written in one commit. */
const CHUNK = 100

/** Seconds between two attempts: doubled from the first to the last while nothing can be written. */
const PAUSES = { first: 1, last: 30 } as const

/** How long a server that stops goes on trying. */
const LAST_ATTEMPT = "5 seconds"

/** Events that can be written together. */
type Group = readonly [Job, ...Array<Job>]

const grouped = (jobs: ReadonlyArray<Job>): ReadonlyArray<Group> => {
  const groups = new Map<string, [Job, ...Array<Job>]>()
  for (const job of jobs) {
    const name = `${job.workspaceId} ${job.isCounted}`
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [job])
    else group.push(job)
  }
  return [...groups.values()]
}

/** The events in pieces of the size of a commit. */
const chunksOf = (jobs: Group): ReadonlyArray<Group> => {
  const chunks: Array<Group> = []
  for (let at = 0; at < jobs.length; at += CHUNK) {
    const [first, ...rest] = jobs.slice(at, at + CHUNK)
    if (first !== undefined) chunks.push([first, ...rest])
  }
  return chunks
}

/** What the functions of this module share. */
interface Books {
  readonly acceptance: Acceptance["Service"]
  /** Everything that is not written. */
  readonly open: Set<Job>
  /** How many of them each workspace has. */
  readonly counts: Map<string, number>
  /** What of it is tried again. */
  waiting: Array<Job>
  /** The workspaces that take no events now. */
  readonly failing: Set<string>
  /** Open while something may wait. */
  readonly work: Latch.Latch
}

const countOf = ({ counts }: Books, workspaceId: string): number => counts.get(workspaceId) ?? 0

/** How many more events of a workspace may wait. */
const roomFor = (books: Books, workspaceId: string): number =>
  Math.min(MOST_OWED.inAll - books.open.size, MOST_OWED.ofWorkspace - countOf(books, workspaceId))

const open = (books: Books, event: OwedEvent): Job => {
  const job = { ...event, outcome: undefined, tried: Deferred.makeUnsafe<void>() }
  books.open.add(job)
  books.counts.set(event.workspaceId, countOf(books, event.workspaceId) + 1)
  return job
}

const close = (books: Books, job: Job): void => {
  if (!books.open.delete(job)) return
  const left = countOf(books, job.workspaceId) - 1
  if (left > 0) books.counts.set(job.workspaceId, left)
  else books.counts.delete(job.workspaceId)
}

const again = (books: Books, jobs: ReadonlyArray<Job>): void => {
  books.waiting.push(...jobs)
  books.work.openUnsafe()
}

/** Notes that nobody need wait for an event any more. */
const tried = ({ tried }: Owed): void => {
  Deferred.doneUnsafe(tried, Effect.void)
}

const written = (books: Books, jobs: Group, outcomes: ReadonlyArray<AcceptOutcome>) =>
  Effect.suspend(() => {
    const { failing } = books
    for (const [index, job] of jobs.entries()) {
      job.outcome = outcomes[index]
      close(books, job)
    }
    return failing.delete(jobs[0].workspaceId) && failing.size === 0
      ? Effect.logInfo("Own events are written again")
      : Effect.void
  })

const postpone = (books: Books, jobs: Group) =>
  Effect.suspend(() => {
    const isFirst = books.failing.size === 0
    books.failing.add(jobs[0].workspaceId)
    again(books, jobs)
    return isFirst
      ? Effect.logWarning("Own events cannot be written now: reads go on, and the events about them wait")
      : Effect.void
  })

/** An event that is not valid is a mistake of this program; it must not stand in the way of others. */
const drop = (books: Books, job: Job, { path, reason }: InvalidInput) =>
  Effect.suspend(() => {
    close(books, job)
    return Effect.logError("An event of the service's own is not valid and was not written").pipe(
      Effect.annotateLogs({ path, reason })
    )
  })

/** Writes events of one workspace; what cannot be written now waits. Whether they are done with. */
const attempt = (books: Books, jobs: Group): Effect.Effect<boolean> => {
  const [job] = jobs
  const { workspaceId, isCounted } = job
  const context = { workspaceId, clientAddress: null, keysExpireBefore: null, isCounted }
  const bodies = jobs.map(({ body }) => body)
  return books.acceptance.ownBatch(context, bodies).pipe(
    Effect.flatMap((outcomes) => written(books, jobs, outcomes)),
    Effect.as(true),
    Effect.catchTag("InvalidInput", (error) =>
      jobs.length === 1
        ? Effect.as(drop(books, job, error), true)
        : Effect.map(
            Effect.forEach(jobs, (one) => attempt(books, [one])),
            (done) => done.every(Boolean)
          )
    ),
    Effect.catch(() => Effect.as(postpone(books, jobs), false))
  )
}

/** Writes events of one workspace until one cannot be written; whether any was. */
const attemptAll = Effect.fnUntraced(function* (books: Books, jobs: Group) {
  const chunks = chunksOf(jobs)
  for (const [index, chunk] of chunks.entries()) {
    if (yield* attempt(books, chunk)) continue
    again(books, chunks.slice(index + 1).flat())
    return index > 0
  }
  return true
})

/** Tries once to write what waits; whether any of it was written. */
const writeWaiting = (books: Books) =>
  Effect.suspend(() => {
    const groups = grouped(books.waiting)
    books.waiting = []
    return Effect.map(
      Effect.forEach(groups, (jobs) => attemptAll(books, jobs)),
      (done) => done.some(Boolean)
    )
  })

/** Tries until nothing waits. */
const retry = Effect.fnUntraced(function* (books: Books, round: Effect.Effect<boolean>) {
  yield* books.work.await
  books.work.closeUnsafe()
  let pause: number = PAUSES.first
  while (books.waiting.length > 0) {
    pause = (yield* round) ? PAUSES.first : Math.min(PAUSES.last, pause * 2)
    if (books.waiting.length > 0) yield* Effect.sleep(`${pause} seconds`)
  }
})

/** Waits for what is being written, tries once more to write the rest, and says what is lost. */
const settleAll = (books: Books, round: Effect.Effect<boolean>) => {
  const firstAttempts = Effect.suspend(() =>
    Effect.forEach([...books.open], ({ tried }) => Deferred.await(tried), { discard: true })
  )
  const sayLost = Effect.suspend(() =>
    books.open.size === 0
      ? Effect.void
      : Effect.logError("Own events could not be written before the stop, and are lost").pipe(
          Effect.annotateLogs({ events: books.open.size })
        )
  )
  return Effect.andThen(Effect.timeoutOption(Effect.andThen(firstAttempts, round), LAST_ATTEMPT), sayLost)
}

const make = Effect.gen(function* () {
  const fork = yield* FiberSet.makeRuntime()
  const books: Books = {
    acceptance: yield* Acceptance,
    open: new Set(),
    counts: new Map(),
    waiting: [],
    failing: new Set(),
    work: Latch.makeUnsafe(false)
  }
  const round = Semaphore.makeUnsafe(1).withPermits(1)(writeWaiting(books))
  yield* Effect.forkScoped(Effect.forever(retry(books, round)))
  yield* Effect.addFinalizer(() => settleAll(books, round))

  /**
   * Begins to write an event; where the workspace takes none now, it is written later. Not in the fiber of
   * the caller: a client that goes away must not take the event with it.
   */
  const write = (event: OwedEvent): Result.Result<Owed, TooMuchOwed> => {
    const { workspaceId } = event
    if (roomFor(books, workspaceId) <= 0)
      return Result.fail(new TooMuchOwed({ waiting: countOf(books, workspaceId) }))
    const job = open(books, event)
    if (books.failing.has(workspaceId)) {
      tried(job)
      again(books, [job])
    } else {
      const first = attempt(books, [job])
      fork(
        Effect.ensuring(
          first,
          Effect.sync(() => tried(job))
        )
      )
    }
    return Result.succeed(job)
  }

  /** Waits until an event is written, two seconds at most, and no longer than the first attempt takes. */
  const settled = (owed: Owed): Effect.Effect<void> =>
    Effect.map(
      Effect.timeoutOption(Deferred.await(owed.tried), PATIENCE),
      // Those who read after it do not wait again for a store that hangs.
      () => tried(owed)
    )

  /**
   * Leaves events to be written in the background; says how many are dropped where as many wait already as
   * may.
   */
  const leave = (events: ReadonlyArray<OwedEvent>): Effect.Effect<void> =>
    Effect.suspend(() => {
      const jobs = events.flatMap((event) =>
        roomFor(books, event.workspaceId) > 0 ? [open(books, event)] : []
      )
      for (const job of jobs) tried(job)
      if (jobs.length > 0) again(books, jobs)
      return jobs.length === events.length
        ? Effect.void
        : Effect.logError("Own events are lost, since too many wait already").pipe(
            Effect.annotateLogs({ events: events.length - jobs.length })
          )
    })

  return { write, settled, leave }
})

/** Writes such events. */
export class OwedEvents extends Context.Service<OwedEvents, Effect.Success<typeof make>>()(
  "@cairn/core/OwedEvents"
) {
  /** Until its scope ends; then it tries once more to write what waits. */
  static readonly layer = Layer.effect(OwedEvents, make)
}
