/** Port: the growing end of the search index, which is a consumer of the log and trails it by moments. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "./StorageUnavailable.ts"

/**
 * Characters of contents (on PostgreSQL bytes) with which a helping is complete, so that no lock is held for
 * long where events are large. An event is never split.
 */
export const ENOUGH_TO_INDEX = 262_144

/**
 * Contract: any number of processes may advance it at once, and none indexes an event twice. A helping ends
 * with the event with which it has {@link ENOUGH_TO_INDEX}. A search finds what the index has not reached yet
 * all the same; it only takes longer.
 */
export class SearchIndexer extends Context.Service<
  SearchIndexer,
  {
    /** Indexes a helping of events; answers how many, 0 once it has caught up. */
    readonly advance: Effect.Effect<number, StorageUnavailable>
  }
>()("@cairn/core/SearchIndexer") {}
