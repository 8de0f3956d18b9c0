/** Where in the drawer the words of a search stand, by the rule of the service. */
import { type Event, searchFields } from "@cairn/core/event"
import { splitMetadata } from "./MetadataChanges.ts"

/** What of an event the service searches, as the drawer divides it: metadata is read, or folded away. */
export type FoundPart = "action" | "actor" | "resource" | "readable" | "technical"

type Searched = Pick<Event, "action" | "actor" | "resource" | "metadata">

/** The parts in which any text of a search is found. */
export const foundParts = (event: Searched, search: ReadonlyArray<string>): ReadonlyArray<FoundPart> => {
  const { readable, technical } = splitMetadata(event.metadata ?? {})
  const isIn = (metadata: Readonly<Record<string, unknown>>): boolean =>
    Object.keys(metadata).length > 0 && searchFields({ ...event, metadata }, search).includes("metadata")
  return searchFields(event, search).flatMap((field): ReadonlyArray<FoundPart> => {
    if (field !== "metadata") return [field]
    if (!isIn(technical)) return ["readable"]
    return isIn(readable) ? ["readable", "technical"] : ["technical"]
  })
}
