/** What a pass of the service's own verification stores between two steps. */
import { Effect, Schema } from "effect"
import type * as Micros from "../encoding/Micros.ts"
import type { Head } from "../log/EventLog.ts"
import { ChainBreak } from "./Verification.ts"

/** What a pass stores between two steps. */
export const PassState = Schema.Struct({
  /** Passes so far, including this one. */
  pass: Schema.Number,
  began_at: Schema.Number,
  /** It has reached the end and follows appends. */
  ended: Schema.Boolean,
  /** Chained events that it has checked. */
  checked: Schema.Number,
  /** The history before the chain, as far as it was read; null once the chain has begun. */
  history: Schema.NullOr(
    Schema.Struct({ count: Schema.Number, frontier: Schema.Array(Schema.String), created_at: Schema.Number })
  ),
  /** The furthest event that any pass has seen: the log was once at least this long. */
  furthest: Schema.NullOr(Schema.Struct({ sequence: Schema.Number, hash: Schema.NullOr(Schema.String) })),
  /** Breaks that were found and are not reported yet. */
  untold: Schema.Array(ChainBreak),
  /** How many more, which the message counts but does not list. */
  unlisted: Schema.Number.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
  told_at: Schema.NullOr(Schema.Number),
  /** When a step last came to the end and had checked something; null if none has, or none said when. */
  reached_end_at: Schema.NullOr(Schema.Number).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
})
export type PassState = typeof PassState.Type
const PassStateText = Schema.fromJsonString(PassState)
/** Reads a stored state; none if there is none, or it cannot be read. */
export const decodeState = Schema.decodeUnknownOption(PassStateText)
/** A state as it is stored. */
export const encodeState = Schema.encodeSync(PassStateText)

/** The state before the first pass has read anything. */
export const firstPass = (at: Micros.Micros): PassState => ({
  pass: 1,
  began_at: at,
  ended: false,
  checked: 0,
  history: null,
  furthest: null,
  untold: [],
  unlisted: 0,
  told_at: null,
  reached_end_at: null
})

/** The state before the next pass has read anything: what is known of the log stays. */
export const nextPass = (state: PassState, at: Micros.Micros): PassState => ({
  ...state,
  pass: state.pass + 1,
  began_at: at,
  ended: false,
  checked: 0,
  history: null
})

const NO_HISTORY: Head = { sequence: 0, eventHash: null, eventId: null, createdAt: 0, legacy: null }

/** The history before the chain as a check continues with it. */
export const toHead = (history: PassState["history"]): Head =>
  history === null
    ? NO_HISTORY
    : {
        ...NO_HISTORY,
        createdAt: history.created_at,
        legacy: { count: history.count, frontier: history.frontier }
      }

/** The history before the chain as it is stored; null for none. */
export const toHistory = ({ legacy, createdAt }: Head): PassState["history"] =>
  legacy === null ? null : { ...legacy, created_at: createdAt }
