/**
 * Port: the one way in which content leaves a log. The header of an event stays, and so do the chain, its
 * anchors and its proofs.
 */
import { Context, type Effect } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { Append, Head, StoredEvent } from "../log/EventLog.ts"
import type { PendingEvent } from "../log/Inbox.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"

/** Most events of one removal, so that no transaction is long. */
export const MAX_REMOVAL = 500

/** An event whose content is to go, as it was read. */
export interface RemovedEvent extends Pick<StoredEvent, "sequence" | "id"> {
  readonly content: string
  /** Kept from now on: a legacy event's has not been stored so far. */
  readonly contentHash: string
}

/**
 * Contract:
 *
 * - `remove` takes the content, the salt and all that is derived from them out of the log, the search index,
 *   the idempotency keys, alerts and messages about them, and appends what `record` makes of the head: all of
 *   it or nothing, as far as the log can be read. The derived stores lose it first, so that whoever is
 *   interrupted can do it again, and nothing is left behind for good.
 * - An event without content stays as it is. Of the header nothing changes.
 * - The store refuses any other change of an event, from whomever.
 * - `scrub` makes what was removed leave the store's files, as far as the store can see to that: it may take
 *   long, and is for after the last `remove`. It costs nothing when nothing was removed since it last
 *   succeeded, in whatever process; `unfinished` tells so.
 */
interface ContentRemovalShape {
  readonly remove: (
    workspaceId: string,
    /** At most {@link MAX_REMOVAL}. */
    events: ReadonlyArray<RemovedEvent>,
    /**
     * The events that record the removal; null when they are in the log already. It must be free of effects.
     */
    record: ((head: Head, now: Micros) => Append) | null
  ) => Effect.Effect<void, StorageUnavailable>
  /**
   * Takes events out of the requests that could not be appended and were parked, with their idempotency keys;
   * a request that is left with none goes whole. They are in no chain, so nothing records it. Answers how
   * many events those were.
   */
  readonly discardParked: (
    workspaceId: string,
    unwanted: (event: PendingEvent, acceptedAt: Micros) => boolean
  ) => Effect.Effect<number, StorageUnavailable>
  /**
   * Forgets what consumers remember under keys that hold this text, such as an actor's id, and messages about
   * exports that name it; answers how many rows of the former those were.
   */
  readonly forget: (workspaceId: string, text: string) => Effect.Effect<number, StorageUnavailable>
  /**
   * Forgets the countries of actors of whom no content is left, and what alert rules remember until a moment
   * that is not after `expiredBy`: no event that is still there is as old. With `null` it forgets all that is
   * remembered of these actors instead, be its time over or not.
   */
  readonly forgetActors: (
    workspaceId: string,
    actorIds: ReadonlyArray<string>,
    expiredBy: Micros | null
  ) => Effect.Effect<void, StorageUnavailable>
  /** Whether contents were removed since `scrub` last succeeded: somebody is at it, or was interrupted. */
  readonly unfinished: Effect.Effect<boolean, StorageUnavailable>
  readonly scrub: Effect.Effect<void, StorageUnavailable>
}

/** The way. */
export class ContentRemoval extends Context.Service<ContentRemoval, ContentRemovalShape>()(
  "@cairn/core/ContentRemoval"
) {}
