/**
 * Who may have how many messages under way: what keeps receivers that hang from holding up everybody else.
 *
 * Places are given level by level (max-min fairness): nobody gets a second one while another workspace that waits has none. A receiver that
 * let an attempt run into silence is *suspect* until it answers: it has one message under way at a time, and all suspects of a workspace,
 * and of all workspaces, have a part of the places only. So what hangs shares a part, and whoever answers, however slowly, has the rest.
 */
import type { ClaimShare, WaitingReceiver } from "@cairn/core"

/** How many messages may be under way at once. */
export interface DeliveryLimits {
  /** In all. */
  readonly total: number
  /** Of those, to suspects. */
  readonly suspects: number
  /** Of one workspace. */
  readonly perWorkspace: number
  /** Of those, to suspects. */
  readonly suspectsPerWorkspace: number
  /** To one receiver that is not suspect. */
  readonly perTarget: number
}

/** A message on its way. */
export interface UnderWay {
  readonly workspaceId: string
  readonly target: string
}

/** One name for a receiver of a workspace; a workspace's id holds no space. */
export const receiverKey = ({ workspaceId, target }: UnderWay): string => `${workspaceId} ${target}`

interface Places {
  all: number
  suspects: number
}

interface Candidate {
  readonly receiver: WaitingReceiver
  readonly suspect: boolean
  readonly before: number
  under: number
}

const count = <K>(counts: Map<K, number>, key: K): void => void counts.set(key, (counts.get(key) ?? 0) + 1)

const placesOf = (places: Map<string, Places>, workspaceId: string): Places => {
  const found = places.get(workspaceId) ?? { all: 0, suspects: 0 }
  places.set(workspaceId, found)
  return found
}

/** Whoever answers goes before a suspect, then whoever has fewest under way, then whoever waits longest. */
const goesBefore = (one: Candidate, other: Candidate): boolean => {
  if (one.suspect !== other.suspect) return other.suspect
  if (one.under !== other.under) return one.under < other.under
  return one.receiver.dueAt < other.receiver.dueAt
}

/**
 * How many messages of each receiver to take now. `waiting` has each receiver once; a share may be larger than what waits. It costs a step for
 * each receiver and each place given.
 */
export const shareOut = (
  limits: DeliveryLimits,
  underWay: Iterable<UnderWay>,
  isSuspect: (key: string) => boolean,
  waiting: ReadonlyArray<WaitingReceiver>
): ReadonlyArray<ClaimShare> => {
  const everybody: Places = { all: 0, suspects: 0 }
  const workspaces = new Map<string, Places>()
  const targets = new Map<string, number>()
  const occupy = (workspaceId: string, suspect: boolean): void => {
    for (const places of [everybody, placesOf(workspaces, workspaceId)]) {
      places.all += 1
      if (suspect) places.suspects += 1
    }
  }
  for (const one of underWay) {
    const key = receiverKey(one)
    count(targets, key)
    occupy(one.workspaceId, isSuspect(key))
  }

  const candidates = waiting.map((receiver): Candidate => {
    const key = receiverKey(receiver)
    const under = targets.get(key) ?? 0
    return { receiver, suspect: isSuspect(key), before: under, under }
  })
  // In the order of those who wait longest, and so are their workspaces.
  candidates.sort((one, other) => one.receiver.dueAt - other.receiver.dueAt)
  const queues = new Map<string, Array<Candidate>>()
  for (const candidate of candidates) {
    const { workspaceId } = candidate.receiver
    const queue = queues.get(workspaceId)
    if (queue === undefined) queues.set(workspaceId, [candidate])
    else queue.push(candidate)
  }

  /** Gives the next place of a workspace; answers whether anybody of it could take one. */
  const give = (workspaceId: string, queue: ReadonlyArray<Candidate>): boolean => {
    const places = placesOf(workspaces, workspaceId)
    let next: Candidate | undefined
    for (const candidate of queue) {
      const { suspect, under } = candidate
      const room = suspect
        ? under < 1 && places.suspects < limits.suspectsPerWorkspace && everybody.suspects < limits.suspects
        : under < limits.perTarget
      if (room && (next === undefined || goesBefore(candidate, next))) next = candidate
    }
    if (next === undefined) return false
    next.under += 1
    occupy(workspaceId, next.suspect)
    return true
  }

  for (let level = 0; level < limits.perWorkspace; level++) {
    for (const [workspaceId, queue] of queues) {
      if (everybody.all >= limits.total) break
      if (placesOf(workspaces, workspaceId).all === level && !give(workspaceId, queue))
        queues.delete(workspaceId)
    }
  }
  return candidates.flatMap(({ receiver: { workspaceId, target }, before, under }) =>
    under > before ? [{ workspaceId, target, limit: under - before }] : []
  )
}
