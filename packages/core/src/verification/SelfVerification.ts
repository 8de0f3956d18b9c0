/**
 * The service verifies its own logs in steps and notifies about breaks.
 *
 * It differs from a consumer of the log in one way: it reads every row as stored, and the end of the log. A
 * pass goes from the first event to the last and then follows appends; after some time the next pass begins.
 * Its position, its findings and the messages about them are committed together, so that a crash neither
 * skips an event nor reports a break twice.
 */
import { Context, Effect, Layer, Option } from "effect"
import type { Consumed } from "../consumer/ConsumerRunner.ts"
import {
  BEFORE_FIRST_EVENT,
  type ConsumerKey,
  type ConsumerPosition,
  type ConsumerRow,
  Consumers
} from "../consumer/Consumers.ts"
import type { NewDelivery } from "../consumer/Delivery.ts"
import * as Micros from "../encoding/Micros.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { EventLog } from "../log/EventLog.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { BreakNotices } from "./BreakNotices.ts"
import { breakKey, readBreakRow, STATE_KEY, VERIFICATION_CONSUMER, writeBreakRow } from "./BreakRows.ts"
import { headOf } from "./LogWitnesses.ts"
import { decodeState, encodeState, firstPass, nextPass, type PassState } from "./PassState.ts"
import type { ChainBreak } from "./Verification.ts"
import { makeVerificationMeters, type VerificationMeters } from "./VerificationMeters.ts"
import { makeStepLook, type Step, type StepLook, type StepStart } from "./VerificationStep.ts"

/**
 * After each step, the process that verifies a log keeps it for this long, so that no other process does the
 * same work.
 */
const HOLD: Micros.Micros = 15 * Micros.SECOND
/**
 * Breaks that are found within this time after a message are reported together in the next one, so that one
 * incident causes few messages.
 */
export const TELL_AGAIN: Micros.Micros = 60 * Micros.MINUTE
/** Most breaks that one message lists. */
export const MAX_TOLD_BREAKS = 100

/**
 * If a whole pass does not find a break, it counts as repaired, and is reported again if it returns.
 */
const isNews = (row: ConsumerRow | undefined, pass: number): boolean =>
  row === undefined || readBreakRow(row.value).pass < pass - 1

/** How often a pass begins. */
interface SelfVerificationOptions {
  /**
   * From the beginning of a pass to the beginning of the next, which never begins before the pass has reached
   * the end.
   */
  readonly every: Micros.Micros
}

/** The use case *verify by itself*. */
interface SelfVerificationShape {
  /**
   * Does one step in a workspace's log; `count` is how many events it checked. Costs as much as verifying
   * them.
   */
  readonly advance: (workspaceId: string) => Effect.Effect<Consumed, StorageUnavailable>
}

/** The state of a log's verification. */
interface Standing extends StepStart {
  readonly position: ConsumerPosition
  /** As stored; undefined before the first step. */
  readonly text: string | undefined
}

/** What the verification needs. */
interface SelfVerificationContext {
  readonly consumers: Consumers["Service"]
  readonly log: EventLog["Service"]
  readonly look: StepLook
  readonly notices: BreakNotices["Service"]
  readonly holder: string
  readonly every: Micros.Micros
  readonly meters: VerificationMeters
}

/** The rows that record breaks, and which of the breaks are new. */
const sift = Effect.fnUntraced(function* (
  { consumers }: SelfVerificationContext,
  key: ConsumerKey,
  { breaks, state: { pass } }: Step,
  at: Micros.Micros
) {
  const found = new Map(breaks.map((each) => [breakKey(each), each]))
  const stored = new Map((yield* consumers.rows(key, [...found.keys()])).map((row) => [row.key, row]))
  const rowOf = (each: string): ReadonlyArray<ConsumerRow> => {
    const row = stored.get(each)
    const before = row === undefined || isNews(row, pass) ? undefined : readBreakRow(row.value)
    if (before?.pass === pass) return []
    const foundAt = before === undefined ? at : before.foundAt
    return [{ key: each, value: writeBreakRow({ pass, foundAt }), expiresAt: null }]
  }
  return {
    rows: [...found.keys()].flatMap(rowOf),
    news: [...found].flatMap(([each, found]) => (isNews(stored.get(each), pass) ? [found] : []))
  }
})

/** The messages that are due, and the state after they are stored. */
const tell = Effect.fnUntraced(function* (
  { log, notices }: SelfVerificationContext,
  workspaceId: string,
  state: PassState,
  at: Micros.Micros
) {
  const { untold, unlisted, told_at, checked, ended } = state
  const quiet = told_at !== null && at - told_at < TELL_AGAIN
  const none: ReadonlyArray<NewDelivery> = []
  if (untold.length === 0 || quiet) return { state, deliveries: none }
  const { sequence: total } = yield* headOf(log, workspaceId)
  const data = {
    valid: false as const,
    events_checked: checked,
    breaks: untold,
    breaks_found: untold.length + unlisted,
    complete: ended,
    total
  }
  const cause = `chain_broken ${workspaceId} ${at}`
  const deliveries = yield* notices.of(workspaceId, data, cause)
  return { state: { ...state, untold: [], unlisted: 0, told_at: at }, deliveries }
})

