/** What a server writes to its log, line by line. */
import { Schema } from "effect"

const Line = Schema.Struct({
  level: Schema.String,
  timestamp: Schema.String,
  message: Schema.Unknown,
  annotations: Schema.Record(Schema.String, Schema.Unknown)
})
/** A line of the log. */
export type LogLine = typeof Line.Type

const decodeLine = Schema.decodeUnknownSync(Schema.fromJsonString(Line))

/** The lines of a text that a server wrote; throws at the first that is none. */
export const logLines = (text: string): ReadonlyArray<LogLine> =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => decodeLine(line))

/**
 * A slow machine is worth a line, also where all goes well: a request of more than a second, or a turn that
 * takes long.
 */
const isOfSlowness = ({ message, annotations }: LogLine): boolean =>
  (message === "request" && Number(annotations.millis) > 1_000) ||
  (typeof message === "string" && /^The event loop .*stood still for up to/.test(message))

/** The lines of a text that are no sign of a slow machine. */
export const withoutSlowness = (text: string): ReadonlyArray<LogLine> =>
  logLines(text).filter((line) => !isOfSlowness(line))
