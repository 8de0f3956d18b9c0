/** Candidates of a search, held against the core's own meaning of it. */
import { type EventFilter, type LogEntry, matches, parseContent } from "@cairn/core"

/** Newest events that a search looks at where no index can help it. */
export const SHORT_TERM_WINDOW = 10_000

/** The entries that satisfy the filter: an index only finds candidates, so that every database agrees. */
export const matching = (filter: EventFilter, entries: ReadonlyArray<LogEntry>): ReadonlyArray<LogEntry> =>
  entries.filter(({ content, createdAt }) => {
    const parsed = content === null ? undefined : parseContent(content)
    return parsed !== undefined && matches(filter, parsed, createdAt)
  })
