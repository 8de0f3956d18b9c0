import type { Outcome, PreparedEvent } from "./Prepared.ts"

/** How many events one request may carry. */
export interface Take {
  /** Most events. */
  readonly count: number
  /** Most bytes of their JSON in UTF-8. An event that is larger alone is taken alone. */
  readonly bytes: number
}

/**
 * Where events wait until the service has them: memory, a spool, an outbox. One drain reads it: it takes
 * events, sends them, and settles or releases them. If some events do not get through while others do, the
 * drain keeps them for longer, and takes others in the meantime.
 */
export interface PendingEvents {
  /**
   * Keeps an event, and resolves once it is kept: in a spool, once it is on disk. Rejects with
   * `QueueFullError` where there is no room, and with another error where it could not be kept; then it is
   * not there.
   */
  readonly add: (event: PreparedEvent) => Promise<void>
  /** Resolves when there may be room again; rejects when `signal` is aborted. */
  readonly room: (signal: AbortSignal) => Promise<void>
  /**
   * The oldest events that wait and are not taken; empty where none does. If two events have the same key,
   * the later one waits until the earlier one is settled: they are settled by their keys, and may have
   * different outcomes.
   */
  readonly take: (limit: Take) => Promise<ReadonlyArray<PreparedEvent>>
  /**
   * Removes events that were taken, by what became of them. Before this resolves, refused ones are stored
   * with the reason where a person finds them, if this kind of store has such a place.
   */
  readonly settle: (outcomes: ReadonlyArray<Outcome>) => Promise<void>
  /** Gives events back that were taken: they wait in their old places. */
  readonly release: (events: ReadonlyArray<PreparedEvent>) => Promise<void>
  /** How many events wait, as far as this process knows; taken ones count until they are settled. */
  readonly size: () => number
  /** Calls `listener` when events came that nobody added here, such as those of a process that is gone. */
  readonly watch?: (listener: () => void) => void
  /** Ends; what waits stays where it is. Only `add` may be called afterwards, which rejects. */
  readonly close: () => Promise<void>
}
