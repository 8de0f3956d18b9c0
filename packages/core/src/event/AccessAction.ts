/**
 * Actions of access events, by which the service records who reads a log: only the alert rules that name them
 * evaluate them. They count against no quota, like the other records about access.
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

/** Further records about access: sign-ins and their ends, proven addresses, and what is exported. */
const ABOUT_ACCESS = ["cairn.session.", "cairn.member.confirmed", "cairn.export."]

/**
 * Whether one of the service's own events with this action counts against the month's quota. Events that
 * record a change to the workspace do. So a reader, who may change nothing, cannot use up the quota.
 */
export const costsQuota = (action: string): boolean =>
  !isAccessAction(action) && !ABOUT_ACCESS.some((prefix) => action.startsWith(prefix))
