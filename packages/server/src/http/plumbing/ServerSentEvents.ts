/** Server-sent events as they are written (HTML, section 9.2.6). */

/** The content type of a stream of them. */
export const EVENT_STREAM = "text/event-stream; charset=utf-8"

/** An event with a name and data, which JSON writes on one line. */
export const sentEvent = (name: string, data: unknown): string =>
  `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** A line that means nothing: it shows that the connection lives. */
export const HEARTBEAT = ":\n\n"

/** When a client whose connection broke is to come again, in milliseconds. */
export const retryAfter = (millis: number): string => `retry: ${millis}\n\n`
