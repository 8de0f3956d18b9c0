/** What a format of one line for each event is, and the one that is NDJSON. For CSV see `CsvColumns`. */
import { type EventFrame, parseContent, toEvent } from "../event/EventContent.ts"

/** How events are written to a file. */
export interface LineFormat {
  readonly contentType: string
  /** Without a dot. */
  readonly extension: string
  /** What stands before the first event; empty for nothing. */
  readonly header: string
  /**
   * The line of an event whose content is stored as `content`, with its end; `undefined` when someone changed
   * it into something else.
   */
  readonly line: (content: string, frame: EventFrame) => string | undefined
}

/** One event a line, as `GET /events/{id}` returns it. */
export const ndjsonLines: LineFormat = {
  contentType: "application/x-ndjson",
  extension: "ndjson",
  header: "",
  line: (text, frame) => {
    const content = parseContent(text)
    return content === undefined ? undefined : `${JSON.stringify(toEvent(content, frame))}\n`
  }
}
