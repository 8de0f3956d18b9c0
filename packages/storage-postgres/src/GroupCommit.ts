/**
 * Group commit: requests that arrive in one turn of the event loop, or while as many commits as may be are in
 * progress, share the next one.
 */
import { Effect } from "effect"

/** How jobs are committed. */
export interface Committing<Job> {
  /** Commits the jobs together, and tells each its outcome. */
  readonly commit: (jobs: ReadonlyArray<Job>) => Effect.Effect<void>
  /** What a job adds to a commit, and the most that is begun with in one. */
  readonly sizeOf: (job: Job) => number
  readonly most: number
  /** Most commits in progress at once. */
  readonly atOnce: number
  readonly fork: (effect: Effect.Effect<void>) => unknown
}

/** Puts a job in the queue; it is committed with the next commit. */
export const makeGroupCommit = <Job>({
  commit,
  sizeOf,
  most,
  atOnce,
  fork
}: Committing<Job>): ((job: Job) => void) => {
  const queue: Array<Job> = []
  let underWay = 0
  let scheduled = false

  const takeBatch = (): ReadonlyArray<Job> => {
    let size = 0
    let count = 0
    for (let next = queue[0]; next !== undefined && size < most; next = queue[count]) {
      size += sizeOf(next)
      count++
    }
    return queue.splice(0, count)
  }

  const done = Effect.sync(() => {
    underWay--
    schedule()
  })

  const pump = () => {
    while (queue.length > 0 && underWay < atOnce) {
      underWay++
      fork(Effect.ensuring(commit(takeBatch()), done))
    }
  }

  /** When the jobs of this turn of the event loop have all arrived. */
  const schedule = () => {
    if (scheduled) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      pump()
    })
  }

  return (job) => {
    queue.push(job)
    schedule()
  }
}
