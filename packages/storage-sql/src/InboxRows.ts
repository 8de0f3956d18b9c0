/**
 * How a request's events are written in one inbox row: five lines each. Canonical JSON has no line breaks, so
 * none of the five needs escaping, and nothing needs to be parsed.
 */
import type { PendingEvent } from "@cairn/core/log"

const LINES = 5

/** The text of a row. */
export const encodeEvents = (events: ReadonlyArray<PendingEvent>): string => {
  const lines: Array<string> = []
  for (const { id, idempotencyKey, clientAddress, content } of events) {
    lines.push(id, JSON.stringify(idempotencyKey), clientAddress ?? "", content.head, content.tail)
  }
  return lines.join("\n")
}

/**
 * The events of a row that is appended, of which there must be as many as it says: one that was cut short is
 * not appended without them. Throws otherwise.
 */
export const decodeWhole = (text: string, count: number): ReadonlyArray<PendingEvent> => {
  const events = decodeEvents(text)
  if (events.length !== count || text.split("\n").length !== count * LINES)
    throw new Error(`the row has ${events.length} whole events and not ${count}`)
  return events
}

/** The events of a row, as far as they are whole. */
export const decodeEvents = (text: string): ReadonlyArray<PendingEvent> => {
  const lines = text.split("\n")
  const events: Array<PendingEvent> = []
  for (let at = 0; at + LINES <= lines.length; at += LINES) {
    const [id = "", key = "null", address = "", head = "", tail = ""] = lines.slice(at, at + LINES)
    const idempotencyKey: unknown = JSON.parse(key)
    events.push({
      id,
      idempotencyKey: typeof idempotencyKey === "string" ? idempotencyKey : null,
      clientAddress: address === "" ? null : address,
      content: { head, tail }
    })
  }
  return events
}
