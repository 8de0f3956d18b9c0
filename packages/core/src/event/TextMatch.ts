/** What filters read of an event, from the text of its content and without parsing it. */
import type { Micros } from "../encoding/Micros.ts"
import { parseText } from "../encoding/StrictJson.ts"
import { isCanonicalContent } from "./CanonicalContent.ts"
import { type ContentFields, canonicalFields } from "./ContentFields.ts"
import { areTargets, parseContent } from "./EventContent.ts"
import { type EventFilter, type FilteredContent, fold, matches, selects } from "./EventFilter.ts"
import type { FilterColumns } from "./FilterColumns.ts"

type Targets = FilterColumns["targets"]

const NO_TARGETS: Targets = []

const utf8 = new TextEncoder()

/** The targets from their JSON; undefined if they are none, as somebody changed them. */
const targetsOf = (json: string): Targets | undefined => {
  if (json === "[]") return NO_TARGETS
  try {
    const values = parseText(json)
    return areTargets(values)
      ? values.map(({ type, id = null, name = null }) => ({ type, id, name }))
      : undefined
  } catch {
    return undefined
  }
}

const textsOf = ({ action, actorName, resourceName, metadata }: ContentFields): ReadonlyArray<string> => {
  const texts = [fold(action)]
  if (actorName !== null) texts.push(fold(actorName))
  if (resourceName !== null) texts.push(fold(resourceName))
  if (metadata !== null) texts.push(fold(metadata))
  return texts
}

/**
 * What filters read of the text of a canonical content; undefined for one in another form. Costs two thirds
 * of parsing it. The inside of metadata is not examined: if somebody changed it, a search looks in what they
 * wrote.
 */
export const filteredText = (
  text: string
): (FilteredContent & Pick<ContentFields, "occurredAt">) | undefined => {
  const fields = canonicalFields(text)
  if (fields === undefined) return undefined
  const targets = targetsOf(fields.targets)
  if (targets === undefined) return undefined
  return { ...fields, targets: () => targets, texts: () => textsOf(fields) }
}

/** Whether {@link parseContent} reads a text. Costs two thirds of it if the text is canonical. */
export const isReadable = (text: string): boolean =>
  isCanonicalContent(utf8.encode(text)) || parseContent(text) !== undefined

/** Whether an event with the text of a content, recorded at `createdAt`, satisfies every condition. */
export const matchesText = (filter: EventFilter, text: string, createdAt: Micros): boolean => {
  const filtered = filteredText(text)
  if (filtered !== undefined) return selects(filter, filtered, createdAt)
  const content = parseContent(text)
  return content !== undefined && matches(filter, content, createdAt)
}
