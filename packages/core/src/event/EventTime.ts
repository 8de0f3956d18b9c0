/** The two times of an event: when it was recorded, and when it occurred. */
import { Schema } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { parseContent } from "./EventContent.ts"
import { type EventFilter, matches, selects } from "./EventFilter.ts"
import { filteredText } from "./TextMatch.ts"

/** By which time events are ordered, and which one `from` and `to` compare with. */
export const EVENT_TIMES = ["recorded", "occurred"] as const

/** By which time events are ordered, and which one `from` and `to` compare with. */
export const EventTime = Schema.Literals(EVENT_TIMES)
export type EventTime = typeof EventTime.Type

/**
 * When an event occurred, of its `occurred_at` as it is stored; if somebody changed that to something that is
 * no time, when it was recorded. Beyond the year 2255 it is the nearest double.
 */
export const occurrenceOf = (occurredAt: string, createdAt: Micros.Micros): Micros.Micros =>
  Micros.parseStored(occurredAt) ?? Micros.parse(occurredAt) ?? createdAt

/**
 * When an event with the text of a content occurred; undefined if it does not satisfy every condition, its
 * times compared with that.
 */
export const occurrenceIn = (
  filter: EventFilter,
  text: string,
  createdAt: Micros.Micros
): Micros.Micros | undefined => {
  const filtered = filteredText(text)
  if (filtered !== undefined) {
    const occurred = occurrenceOf(filtered.occurredAt, createdAt)
    return selects(filter, filtered, occurred) ? occurred : undefined
  }
  const content = parseContent(text)
  if (content === undefined) return undefined
  const occurred = occurrenceOf(content.occurred_at, createdAt)
  return matches(filter, content, occurred) ? occurred : undefined
}
