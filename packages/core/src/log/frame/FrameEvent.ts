/** What the frames hold of an event. */
import type { Micros } from "../../encoding/Micros.ts"
import { parseContent } from "../../event/EventContent.ts"
import { searchTexts } from "../../event/EventFilter.ts"
import { occurrenceOf } from "../../event/EventTime.ts"
import { type FilterColumns, filterColumns } from "../../event/FilterColumns.ts"
import { filteredText } from "../../event/TextMatch.ts"
import type { ColumnsEntry } from "./FrameColumns.ts"
import { type TextEntry, textOfFields } from "./FrameTexts.ts"

/** An event as frames hold it: when it occurred, the values that it is filtered by, and its folded text. */
export interface FrameEvent extends ColumnsEntry, TextEntry {}

/** The values that an event is filtered by, from the text of a content. */
const columnsOf = (filtered: NonNullable<ReturnType<typeof filteredText>>): FilterColumns => ({
  action: filtered.action,
  actorId: filtered.actorId,
  resourceType: filtered.resourceType,
  resourceId: filtered.resourceId,
  tenantId: filtered.tenantId,
  sessionId: filtered.sessionId,
  actionCategory: filtered.actionCategory,
  ipCountry: filtered.ipCountry,
  resourceName: filtered.resourceName,
  actorName: filtered.actorName,
  targets: filtered.targets()
})

/**
 * The values that an event is filtered by, of the text of a content; undefined if somebody changed it to
 * something that is not a content.
 */
export const columnsOfText = (text: string): FilterColumns | undefined => {
  const filtered = filteredText(text)
  if (filtered !== undefined) return columnsOf(filtered)
  const content = parseContent(text)
  return content && filterColumns(content)
}

/**
 * Makes one of the text of a content; undefined if somebody changed it to something that is not a content.
 */
export const frameEvent = (sequence: number, createdAt: Micros, text: string): FrameEvent | undefined => {
  const filtered = filteredText(text)
  if (filtered !== undefined) {
    const columns = columnsOf(filtered)
    const occurredAt = occurrenceOf(filtered.occurredAt, createdAt)
    return { sequence, createdAt, occurredAt, columns, text: textOfFields([...filtered.texts()]) }
  }
  const content = parseContent(text)
  if (content === undefined) return undefined
  const columns = filterColumns(content)
  const occurredAt = occurrenceOf(content.occurred_at, createdAt)
  return { sequence, createdAt, occurredAt, columns, text: textOfFields(searchTexts(content)) }
}
