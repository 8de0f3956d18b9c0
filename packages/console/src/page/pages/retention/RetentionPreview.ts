/** What a change of retention would do, before it is made. */
import type { components } from "@cairn/client/session"

/** The settings of the workspace. */
export type Workspace = components["schemas"]["Workspace"]

const DAY = 86_400_000

/** Days until a shorter retention counts, unless the operator has set otherwise. */
const DELAY_DAYS = 7

/** What a new figure would do. */
export type Effect =
  | { readonly kind: "none" }
  /** Nothing is removed, and contents are kept longer. */
  | { readonly kind: "longer"; readonly days: number | null }
  /** What was recorded before `before` is removed from `at` on. */
  | { readonly kind: "shorter"; readonly days: number; readonly at: Date; readonly before: Date }
  /** The plan does not allow it. */
  | { readonly kind: "beyond"; readonly most: number }
  | { readonly kind: "invalid" }

const least = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.min(one, other)

/** The figure that a field holds: null leaves it to the plan; undefined for what is no figure. */
export const figureOf = (text: string): number | null | undefined => {
  const given = text.trim()
  if (given === "") return null
  return /^[1-9]\d{0,4}$/.test(given) ? Number(given) : undefined
}

/** What setting the workspace's own figure to `text` would do at `now`. */
export const effectOf = (workspace: Workspace, text: string, now: number): Effect => {
  const own = figureOf(text)
  if (own === undefined || (own ?? 0) > 36_500) return { kind: "invalid" }
  const most = workspace.limits.retention_days
  if (own !== null && most !== null && own > most) return { kind: "beyond", most }
  if (own === workspace.retention_days) return { kind: "none" }
  const days = least(own, most)
  const present = workspace.effective_retention_days
  if (days === null || (present !== null && days >= present)) return { kind: "longer", days }
  const at = now + DELAY_DAYS * DAY
  return { kind: "shorter", days, at: new Date(at), before: new Date(at - days * DAY) }
}

/** The time before which contents are gone once `days` count at `at`. */
export const cutOf = (at: string, days: number): Date => new Date(Date.parse(at) - days * DAY)

/**
 * The figure that calls the workspace's own shortening off; undefined where none is pending that is its own,
 * as what the plan decides is the operator's.
 */
export const figureToCallOff = ({
  pending_retention: pending,
  retention_days: own,
  effective_retention_days: present,
  limits
}: Workspace): number | null | undefined => {
  if (pending === null || own === null) return undefined
  const isOwn = pending.retention_days === own || pending.followed_by?.retention_days === own
  // The plan's figure may itself be shrinking, and is the most that can be asked for.
  return isOwn ? least(present, limits.retention_days) : undefined
}
