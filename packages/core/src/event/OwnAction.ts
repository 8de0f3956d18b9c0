/**
 * Actions that begin with `cairn.` are the service's own: with them it records what was done to the log and
 * to its settings, and some of them mean something to verification. Nobody else may write one, nor an action
 * that a reader, a search or an alert rule takes for one.
 */

import { normalizeBounded } from "../encoding/BoundedNormalization.ts"

/** What the service's own actions begin with. */
export const OWN_PREFIX = "cairn."

/**
 * Nothing of these is seen, or told from a space, in a list of events. The last three are blank, though
 * Unicode calls them symbols and marks.
 */
const UNSEEN = /[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u{2800}\u{16fe4}\u{1d159}]/gu

/** Whether each of the first characters, as many as the prefix has, is a visible one of ASCII. */
const beginsPlainly = (action: string): boolean => {
  for (let index = 0; index < Math.min(action.length, OWN_PREFIX.length); index++) {
    const unit = action.charCodeAt(index)
    if (unit <= 0x20 || unit >= 0x7f) return false
  }
  return true
}

/**
 * Whether an action is the service's own, or reads as such: in capitals, as patterns of alert rules and log
 * streams ignore letter case; after spaces or characters that show nothing; in compatibility forms of letters
 * (Unicode NFKC). Letters of other scripts that merely look alike are not found. Costs nothing for an action
 * that begins with ASCII, else one pass over it.
 */
export const readsAsOwn = (action: string): boolean =>
  (beginsPlainly(action)
    ? action.slice(0, OWN_PREFIX.length)
    : normalizeBounded(action, "NFKC").replace(UNSEEN, "")
  )
    .toLowerCase()
    .startsWith(OWN_PREFIX)
