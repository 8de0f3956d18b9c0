/** Port: the growing end of the search index, which is a consumer of the log and trails it by moments. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "./Storage.ts"

/**
 * Contract: any number of processes may advance it at once, and none indexes an event twice. A search finds what the index has not
 * reached yet all the same; it only takes longer.
 */
export class SearchIndexer extends Context.Service<
  SearchIndexer,
  {
    /** Indexes a helping of events; answers how many, 0 once it has caught up. */
    readonly advance: Effect.Effect<number, StorageUnavailable>
  }
>()("@cairn/core/SearchIndexer") {}
