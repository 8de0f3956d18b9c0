/**
 * Slashes at the ends of a URL or of a path in it. They are counted, because a pattern such as `/+$` would
 * scan a long run of slashes again and again.
 */

/** The text without the slashes at its end. One pass. */
export const withoutSlashesAtEnd = (text: string): string => {
  let end = text.length
  while (text[end - 1] === "/") end--
  return text.slice(0, end)
}

/** The text without the slashes at both its ends. One pass. */
export const withoutSlashesAround = (text: string): string => {
  let start = 0
  while (text[start] === "/") start++
  return withoutSlashesAtEnd(text.slice(start))
}
