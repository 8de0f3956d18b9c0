/**
 * A log stream's circuit breaker. A destination that fails is not called for longer and longer, so that it
 * costs nothing while it is down. It is then tried again with one batch, which either closes the circuit or
 * opens it for longer.
 */
import { Schema } from "effect"
import { MINUTE, type Micros, SECOND } from "../encoding/Micros.ts"
import { CLOCK_SLACK } from "../log/ClockGuard.ts"

/** The first wait; each further one is twice as long. */
const FIRST_WAIT = SECOND
/** The longest wait, so that a stream continues within five minutes after its destination has recovered. */
const LONGEST_WAIT = 5 * MINUTE
/**
 * A wait is extended by up to a fifth, so that many streams to one destination do not all return at the same
 * time.
 */
const JITTER = 0.2
/** A stream that has failed for this long is down, and its owners are notified. */
export const DOWN_AFTER: Micros = 10 * MINUTE

/** The state of a destination. It is stored, so that a restart does not forget an outage. */
export const BreakerState = Schema.Struct({
  /** Failures since the last success. */
  failures: Schema.Number,
  /** When the first of these failures was. */
  failing_since: Schema.NullOr(Schema.Number),
  /** No attempt before this time. */
  open_until: Schema.NullOr(Schema.Number),
  /** Whether the owners were notified of this outage. */
  told: Schema.Boolean
})
export type BreakerState = typeof BreakerState.Type

/** A destination without failures. */
export const closedBreaker: BreakerState = { failures: 0, failing_since: null, open_until: null, told: false }

/** `healthy`; `retrying` after a failure; or `down` once its owners were notified. */
export type StreamStatus = "healthy" | "retrying" | "down"

/** The status that is shown for a destination. */
export const streamStatus = ({ failures, told }: BreakerState): StreamStatus =>
  failures === 0 ? "healthy" : told ? "down" : "retrying"

/**
 * Whether a batch may be sent now. A wait that is longer than any can be was set by a clock that was ahead,
 * and counts as over.
 */
export const mayTry = ({ open_until }: BreakerState, now: Micros): boolean =>
  open_until === null || now >= open_until || open_until - now > LONGEST_WAIT * (1 + JITTER) + CLOCK_SLACK

/** A failure at `now`. */
interface BreakerFailure {
  readonly now: Micros
  /** How long the destination asked for no calls. At most the longest wait is granted. */
  readonly retryAfter: Micros | null
  /** A random number, at least 0 and less than 1. */
  readonly random: number
}

/** The state after a failure, and whether its owners must be notified now: once for each outage. */
export const noteFailure = (
  state: BreakerState,
  { now, retryAfter, random }: BreakerFailure
): { readonly state: BreakerState; readonly tell: boolean } => {
  const since = state.failing_since ?? now
  const backOff = Math.min(FIRST_WAIT * 2 ** Math.min(state.failures, 30), LONGEST_WAIT)
  const wait = Math.max(Math.round(backOff * (1 + JITTER * random)), Math.min(retryAfter ?? 0, LONGEST_WAIT))
  const tell = !state.told && now - since >= DOWN_AFTER
  return {
    state: {
      failures: state.failures + 1,
      failing_since: since,
      open_until: now + wait,
      told: state.told || tell
    },
    tell
  }
}

/** The state after a success. */
export const noteSuccess = (): BreakerState => closedBreaker
