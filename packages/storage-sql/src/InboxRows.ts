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

/** The events of a row. */
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
