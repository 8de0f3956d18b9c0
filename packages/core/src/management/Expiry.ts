/** The end of a key or a membership: what it may be, and that it is not after its maker's own. */
import { Effect } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { InvalidInput } from "../event/InvalidInput.ts"
import type { Manager } from "./ManagementEvent.ts"

/** What is wrong with an end, an ISO 8601 time; undefined if nothing is. */
export const expiryFault = (text: string, now: Micros.Micros): InvalidInput | undefined => {
  const micros = Micros.parse(text)
  const reason =
    micros === undefined || micros <= now
      ? "must be an ISO 8601 date-time in the future"
      : Number.isSafeInteger(micros)
        ? undefined
        : "must be before the year 2255, beyond which microseconds are not exact; leave it out for no end"
  return reason === undefined ? undefined : new InvalidInput({ path: "expires_at", reason })
}

/** An end as a time; null for no end. */
export const readExpiry = (
  text: string | null | undefined,
  now: Micros.Micros
): Effect.Effect<Micros.Micros | null, InvalidInput> => {
  if (text === null || text === undefined) return Effect.succeed(null)
  const fault = expiryFault(text, now)
  return fault === undefined ? Effect.succeed(Micros.parse(text) ?? null) : Effect.fail(fault)
}

/**
 * When a key, token or membership that a member makes ends: at the latest when the maker's own access ends.
 */
export const endWithin = (
  { until }: Pick<Manager, "until">,
  end: Micros.Micros | null
): Effect.Effect<Micros.Micros | null, InvalidInput> => {
  if (until === undefined || (end !== null && end <= until)) return Effect.succeed(end)
  if (end === null) return Effect.succeed(until)
  const reason = `must not be after your own access ends, at ${Micros.format(until)}`
  return Effect.fail(new InvalidInput({ path: "expires_at", reason }))
}
