/**
 * The service verifies its own logs in steps and notifies about breaks.
 *
 * It differs from a consumer of the log in one way: it reads every row as stored, and the end of the log. A
 * pass goes from the first event to the last and then follows appends; after some time the next pass begins.
 * Its position, its findings and the messages about them are committed together, so that a crash neither
 * skips an event nor reports a break twice.
 */
import { Context, Effect, Layer, Option, Ref } from "effect"
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
import { Sha256 } from "../hashing/Sha256.ts"
import { EventLog, type Head, type LogEntry } from "../log/EventLog.ts"
import { mayGoOn } from "../log/ReadingBound.ts"
import { type FoundRecords, removalLookup } from "../log/RemovalRecords.ts"
import { Replicas, type ReplicasShape } from "../log/Replicas.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { BreakNotices } from "./BreakNotices.ts"
import { breakKey, readBreakRow, STATE_KEY, VERIFICATION_CONSUMER, writeBreakRow } from "./BreakRows.ts"
import { ChainCheck } from "./ChainCheck.ts"
import { furthestWitness, headOf, type Witness, witnessReader } from "./LogWitnesses.ts"
import {
  decodeState,
  encodeState,
  firstPass,
  nextPass,
  type PassState,
  toHead,
  toHistory
} from "./PassState.ts"
import type { ChainBreak } from "./Verification.ts"
import { makeVerificationMeters, type VerificationMeters } from "./VerificationMeters.ts"

/** Events of one step, so that no step is long. */
export const VERIFICATION_STEP = 1_000
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

/** What a step found, before anything of it is stored. */
interface Step {
  readonly state: PassState
  /** The last event that was checked. */
  readonly sequence: number
  readonly count: number
  readonly more: boolean
  readonly breaks: ReadonlyArray<ChainBreak>
  /** Events of the chain that are left for the steps after it. */
  readonly left: number
}

/** The state of a log's verification. */
interface Standing {
  readonly position: ConsumerPosition
  /** As stored; undefined before the first step. */
  readonly text: string | undefined
  /** The number of the pass that continues or begins. */
  readonly state: PassState
  /** The event that precedes the step. */
  readonly after: number
}

/** The records of removals in the log of the last step: the next step is usually in the same log. */
interface Known {
  readonly workspaceId: string
  readonly records: FoundRecords | undefined
}

/** What the verification needs. */
interface SelfVerificationContext {
  readonly consumers: Consumers["Service"]
  readonly log: EventLog["Service"]
  readonly notices: BreakNotices["Service"]
  readonly sha256: Sha256["Service"]
  readonly holder: string
  readonly witnessesOf: Effect.Success<typeof witnessReader>
  readonly known: Ref.Ref<Known>
  readonly every: Micros.Micros
  readonly meters: VerificationMeters
  readonly replicas: ReplicasShape
}

/** A check that continues where the last step ended, and the rows of this step. */
const begin = Effect.fnUntraced(function* (
  { log, known, sha256 }: SelfVerificationContext,
  workspaceId: string,
  head: Head,
  { state, after }: Standing
) {
  // Includes the event before, to which the first row links. That event itself was checked in the last step.
  const [first] = yield* log.entries(workspaceId, after, 1)
  const preceding = first?.sequence === after ? first : undefined
  const [from, wanted] =
    preceding === undefined ? [after, VERIFICATION_STEP + 1] : [after + 1, VERIFICATION_STEP]
  const rows = yield* log.entries(workspaceId, from, wanted)
  const found = preceding === undefined ? rows : [preceding, ...rows]
  // Also read again in each pass: a new record may keep a content that another record says was removed.
  const last = yield* Ref.get(known)
  const readBefore = last.workspaceId === workspaceId && after >= 1 ? last.records : undefined
  const { know, isRemoved, records } = removalLookup(log, sha256, workspaceId, readBefore)
  yield* know(rows)
  yield* Ref.set(known, { workspaceId, records: records() })
  const check = new ChainCheck(sha256, workspaceId, after < 1 ? undefined : preceding, isRemoved)
  check.continueHistory(toHead(state.history))
  check.expectHistory(head)
  return { check, preceding, found, rows, more: mayGoOn(rows, wanted) }
})

