/**
 * How many messages of each receiver may be in progress, so that receivers that hang do not block the others.
 *
 * Places are shared level by level (max-min fairness): no workspace gets a second place while another one
 * that waits has none. A receiver whose last attempt timed out is *suspect* until it responds: it has one
 * message in progress at a time, and the suspects of a workspace, and of all workspaces, share a limited part
 * of the places. The rest is for receivers that respond, however slowly.
 */
import type { ClaimShare, WaitingReceiver } from "@cairn/core/outbound"

/** How many messages may be in progress at once. */
export interface DeliveryLimits {
  /** In all. */
  readonly total: number
  /** Of those, to suspect receivers. */
  readonly suspects: number
  /** Of one workspace. */
  readonly perWorkspace: number
  /** Of those, to suspect receivers. */
  readonly suspectsPerWorkspace: number
  /** To one receiver that is not suspect. */
  readonly perTarget: number
}

/** A message on its way. */
export interface UnderWay {
  readonly workspaceId: string
  readonly target: string
}

/** The key of a receiver of a workspace; a workspace's id contains no space. */
export const receiverKey = ({ workspaceId, target }: UnderWay): string => `${workspaceId} ${target}`

/** Places that are taken. */
class Places {
  all = 0
  suspects = 0

  take(suspect: boolean): void {
    this.all += 1
    if (suspect) this.suspects += 1
  }
}

/** The places that are taken, by workspace and receiver. */
class Occupancy {
  readonly everybody = new Places()
  readonly #workspaces = new Map<string, Places>()
  readonly #targets = new Map<string, number>()
  readonly #isSuspect: (key: string) => boolean

  constructor(underWay: Iterable<UnderWay>, isSuspect: (key: string) => boolean) {
    this.#isSuspect = isSuspect
    for (const one of underWay) {
      const key = receiverKey(one)
      this.#targets.set(key, (this.#targets.get(key) ?? 0) + 1)
      this.take(one.workspaceId, isSuspect(key))
    }
  }

  /** The places of a workspace. */
  of(workspaceId: string): Places {
    const found = this.#workspaces.get(workspaceId) ?? new Places()
    this.#workspaces.set(workspaceId, found)
    return found
  }

  take(workspaceId: string, suspect: boolean): void {
    this.everybody.take(suspect)
    this.of(workspaceId).take(suspect)
  }

  candidate(receiver: WaitingReceiver): Candidate {
    const key = receiverKey(receiver)
    const under = this.#targets.get(key) ?? 0
    return { receiver, suspect: this.#isSuspect(key), before: under, under }
  }
}

interface Candidate {
  readonly receiver: WaitingReceiver
  readonly suspect: boolean
  readonly before: number
  under: number
}

/**
 * Receivers that respond go before suspects, then those with the fewest messages in progress, then those that
 * wait longest.
 */
const goesBefore = (one: Candidate, other: Candidate): boolean => {
  if (one.suspect !== other.suspect) return other.suspect
  if (one.under !== other.under) return one.under < other.under
  return one.receiver.dueAt < other.receiver.dueAt
}

/** Whether a receiver of a workspace may have another place. */
const hasRoom = (
  limits: DeliveryLimits,
  occupancy: Occupancy,
  workspace: Places,
  { suspect, under }: Candidate
): boolean =>
  suspect
    ? under < 1 &&
      workspace.suspects < limits.suspectsPerWorkspace &&
      occupancy.everybody.suspects < limits.suspects
    : under < limits.perTarget

/** Gives a place to a receiver of a workspace; returns whether one of them could take it. */
const give = (
  limits: DeliveryLimits,
  occupancy: Occupancy,
  workspaceId: string,
  queue: ReadonlyArray<Candidate>
): boolean => {
  const places = occupancy.of(workspaceId)
  let next: Candidate | undefined
  for (const candidate of queue) {
    const room = hasRoom(limits, occupancy, places, candidate)
    if (room && (next === undefined || goesBefore(candidate, next))) next = candidate
  }
  if (next === undefined) return false
  next.under += 1
  occupancy.take(workspaceId, next.suspect)
  return true
}

/**
 * How many messages of each receiver to take now. `waiting` has each receiver once; a share may be larger
 * than what waits. It costs a step for each receiver and each place given.
 */
export const shareOut = (
  limits: DeliveryLimits,
  underWay: Iterable<UnderWay>,
  isSuspect: (key: string) => boolean,
  waiting: ReadonlyArray<WaitingReceiver>
): ReadonlyArray<ClaimShare> => {
  const occupancy = new Occupancy(underWay, isSuspect)
  const candidates = waiting.map((receiver) => occupancy.candidate(receiver))
  // Longest wait first; the workspaces get the same order.
  candidates.sort((one, other) => one.receiver.dueAt - other.receiver.dueAt)
  const queues = Map.groupBy(candidates, ({ receiver }) => receiver.workspaceId)
  for (let level = 0; level < limits.perWorkspace; level++) {
    for (const [workspaceId, queue] of queues) {
      if (occupancy.everybody.all >= limits.total) break
      if (occupancy.of(workspaceId).all === level && !give(limits, occupancy, workspaceId, queue))
        queues.delete(workspaceId)
    }
  }
  return candidates.flatMap(({ receiver: { workspaceId, target }, before, under }) =>
    under > before ? [{ workspaceId, target, limit: under - before }] : []
  )
}
