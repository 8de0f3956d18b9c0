/**
 * Port: the only way to remove content from a log. The header of an event stays, and so do the chain, its
 * anchors and its proofs.
 */
import { Context, type Effect } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { Append, Head, LogEntry } from "../log/EventLog.ts"
import type { PendingEvent } from "../log/Inbox.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"

/** Most events of one removal, so that no transaction is long. */
export const MAX_REMOVAL = 500

/** An event whose content is to be removed, as it was read. */
export interface RemovedEvent extends Pick<LogEntry, "sequence" | "id"> {
  readonly content: string
  /** Kept from now on: it was not stored before for a legacy event. */
  readonly contentHash: string
}

/**
 * Contract:
 *
 * - `remove` removes the content, the salt and everything derived from them from the log, the search index,
 *   the idempotency keys, alerts and messages about them, and appends what `record` returns for the head: all
 *   of it or nothing, as seen in the log. The derived stores are changed first, so that an interrupted
 *   removal can be repeated and nothing is left permanently.
 * - An event without content is not changed. No header is changed.
 * - The store rejects any other change of an event, by anybody.
 * - `scrub` removes the deleted data from the store's files, as far as the store can: it may take long, and
 *   is called after the last `remove`. It costs nothing if nothing was removed since it last succeeded, in
 *   any process; `unfinished` returns whether something was.
 */
interface ContentRemovalShape {
  readonly remove: (
    workspaceId: string,
    /** At most {@link MAX_REMOVAL}. */
    events: ReadonlyArray<RemovedEvent>,
    /** The events that record the removal; null if they are in the log already. It must have no effects. */
    record: ((head: Head, now: Micros) => Append) | null
  ) => Effect.Effect<void, StorageUnavailable>
  /**
   * Removes events, with their idempotency keys, from the parked requests, which could not be appended; a
   * request without remaining events is removed. They are in no chain, so nothing records it. Returns how
   * many events were removed.
   */
  readonly discardParked: (
    workspaceId: string,
    unwanted: (event: PendingEvent, acceptedAt: Micros) => boolean
  ) => Effect.Effect<number, StorageUnavailable>
  /**
   * Removes consumers' state whose keys contain this text, such as an actor's id, and messages about exports
   * that name it; returns how many rows of state were removed.
   */
  readonly forget: (workspaceId: string, text: string) => Effect.Effect<number, StorageUnavailable>
  /**
   * Removes the countries of actors who have no content left, and expired state of alert rules: rows whose
   * time is not after `expiredBy`; no remaining event is that old. If it is `null`, removes all state about
   * these actors instead, expired or not.
   */
  readonly forgetActors: (
    workspaceId: string,
    actorIds: ReadonlyArray<string>,
    expiredBy: Micros | null
  ) => Effect.Effect<void, StorageUnavailable>
  /** Whether contents were removed since `scrub` last succeeded: it is running, or was interrupted. */
  readonly unfinished: Effect.Effect<boolean, StorageUnavailable>
  readonly scrub: Effect.Effect<void, StorageUnavailable>
}

/** The removal of contents. */
export class ContentRemoval extends Context.Service<ContentRemoval, ContentRemovalShape>()(
  "@cairn/core/ContentRemoval"
) {}
