/**
 * Actions of access events, by which the service records who reads a log. They count against no quota, and
 * only the alert rules that name them evaluate them.
 */

/** The prefix of these actions. */
export const ACCESS_PREFIX = "cairn.access."

/** Whether an action is that of an access event. */
export const isAccessAction = (action: string): boolean => action.startsWith(ACCESS_PREFIX)

/** What a pattern that names access events begins with, in any letter case. */
const NAMED = ACCESS_PREFIX.slice(0, -1)

/**
 * Whether a pattern for actions names access events: its text before the first `*` says so. `cairn.access.*`
 * does; `*` and `cairn.*` only match them.
 */
export const namesAccess = (pattern: string): boolean =>
  (pattern.split("*", 1)[0] ?? "").toLowerCase().startsWith(NAMED)
