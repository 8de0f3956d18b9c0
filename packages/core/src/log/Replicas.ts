/**
 * Port: copies of the store that follow it, and answer reads of the log in its place.
 *
 * Where there are none, everything is read from the store.
 */
import { Context, type Effect, type Stream } from "effect"
import type { StorageUnavailable } from "./StorageUnavailable.ts"
import type { ReachedPosition, StorePosition } from "./StorePosition.ts"

/**
 * What a read must see: what is written up to a position; `now` everything that was confirmed before it
 * begins; `lately` what was confirmed before the last {@link LATELY_SECONDS}.
 */
export type Needed = StorePosition | "now" | "lately"

/** How old at most what a read sees is, if it needs nothing newer. */
export const LATELY_SECONDS = 3

/**
 * Contract:
 *
 * - `position` is at or after everything that was confirmed before it was asked for.
 * - `reading` does work whose reads of `EventLog`, and of one event in `Inbox`, see at least what is needed.
 *   It waits for a replica a short time, and reads from the store otherwise. A replica that fails, or falls
 *   behind, costs time only: what it was asked is asked of the store.
 * - Work that begins after other such work has ended sees at least what that work saw.
 * - Work that writes is not guaranteed to read its own writes: it sees what `needed` demands, and perhaps
 *   more.
 */
export interface ReplicasShape {
  /** Where the store is; null if there are no replicas, and nobody needs to know. */
  readonly position: Effect.Effect<ReachedPosition, StorageUnavailable> | null
  /**
   * Does work whose reads may be a replica's. If it was, and `holds` denies what the work found, the work is
   * done again with the reads of the store.
   */
  readonly reading: <A, E, R>(
    needed: Needed,
    work: Effect.Effect<A, E, R>,
    holds?: (found: A) => boolean
  ) => Effect.Effect<A, E, R>
  /** The same for a stream, which sees at least what is needed when it begins. */
  readonly streaming: <A, E, R>(needed: Needed, stream: Stream.Stream<A, E, R>) => Stream.Stream<A, E, R>
}

const NONE: ReplicasShape = {
  position: null,
  reading: (_needed, work) => work,
  streaming: (_needed, stream) => stream
}

/** The replicas of the store; none unless a layer provides them. */
export const Replicas = Context.Reference<ReplicasShape>("@cairn/core/Replicas", {
  defaultValue: () => NONE
})
