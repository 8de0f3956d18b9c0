/**
 * Group commit: what is to be written in one turn of the event loop shares one transaction and one wait for
 * the disk.
 *
 * A statement of SQLite waits for a file's lock in the thread that runs it, and holds up all else that the
 * thread does. So a commit waits a moment in that way, which is enough for other writers of the service; for
 * a lock that somebody holds longer it waits in the event loop.
 */
import { StorageUnavailable } from "@cairn/core/log"
import { Exit } from "effect"
import { BUSY_TIMEOUT_MILLIS, isBusy, type SqliteDatabase } from "./SqliteClient.ts"

/** How long the thread waits for the lock. */
const IN_THREAD_MILLIS = 10
/** How long until it is tried again. */
const PAUSE_MILLIS = 20

/** Begins a transaction, unless another connection has the lock and keeps it for more than a moment. */
export const beginSoon = ({ db }: Pick<SqliteDatabase, "db">, millis = IN_THREAD_MILLIS): void => {
  db.exec(`PRAGMA busy_timeout = ${millis}`)
  try {
    db.exec("BEGIN IMMEDIATE")
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MILLIS}`)
  }
}

/** The outcome of one job. */
export type Outcome<A, E> = Exit.Exit<A, E | StorageUnavailable>

/** How jobs are written. */
export interface Committing<Job, A, E> {
  /** For errors. */
  readonly operation: string
  /** Writes the jobs in one transaction that {@link beginSoon} begins, and returns an outcome for each. */
  readonly commit: (jobs: ReadonlyArray<Job>) => ReadonlyArray<Outcome<A, E>>
  /** What a job adds to a transaction, and the most that is begun with in one. */
  readonly sizeOf: (job: Job) => number
  readonly most: number
  /** Told for how long each attempt blocked the thread. */
  readonly waited: (millis: number) => void
}

/** A job that waits for the next commit. */
interface Waiting<Job, A, E> {
  readonly job: Job
  readonly resume: (outcome: Outcome<A, E>) => void
  /** Until when it waits for the lock, by `performance.now`. */
  readonly until: number
}

/**
 * Puts a job in the queue; it is written with the next commit, and `resume` is called with its outcome then.
 * It fails after five seconds in which somebody else has the lock.
 */
export const makeGroupCommit = <Job, A, E>({
  operation,
  commit,
  sizeOf,
  most,
  waited
}: Committing<Job, A, E>): ((job: Job, resume: (outcome: Outcome<A, E>) => void) => void) => {
  const queue: Array<Waiting<Job, A, E>> = []
  let scheduled = false

  const failure = (cause: unknown): Outcome<A, E> => Exit.fail(new StorageUnavailable({ operation, cause }))

  const schedule = () => {
    if (scheduled || queue.length === 0) return
    scheduled = true
    setImmediate(flush)
  }

  /** Puts jobs that could not begin back to where they were, and fails those that have waited too long. */
  const waitForLock = (batch: ReadonlyArray<Waiting<Job, A, E>>, cause: unknown) => {
    queue.unshift(...batch)
    const now = performance.now()
    const waiting = queue.findIndex(({ until }) => until > now)
    const late = queue.splice(0, waiting < 0 ? queue.length : waiting)
    if (queue.length > 0) {
      scheduled = true
      setTimeout(flush, PAUSE_MILLIS)
    }
    for (const { resume } of late) resume(failure(cause))
  }

  const attempt = (
    batch: ReadonlyArray<Waiting<Job, A, E>>
  ): { readonly outcomes: ReadonlyArray<Outcome<A, E>> } | { readonly cause: unknown } => {
    const began = performance.now()
    try {
      return { outcomes: commit(batch.map(({ job }) => job)) }
    } catch (cause) {
      return { cause }
    } finally {
      waited(performance.now() - began)
    }
  }

  const flush = () => {
    scheduled = false
    let size = 0
    let count = 0
    for (let next = queue[0]; next !== undefined && size < most; next = queue[count]) {
      size += sizeOf(next.job)
      count++
    }
    const batch = queue.splice(0, count)
    const done = attempt(batch)
    if ("cause" in done && isBusy(done.cause)) return waitForLock(batch, done.cause)
    schedule()
    for (const [index, { resume }] of batch.entries())
      resume("cause" in done ? failure(done.cause) : (done.outcomes[index] as Outcome<A, E>))
  }

  return (job, resume) => {
    queue.push({ job, resume, until: performance.now() + BUSY_TIMEOUT_MILLIS })
    schedule()
  }
}
