/**
 * Patterns for actions: `*` stands for any characters, or none; everything else for itself; letter case does
 * not matter.
 *
 * `document.*` means what it means as a filter of a list. Alert rules and log streams match with it.
 */

/** Compiles a pattern. Matching costs no more than one pass over the action for each `*`. */
export const actionGlob = (pattern: string): ((action: string) => boolean) => {
  const parts = pattern.toLowerCase().split("*")
  const first = parts[0] ?? ""
  const last = parts.at(-1) ?? ""
  if (parts.length === 1) return (action) => action.toLowerCase() === first
  const between = parts.slice(1, -1)
  return (action) => {
    const text = action.toLowerCase()
    if (!text.startsWith(first) || !text.endsWith(last)) return false
    let from = first.length
    // The leftmost place for each part leaves the most room for those after it.
    for (const part of between) {
      const at = text.indexOf(part, from)
      if (at === -1) return false
      from = at + part.length
    }
    return from <= text.length - last.length
  }
}
