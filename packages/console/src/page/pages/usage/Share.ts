/** How much of a figure of the plan is used. */

/** How a figure is. */
export type Level = "unlimited" | "fine" | "near" | "full"

/** Of which share on a figure is nearly used up. */
const NEAR = 0.8

/** How a figure is. Beyond its limit it is full: a plan may have been lowered. */
export const levelOf = ({ used, limit }: { readonly used: number; readonly limit: number | null }): Level => {
  if (limit === null) return "unlimited"
  return used >= limit ? "full" : used >= limit * NEAR ? "near" : "fine"
}

/** The used share of a limit, at most 1. What is used is never said to be all while some is left. */
export const shareOf = (used: number, limit: number): number =>
  used >= limit ? 1 : Math.min(0.99, Math.round((used / limit) * 100) / 100)
