/** The keys that a page with a log knows. */

/** What each key does, by the name of its text. */
export const KEYS = [
  ["/", "search"],
  ["j  k", "rows"],
  ["Enter", "open"],
  ["Esc", "close"],
  ["?", "help"]
] as const

/** The names of what keys do. */
export type KeyUse = (typeof KEYS)[number][1]
