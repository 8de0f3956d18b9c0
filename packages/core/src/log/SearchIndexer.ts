/** Port: the growing end of the search index, a consumer of the log that follows it with a short delay. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/**
 * A chunk ends once its contents have this many characters (on PostgreSQL, bytes), so that no lock is held
 * for long if events are large. An event is never split.
 */
export const ENOUGH_TO_INDEX = 262_144

/**
 * Contract: any number of processes may advance the index at the same time, and no event is indexed twice. A
 * chunk has `FRAME_EVENTS` events, or fewer if one before reaches {@link ENOUGH_TO_INDEX}. The newest
 * events, which are not enough for a chunk, are left. A search also finds events that are not indexed yet; it
 * only takes longer.
 */
export class SearchIndexer extends Context.Service<
  SearchIndexer,
  {
    /** Indexes a chunk of events and returns how many; 0 once there are not enough for another. */
    readonly advance: Effect.Effect<number, StorageUnavailable>
  }
>()("@cairn/core/SearchIndexer") {}
