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
  /** Only jobs of one group share a commit. */
  readonly groupOf: (job: Job) => number
  /** Groups whose commits wait for the same: none of them holds up those of another machine. */
  readonly machineOf: (job: Job) => number
  /** Most commits in progress at once on one machine. */
  readonly atOnce: number
  readonly fork: (effect: Effect.Effect<void>) => unknown
}

/** The jobs for one machine, by group; the group whose turn is next comes first. */
interface Machine<Job> {
  readonly groups: Map<number, Array<Job>>
  underWay: number
  scheduled: boolean
}

/** Puts a job in the queue; it is committed with the next commit of its group. */
export const makeGroupCommit = <Job>({
  commit,
  sizeOf,
  most,
  groupOf,
  machineOf,
  atOnce,
  fork
}: Committing<Job>): ((job: Job) => void) => {
  const machines = new Map<number, Machine<Job>>()

  /** The next jobs of the group whose turn it is; its others are behind those of the other groups. */
  const takeBatch = ({ groups }: Machine<Job>): ReadonlyArray<Job> => {
    for (const [group, queue] of groups) {
      groups.delete(group)
      let size = 0
      let count = 0
      for (let next = queue[0]; next !== undefined && size < most; next = queue[count]) {
        size += sizeOf(next)
        count++
      }
      const batch = queue.splice(0, count)
      if (queue.length > 0) groups.set(group, queue)
      return batch
    }
    return []
  }

  const pump = (machine: Machine<Job>) => {
    while (machine.groups.size > 0 && machine.underWay < atOnce) {
      machine.underWay++
      const done = Effect.sync(() => {
        machine.underWay--
        schedule(machine)
      })
      fork(Effect.ensuring(commit(takeBatch(machine)), done))
    }
  }

  /** When the jobs of this turn of the event loop have all arrived. */
  const schedule = (machine: Machine<Job>) => {
    if (machine.scheduled) return
    machine.scheduled = true
    setImmediate(() => {
      machine.scheduled = false
      pump(machine)
    })
  }

  return (job) => {
    const at = machineOf(job)
    const machine = machines.get(at) ?? { groups: new Map(), underWay: 0, scheduled: false }
    machines.set(at, machine)
    const group = groupOf(job)
    const queue = machine.groups.get(group)
    if (queue === undefined) machine.groups.set(group, [job])
    else queue.push(job)
    schedule(machine)
  }
}
