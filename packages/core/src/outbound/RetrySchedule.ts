/**
 * When a delivery is tried again, and when its endpoint is disabled.
 *
 * Attempts are made at once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h: about twenty-eight hours
 * in all. A message that fails to the last is kept and can be redelivered; an endpoint to which nothing was
 * delivered for five days is disabled.
 */
import { DAY, MINUTE, type Micros, SECOND } from "../encoding/Micros.ts"

const HOUR = 60 * MINUTE

/** The waits before each attempt, counted from the end of the previous one. */
export const RETRY_DELAYS: ReadonlyArray<Micros> = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR
]

/**
 * A wait is extended by up to a fifth, so that messages that failed together are not all retried together.
 */
const JITTER = 0.2

/** A receiver cannot postpone a message for longer than this. */
export const MAX_RETRY_AFTER: Micros = DAY

/** An endpoint that has failed for this long is disabled. */
const ENDPOINT_PATIENCE: Micros = 5 * DAY

/** A failed attempt. */
interface FailedAttempt {
  /** The number of attempts so far, including this one. */
  readonly attempts: number
  readonly endedAt: Micros
  /** The receiver's `Retry-After`, from the end of the attempt; null if there was none. */
  readonly retryAfter: Micros | null
}

/**
 * When to try again; null after the last attempt. `random` is at least 0 and less than 1. A `Retry-After`
 * makes the wait longer, up to a day, and never shorter.
 */
export const nextAttempt = (
  { attempts, endedAt, retryAfter }: FailedAttempt,
  random: number
): Micros | null => {
  const delay = RETRY_DELAYS[attempts]
  if (delay === undefined) return null
  const wait = Math.round(delay * (1 + JITTER * random))
  return endedAt + Math.max(wait, Math.min(retryAfter ?? 0, MAX_RETRY_AFTER))
}

/**
 * Reads `Retry-After` (RFC 9110 section 10.2.3), whole seconds or a date, as a wait from `now`; null for any
 * other text. A date in the past means no wait.
 */
export const parseRetryAfter = (value: string | undefined, now: Micros): Micros | null => {
  const text = value?.trim() ?? ""
  if (/^\d{1,10}$/.test(text)) return Number(text) * SECOND
  // Every form of HTTP-date (RFC 9110 section 5.6.7) begins with the name of a day.
  const millis = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(millis) ? null : Math.max(0, millis * 1000 - now)
}

/**
 * The health of an endpoint: since when every attempt at it has failed, for any message; null after a
 * success.
 */
interface EndpointHealth {
  readonly failingSince: Micros | null
}

/** The health after one more attempt, and whether the endpoint must be disabled. */
export const noteAttempt = (
  { failingSince }: EndpointHealth,
  succeeded: boolean,
  at: Micros
): EndpointHealth & { readonly disable: boolean } => {
  if (succeeded) return { failingSince: null, disable: false }
  const since = failingSince ?? at
  return { failingSince: since, disable: at - since >= ENDPOINT_PATIENCE }
}