const alarm = (workspace: string, news: ReadonlyArray<ChainBreak>) =>
  news.length === 0
    ? Effect.void
    : Effect.logError("The hash chain of a log is broken").pipe(
        Effect.annotateLogs({ workspace, breaks: JSON.stringify(news.slice(0, 10)) })
      )

/** Stores the result of a step; returns false if another process has taken over. */
const commit = Effect.fnUntraced(function* (
  context: SelfVerificationContext,
  { position, text, state: { ended: wasEnded } }: Standing,
  step: Step
) {
  const { consumers } = context
  const { workspaceId } = position
  const at = yield* Micros.now
  const { rows, news } = yield* sift(context, position, step, at)
  const found = [...step.state.untold, ...news]
  const untold = found.slice(0, MAX_TOLD_BREAKS)
  const unlisted = step.state.unlisted + found.length - untold.length
  // A look at an end that has not moved is not worth a write.
  const arrived = !step.more && (step.count > 0 || step.state.reached_end_at === null || !wasEnded)
  const reached_end_at = arrived ? at : step.state.reached_end_at
  const { state, deliveries } = yield* tell(
    context,
    workspaceId,
    { ...step.state, untold, unlisted, reached_end_at },
    at
  )
  const value = encodeState(state)
  if (value === text && rows.length === 0 && step.sequence === position.sequence) return true
  const committed = yield* consumers.commit(position, {
    sequence: step.sequence,
    rows: [...rows, { key: STATE_KEY, value, expiresAt: null }],
    raised: [],
    deliveries,
    expiredBy: null,
    at
  })
  if (Option.isSome(committed)) {
    context.meters.breaks.value += news.length
    yield* alarm(workspaceId, news)
  }
  return Option.isSome(committed)
})

const standingAt = Effect.fnUntraced(function* (
  { consumers, every }: SelfVerificationContext,
  position: ConsumerPosition,
  at: Micros.Micros
) {
  const [row] = yield* consumers.rows(position, [STATE_KEY])
  const state = Option.getOrElse(decodeState(row?.value), () => firstPass(at))
  const isNext = state.ended && at - state.began_at >= every
  return {
    position,
    text: row?.value,
    state: isNext ? nextPass(state, at) : state,
    after: isNext ? BEFORE_FIRST_EVENT : position.sequence
  } satisfies Standing
})

/** The state of the log's verification, if this process holds it; none while another process does. */
const take = Effect.fnUntraced(function* (
  context: SelfVerificationContext,
  opened: ConsumerPosition,
  at: Micros.Micros
) {
  const { log, consumers, holder } = context
  const standing = yield* standingAt(context, opened, at)
  const { sequence } = yield* headOf(log, opened.workspaceId)
  // Reading only the end is cheap, but holding the log waits for a disk write.
  if (standing.state.ended && standing.after >= sequence) return Option.some(standing)
  const held = yield* consumers.hold(opened, { holder, at, until: at + HOLD })
  return Option.isNone(held) ? Option.none() : Option.some(yield* standingAt(context, held.value, at))
})

const nothing: Consumed = { count: 0, more: false }

const advance = Effect.fn("SelfVerification.advance")(function* (
  context: SelfVerificationContext,
  workspaceId: string
) {
  const { consumers } = context
  const at = yield* Micros.now
  const key = { workspaceId, consumer: VERIFICATION_CONSUMER }
  const opened = yield* consumers.open(key, BEFORE_FIRST_EVENT, at)
  if (opened.paused) {
    context.meters.lag.clear(workspaceId)
    return nothing
  }
  const standing = yield* take(context, opened, at)
  if (Option.isNone(standing) || standing.value.position.paused) {
    context.meters.lag.clear(workspaceId)
    return nothing
  }
  const step = yield* context.look(workspaceId, standing.value)
  const committed = yield* commit(context, standing.value, step)
  const { verified, lag } = context.meters
  if (committed) verified.value += step.count
  lag.set(workspaceId, step.left, step.state.began_at, at)
  return committed ? { count: step.count, more: step.more } : nothing
})

/** Verifying by itself. */
export class SelfVerification extends Context.Service<SelfVerification, SelfVerificationShape>()(
  "@cairn/core/SelfVerification"
) {
  static readonly layer = ({ every }: SelfVerificationOptions) =>
    Layer.effect(
      SelfVerification,
      Effect.gen(function* () {
        const holder = uuid(yield* Randomness)
        const context: SelfVerificationContext = {
          consumers: yield* Consumers,
          log: yield* EventLog,
          look: yield* makeStepLook,
          notices: yield* BreakNotices,
          holder,
          every,
          meters: yield* makeVerificationMeters
        }
        return SelfVerification.of({ advance: (workspaceId) => advance(context, workspaceId) })
      })
    )
}
