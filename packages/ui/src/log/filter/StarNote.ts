/** Where a `*` in a filter is not what people mean by it. */
import type { FilterName } from "../../place/Filter.ts"

/** What there is to say: of actions, of the search, and of what is compared as a whole. */
export type StarNote = "action" | "search" | "whole"

/** What to say of a text with a `*` that finds no other text than itself; undefined for nothing. */
export const starNote = (name: FilterName, text: string): StarNote | undefined => {
  const value = text.trim()
  const star = value.indexOf("*")
  if (star < 0) return undefined
  if (name === "search") return "search"
  if (name !== "action") return "whole"
  const isPart = value.endsWith(".*") || value.startsWith("*.")
  return value === "*" || (isPart && star === value.lastIndexOf("*")) ? undefined : "action"
}
