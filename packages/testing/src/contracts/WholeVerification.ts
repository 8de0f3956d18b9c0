/** What verifying a whole log that holds comes to. */
import type { ChainVerification } from "@cairn/core/verification"

/** The outcome for a log of so many events. */
export const wholeVerification = (events: number): ChainVerification => ({
  valid: true,
  events_checked: events,
  breaks: [],
  complete: true,
  total: events,
  next: null
})
