/** The result of verifying a whole, intact log. */
import type { ChainVerification } from "@cairn/core/verification"

/** The result for a log with this many events. */
export const wholeVerification = (events: number): ChainVerification => ({
  valid: true,
  events_checked: events,
  breaks: [],
  complete: true,
  total: events,
  next: null
})
