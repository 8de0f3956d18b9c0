import { type EventContent, parseContent } from "@cairn/core/event"
import type { LogEntry } from "@cairn/core/log"

/** The parsed content of a stored event; undefined if it was removed or is not a content. */
export const contentOf = ({ content }: Pick<LogEntry, "content">): EventContent | undefined =>
  content === null ? undefined : parseContent(content)
