/** Where a `*` in a filter is not what people mean by it. */
import type { FieldName } from "./Fields.ts"

/** What there is to say: of actions, of the search, and of what is compared as a whole. */
export type StarNote = "action" | "search" | "whole"

/** Whether a text is a pattern of actions: `user.*`, `*.deleted` or `*`. */
export const isPattern = (text: string): boolean => /^(?:\*|[^*]+\.\*|\*\.[^*]+)$/u.test(text)

/** What to say of a text with a `*` that finds no other text than itself; undefined for nothing. */
export const starNote = (field: FieldName | undefined, text: string): StarNote | undefined => {
  if (!text.includes("*")) return undefined
  if (field === undefined) return "search"
  if (field !== "action") return "whole"
  return isPattern(text.trim()) ? undefined : "action"
}
