/**
 * Actions that begin with `cairn.` are the service's own. They record what was done to the log and to its
 * settings, and some of them have a meaning for verification. Clients may not write such an action, nor one
 * that a reader, a search or an alert rule could mistake for it.
 */

import { normalizeBounded } from "../encoding/BoundedNormalization.ts"

/** The prefix of the service's own actions. */
export const OWN_PREFIX = "cairn."

/**
 * Characters that are invisible in a list of events, or look like a space. The last three are blank, although
 * Unicode calls them symbols and marks.
 */
const UNSEEN = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u{2800}\u{16fe4}\u{1d159}]/gu

/** Whether the first characters, as many as the prefix has, are all visible ASCII characters. */
const beginsPlainly = (action: string): boolean => {
  for (let index = 0; index < Math.min(action.length, OWN_PREFIX.length); index++) {
    const unit = action.charCodeAt(index)
    if (unit <= 0x20 || unit >= 0x7f) return false
  }
  return true
}

/**
 * Whether an action is the service's own or can be mistaken for it: written in capitals (patterns of alert
 * rules and log streams ignore letter case), after spaces or invisible characters, or in compatibility forms
 * of letters (Unicode NFKC). Letters of other scripts that only look alike are not detected. Costs nothing
 * for an action that begins with ASCII, else one pass over it.
 */
export const readsAsOwn = (action: string): boolean =>
  (beginsPlainly(action)
    ? action.slice(0, OWN_PREFIX.length)
    : normalizeBounded(action, "NFKC").replace(UNSEEN, "")
  )
    .toLowerCase()
    .startsWith(OWN_PREFIX)
