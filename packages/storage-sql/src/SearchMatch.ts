/** Events that are searched one by one, with the core's own definition. */
import { contentSize, type Pace } from "@cairn/core/encoding"
import { type EventFilter, matches, parseContent } from "@cairn/core/event"
import type { LogEntry } from "@cairn/core/log"
import { Effect } from "effect"

/** The newest events that a search reads if no index can help. */
export const SHORT_TERM_WINDOW = 10_000

/**
 * The entries that satisfy the filter. Large entries are parsed in turns of the event loop.
 */
export const matching = (
  pace: Pace,
  filter: EventFilter,
  entries: ReadonlyArray<LogEntry>
): Effect.Effect<ReadonlyArray<LogEntry>> => {
  const isMatch = ({ content, createdAt }: LogEntry): boolean => {
    const parsed = content === null ? undefined : parseContent(content)
    return parsed !== undefined && matches(filter, parsed, createdAt)
  }
  return Effect.map(
    pace.map(entries, contentSize, (entry) => (isMatch(entry) ? [entry] : [])),
    (found) => found.flat()
  )
}
