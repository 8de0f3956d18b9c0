/** The two times of an event, and which of them counts. */
import type { Event } from "@cairn/core/event"
import type { Clock } from "../../place/Place.ts"

/** Milliseconds by which the two may differ before the page shows it. */
const TOLERATED = 5 * 60_000

/** What tells the times of an event. */
type Times = Pick<Event, "occurred_at" | "created_at">

/** The time of an event by a clock, ISO 8601. */
export const timeOf = ({ occurred_at, created_at }: Times, clock: Clock): string =>
  clock === "occurred" ? occurred_at : created_at

/** Whether an event was recorded so long after it happened, or before, that it matters. */
export const timesDiffer = ({ occurred_at, created_at }: Times): boolean =>
  Math.abs(Date.parse(occurred_at) - Date.parse(created_at)) > TOLERATED
