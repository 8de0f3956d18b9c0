/** What the search index of every dialect is asked. */

import type { Micros } from "@cairn/core/encoding"
import type { EventFilter } from "@cairn/core/event"
import type { LogEntry, SequenceRange, StorageUnavailable } from "@cairn/core/log"
import type { Effect } from "effect"

/**
 * An index over the texts of events, which follows the log and may be behind it; what it has not reached is
 * looked at event by event.
 */
export interface SearchIndexShape {
  /** Indexes some events; answers how many, 0 when the index has caught up. */
  readonly advance: Effect.Effect<number, StorageUnavailable>
  /** Newest matching entries within the range. */
  readonly page: (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    limit: number
  ) => Effect.Effect<ReadonlyArray<LogEntry>, StorageUnavailable>
  /** When they were recorded. */
  readonly moments: (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Micros.Micros>, StorageUnavailable>
  /** How many entries match within the range. */
  readonly count: (
    workspace: number,
    filter: EventFilter,
    range: SequenceRange
  ) => Effect.Effect<number, StorageUnavailable>
}
