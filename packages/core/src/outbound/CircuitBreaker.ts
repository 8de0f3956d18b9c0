/**
 * A log stream's circuit breaker: a destination that fails is left alone for longer and longer, so that it
 * costs nothing while it is down, and tried again with one batch, which either closes the circuit or opens it
 * for longer.
 */
import { Schema } from "effect"
import { MINUTE, type Micros, SECOND } from "../encoding/Micros.ts"
import { CLOCK_SLACK } from "../log/ClockGuard.ts"

/** The first wait; each further one is twice as long. */
const FIRST_WAIT = SECOND
/** The longest wait, so that a stream is on its way again within five minutes of its destination's return. */
const LONGEST_WAIT = 5 * MINUTE
/**
 * A wait is prolonged by up to a fifth of itself, so that many streams to one destination do not return
 * together.
 */
const JITTER = 0.2
/** A stream that has failed for so long is down, and its owners are told. */
export const DOWN_AFTER: Micros = 10 * MINUTE

/** What is remembered of a destination; it is stored, so that a restart does not forget an outage. */
export const BreakerState = Schema.Struct({
  /** Failures since the last success. */
  failures: Schema.Number,
  /** When the first of them was. */
  failing_since: Schema.NullOr(Schema.Number),
  /** No attempt before this moment. */
  open_until: Schema.NullOr(Schema.Number),
  /** Whether the owners were told of this outage. */
  told: Schema.Boolean
})
export type BreakerState = typeof BreakerState.Type

/** A destination of which nothing bad is known. */
export const closedBreaker: BreakerState = { failures: 0, failing_since: null, open_until: null, told: false }

/** `healthy`, `retrying` after a failure, or `down` once its owners were told. */
export type StreamStatus = "healthy" | "retrying" | "down"

/** How the destination is to be described. */
export const streamStatus = ({ failures, told }: BreakerState): StreamStatus =>
  failures === 0 ? "healthy" : told ? "down" : "retrying"

/**
 * Whether a batch may be sent now. A wait that is longer than any is was noted by a clock that ran ahead, and
 * is over.
 */
export const mayTry = ({ open_until }: BreakerState, now: Micros): boolean =>
  open_until === null || now >= open_until || open_until - now > LONGEST_WAIT * (1 + JITTER) + CLOCK_SLACK

/** A failure at `now`. */
interface BreakerFailure {
  readonly now: Micros
  /** How long the destination asked to be left alone; at most the longest wait is granted. */
  readonly retryAfter: Micros | null
  /** A number from 0 up to 1. */
  readonly random: number
}

/** The state after a failure, and whether its owners are to be told now: once for each outage. */
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
