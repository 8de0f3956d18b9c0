/**
 * Patterns for actions: `*` matches any characters, or none; everything else matches itself. Letter case does
 * not matter.
 *
 * `document.*` means the same as in the filter of a list. Alert rules and log streams use these patterns.
 */

/** Compiles a pattern. Matching costs at most one pass over the action for each `*`. */
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
    // The leftmost match of each part leaves the most text for the parts after it.
    for (const part of between) {
      const at = text.indexOf(part, from)
      if (at === -1) return false
      from = at + part.length
    }
    return from <= text.length - last.length
  }
}
