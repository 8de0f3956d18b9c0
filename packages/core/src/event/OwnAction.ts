/**
 * Actions that begin with `cairn.` are the service's own. They record what was done to the log and to its
 * settings, and some of them have a meaning for verification. Clients may not write such an action, nor one
 * that a reader, a search or an alert rule could mistake for it.
 */

import { CONFUSABLES } from "./Confusables.ts"

/** The prefix of the service's own actions. */
export const OWN_PREFIX = "cairn."

/**
 * Characters that are invisible in a list of events, or look like a space, and marks on other characters. The
 * last three are blank, although Unicode calls them symbols and marks.
 */
const UNSEEN =
  /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{M}\u{2800}\u{16fe4}\u{1d159}]/gu

/** Full stops between the labels of a domain name, which UTS #46 takes for one, and the list does not. */
const FULL_STOPS = "\u3002\uff61"

/** What characters look like, by themselves. */
const LOOKS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(CONFUSABLES).flatMap(([look, parts]) =>
    Array.from(parts.join(""), (character) => [character, look] as const)
  ),
  // A capital `i` looks like these, and letter case does not count.
  ["l", "i"],
  ["1", "i"],
  ["|", "i"],
  ["m", "rn"],
  ...Array.from(FULL_STOPS, (stop) => [stop, "."] as const)
])

/** The first characters of the prefix. */
const [C, A] = [0x63, 0x61]

/** A word of its own, though each of its characters is like one of the prefix. */
const WORD = "calm."

/** Whether a code unit is a visible ASCII character. */
const isPlain = (unit: number): boolean => unit > 0x20 && unit < 0x7f

/** What a character looks like, in lower case and without marks: nothing, a character, or several. */
const lookOf = (character: string): string => {
  if (isPlain(character.charCodeAt(0))) {
    const lower = character.toLowerCase()
    return LOOKS.get(lower) ?? lower
  }
  const listed = LOOKS.get(character)
  if (listed !== undefined) return listed
  const plain = character.normalize("NFKD").replace(UNSEEN, "").toLowerCase()
  return Array.from(plain, (one) => LOOKS.get(one) ?? one).join("")
}

/** Whether the first characters of an action look like the prefix. */
const looksLikeOwn = (action: string): boolean => {
  if (action.toLowerCase().startsWith(WORD)) return false
  let seen = ""
  for (const character of action) {
    seen += lookOf(character)
    if (seen.length >= OWN_PREFIX.length) return seen.startsWith(OWN_PREFIX)
    if (!OWN_PREFIX.startsWith(seen)) return false
  }
  return false
}

/**
 * Whether an action is the service's own or can be mistaken for it: written in capitals (patterns of alert
 * rules and log streams ignore letter case), after spaces or invisible characters, with marks, in
 * compatibility forms of letters, or in letters of other scripts and other characters that Unicode calls
 * confusable with them (UTS #39), such as `m` for `rn`.
 *
 * Costs a comparison or two for an action that begins with visible ASCII characters other than `ca`. Else it
 * looks at the characters up to the first that differs, and at all invisible ones before it.
 */
export const readsAsOwn = (action: string): boolean => {
  const first = action.charCodeAt(0)
  if (isPlain(first) && (first | 0x20) !== C) return false
  const second = action.charCodeAt(1)
  if (isPlain(first) && isPlain(second) && (second | 0x20) !== A) return false
  return looksLikeOwn(action)
}
