/** What defines a format of one line for each event, and NDJSON as one. For CSV see `CsvColumns`. */
import { type EventFrame, parseContent, toEvent } from "../event/EventContent.ts"

/** How events are written to a file. */
export interface LineFormat {
  readonly contentType: string
  /** The text before the first event; empty for none. */
  readonly header: string
  /**
   * The line of an event with the stored content `content`, including the line's end; `undefined` if somebody
   * changed the content to something else.
   */
  readonly line: (content: string, frame: EventFrame) => string | undefined
}

/** One event a line, as `GET /events/{id}` returns it. */
export const ndjsonLines: LineFormat = {
  contentType: "application/x-ndjson",
  header: "",
  line: (text, frame) => {
    const content = parseContent(text)
    return content === undefined ? undefined : `${JSON.stringify(toEvent(content, frame))}\n`
  }
}