const checkRow = (check: ChainCheck, row: LogEntry) =>
  row.sequence < 1 && row.eventHash === null ? check.checkLegacy(row) : check.check(row)

/** The log must end at its head: not before the head that was read first, and not after the head now. */
const checkEnd = Effect.fnUntraced(function* (
  { log }: SelfVerificationContext,
  workspaceId: string,
  check: ChainCheck,
  head: Head,
  witnesses: ReadonlyArray<Witness>
) {
  check.finish(furthestWitness(head, witnesses), head.eventId)
  const now = yield* headOf(log, workspaceId)
  if (check.last !== undefined && check.last.sequence > now.sequence) check.beyond(now)
})

/** Does a step, given what is remembered of the log. */
const lookAgainst = Effect.fnUntraced(function* (
  context: SelfVerificationContext,
  workspaceId: string,
  standing: Standing,
  remembered: Effect.Success<ReturnType<SelfVerificationContext["witnessesOf"]>>
) {
  const { log } = context
  const { state, after } = standing
  const witnesses = [...remembered.witnesses]
  // Events whose loss the operator has accepted are no longer missing, and other events may be in their
  // place.
  const furthest =
    state.furthest !== null && state.furthest.sequence <= remembered.lostUpTo ? null : state.furthest
  if (furthest !== null) witnesses.push({ sequence: furthest.sequence, eventHash: furthest.hash })
  const head = yield* headOf(log, workspaceId)
  const { check, preceding, found, rows, more } = yield* begin(context, workspaceId, head, standing)
  for (const row of rows) checkRow(check, row)
  for (const row of found) {
    for (const witness of [head, ...witnesses]) check.checkWitness(witness, row)
  }
  if (!more) yield* checkEnd(context, workspaceId, check, head, witnesses)
  const last = rows.at(-1) ?? preceding
  const sequence = last?.sequence ?? after
  return {
    sequence,
    count: rows.length,
    more,
    breaks: check.breaks,
    left: more ? Math.max(1, head.sequence - Math.max(0, sequence)) : 0,
    state: {
      ...state,
      ended: state.ended || !more,
      checked: state.checked + check.checked,
      history: sequence < 1 ? toHistory(check.history) : null,
      furthest:
        last !== undefined && sequence > Math.max(0, furthest?.sequence ?? 0)
          ? { sequence, hash: last.eventHash }
          : furthest
    }
  } satisfies Step
})

/** Does a step. It only reads. */
const look = Effect.fnUntraced(function* (
  context: SelfVerificationContext,
  workspaceId: string,
  standing: Standing
) {
  const { witnessesOf, replicas } = context
  // Read before the rows: otherwise an append in between would look as if events were missing.
  const remembered = yield* witnessesOf(workspaceId)
  // A break is one only if the store itself has it.
  return yield* replicas.reading(
    "now",
    lookAgainst(context, workspaceId, standing, remembered),
    ({ breaks }) => breaks.length === 0
  )
})

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
  const anew = state.ended && at - state.began_at >= every
  return {
    position,
    text: row?.value,
    state: anew ? nextPass(state, at) : state,
    after: anew ? BEFORE_FIRST_EVENT : position.sequence
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
  const step = yield* look(context, workspaceId, standing.value)
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
        const known = yield* Ref.make<Known>({ workspaceId: "", records: undefined })
        const context: SelfVerificationContext = {
          consumers: yield* Consumers,
          log: yield* EventLog,
          notices: yield* BreakNotices,
          sha256: yield* Sha256,
          holder,
          witnessesOf: yield* witnessReader,
          known,
          every,
          meters: yield* makeVerificationMeters,
          replicas: yield* Replicas
        }
        return SelfVerification.of({ advance: (workspaceId) => advance(context, workspaceId) })
      })
    )
}
