/**
 * The use case *verify*: a chain, or a part of it, as it is stored.
 *
 * A verification that stops at its limit says so, and with which moment to go on. Going on to the end finds
 * what one verification of the whole finds, each break once: the first event of each part is held against the
 * event before it, of which the part before tells nothing that this one tells, and the last part against the
 * log's end.
 */
import { Context, Effect, Layer, Schema } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { EventLog, FIRST_LEGACY_SEQUENCE, type Head, type StoredEvent } from "../log/EventLog.ts"
import { HashedEvents } from "../log/HashedEvents.ts"
import { mayGoOn } from "../log/ReadingBound.ts"
import { removalLookup } from "../log/RemovalRecords.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { ChainCheck } from "./ChainCheck.ts"
import { furthestWitness, headOf, type Witness, witnessReader } from "./LogWitnesses.ts"
import type { ChainVerification } from "./Verification.ts"

/** Which part of a chain to verify. */
export const VerifyRequest = Schema.Struct({
  workspaceId: Schema.String,
  /** Only events recorded at or after; the first is checked against its predecessor. */
  from: Schema.optionalKey(Schema.Number),
  /** Only events recorded at or before. */
  to: Schema.optionalKey(Schema.Number),
  /**
   * Most events to check, 1 or more. A log in which several events were given one moment is checked beyond
   * it, up to an event that a moment names; so is one event after the first that is broken in itself.
   */
  limit: Schema.Number
})
export type VerifyRequest = typeof VerifyRequest.Type

/** Rows read at a time: a millisecond of reading, so that the store's snapshot is short. */
const SCAN = 1_000

/**
 * How a verification ended: before an event after what was asked for, with the log's end, or before the event
 * of a moment.
 */
type Ending =
  | { readonly _tag: "Past"; readonly sequence: number }
  | { readonly _tag: "End" }
  | { readonly _tag: "Edge"; readonly next: Micros.Micros }

/** One verification under way. */
interface Pass {
  readonly check: ChainCheck
  readonly to: Micros.Micros
  readonly limit: number
  /** Where it begins; none when nothing was recorded so late. */
  readonly start: number | undefined
  /**
   * The last event that is asked for as far as dates say. One that is dated after `to` before it ends
   * nothing.
   */
  readonly end: number
  /** Makes sure that the removals on record are known for rows that were read. */
  readonly knowRemovals: (rows: ReadonlyArray<StoredEvent>) => Effect.Effect<void, StorageUnavailable>
  /** What every event is held against that stands in its place. */
  readonly witnesses: ReadonlyArray<Witness>
}

/** What verifying works with. */
interface ChainVerifierContext {
  readonly log: EventLog["Service"]
  readonly sha256: Sha256["Service"]
  readonly witnessesOf: Effect.Success<typeof witnessReader>
}

/**
 * The event of the chain that is left before a sequence. Costs one row, and if the one before is missing some
 * forty: there is no reading backwards.
 */
const lastBefore = Effect.fnUntraced(function* (
  { log }: ChainVerifierContext,
  workspaceId: string,
  sequence: number
) {
  const at = (from: number) => Effect.map(log.scan(workspaceId, from, 1), ([row]) => row)
  if (sequence <= 1) return undefined
  const before = yield* at(sequence - 1)
  if (before?.sequence === sequence - 1) return before
  let found = yield* at(1)
  if (found === undefined || found.sequence >= sequence) return undefined
  /** From here to `sequence` there is none. */
  let none = sequence - 1
  while (found.sequence + 1 < none) {
    const middle: number = Math.floor((found.sequence + 1 + none) / 2)
    const row: StoredEvent | undefined = yield* at(middle)
    if (row !== undefined && row.sequence < none) found = row
    else none = middle
  }
  return found
})

/**
 * The first event of the chain that is asked for from a moment on: the one after the last that is dated
 * before it, or an earlier one that is not. A changed date moves one of the two at most, unless all that
 * follows was rewritten with it.
 */
const startOf = Effect.fnUntraced(function* (
  { log }: ChainVerifierContext,
  workspaceId: string,
  from: Micros.Micros
) {
  const before = yield* log.sequenceBefore(workspaceId, from, 1)
  const first = yield* log.sequenceAt(workspaceId, from)
  return Math.min(before === null ? FIRST_LEGACY_SEQUENCE : before + 1, first ?? Number.MAX_SAFE_INTEGER)
})

/**
 * The last place of the chain that is asked for up to a moment: as far as dates say, and by the head where
 * none is later. An event that is given another date does not hide those after it, nor do many.
 */
const endOf = Effect.fnUntraced(function* (
  { log }: ChainVerifierContext,
  workspaceId: string,
  to: number,
  head: Head
) {
  if (to >= Number.MAX_SAFE_INTEGER) return head.sequence
  const after = yield* log.sequenceAt(workspaceId, to + 1)
  const last = yield* log.sequenceBefore(workspaceId, to + 1, SCAN)
  return Math.max(after === null ? head.sequence : after - 1, last ?? 0)
})

/**
 * Where a verification begins: the event before is held against its own hash, and none of the chain is before
 * the first.
 */
const begin = Effect.fnUntraced(function* (
  context: ChainVerifierContext,
  { workspaceId, from, to = Number.POSITIVE_INFINITY, limit }: VerifyRequest,
  head: Head,
  others: ReadonlyArray<Witness>
) {
  const { log, sha256 } = context
  const witnesses = [head, ...others]
  const { know: knowRemovals, isRemoved } = removalLookup(log, sha256, workspaceId)
  const asked = from === undefined ? FIRST_LEGACY_SEQUENCE : yield* startOf(context, workspaceId, from)
  // Legacy events are one Merkle tree: whoever looks at some of them looks at all.
  const first = asked <= 1 ? FIRST_LEGACY_SEQUENCE : asked
  const isAfterAll =
    first > Math.max(1, head.sequence) && (yield* log.scan(workspaceId, first, 1)).length === 0
  const preceding = yield* lastBefore(context, workspaceId, first)
  const before =
    preceding === undefined ? undefined : yield* lastBefore(context, workspaceId, preceding.sequence)
  const check = new ChainCheck(sha256, workspaceId, undefined, isRemoved)
  check.expectHistory(head)
  if (preceding !== undefined) {
    yield* knowRemovals([preceding])
    check.startAfter(preceding, before)
    // Nothing comes after it that would know it.
    if (isAfterAll) for (const witness of witnesses) check.checkWitness(witness, preceding)
  }
  const start = isAfterAll ? undefined : first
  const end = yield* endOf(context, workspaceId, to, head)
  return { check, to, limit, start, end, knowRemovals, witnesses } satisfies Pass
})

/** Whether a moment names an event, so that a verification can go on with it. */
const isNamed = Effect.fnUntraced(function* (
  context: ChainVerifierContext,
  workspaceId: string,
  { createdAt, sequence }: StoredEvent
) {
  if (Micros.parse(Micros.format(createdAt)) !== createdAt) return false
  return (yield* startOf(context, workspaceId, createdAt)) === sequence
})

/**
 * Whether an event is after what is asked for, so that nothing is left to check. Its date is to be believed
 * if the event holds, and the next one knows it, or the log is known to end with it.
 */
const isPast = Effect.fnUntraced(function* (
  { log }: ChainVerifierContext,
  workspaceId: string,
  { sequence, createdAt }: StoredEvent,
  { check, to, end, knowRemovals, witnesses }: Pass
) {
  if (sequence < 1 || createdAt <= to || sequence <= end) return false
  const rows = [
    ...(yield* log.scan(workspaceId, sequence, 1)),
    ...(yield* log.scan(workspaceId, sequence + 1, 1))
  ]
  yield* knowRemovals(rows)
  const ahead = check.fork()
  for (const row of rows) {
    ahead.check(row)
    for (const witness of witnesses) ahead.checkWitness(witness, row)
  }
  const isLast = rows.length < 2
  return ahead.breaks.length === 0 && !(isLast && witnesses.some((one) => one.sequence > sequence))
})

/**
 * How the verification ends before an event, if it does. What it could not go on with it takes in, whatever
 * the limit.
 */
const endingBefore = Effect.fnUntraced(function* (
  context: ChainVerifierContext,
  workspaceId: string,
  row: StoredEvent,
  counted: number,
  pass: Pass
) {
  if (yield* isPast(context, workspaceId, row, pass))
    return { _tag: "Past", sequence: row.sequence } satisfies Ending
  if (row.sequence < 1 || counted < pass.limit || !(yield* isNamed(context, workspaceId, row)))
    return undefined
  if (!pass.check.leaveLast()) return undefined
  return { _tag: "Edge", next: row.createdAt } satisfies Ending
})

/** Checks event after event, up to its end. */
const run = Effect.fnUntraced(function* (context: ChainVerifierContext, workspaceId: string, pass: Pass) {
  const { sha256, log } = context
  const { check, to, limit, start, knowRemovals, witnesses } = pass
  const hashedEvents = new HashedEvents(sha256, workspaceId)
  const ended: Ending = { _tag: "End" }
  if (start === undefined) return ended
  let next = start
  let counted = 0
  while (true) {
    // One more than the limit, to know whether there is one. History is taken in whole and counts for
    // nothing, so the limit says nothing of how much of it to read at a time.
    const wanted = next < 1 ? SCAN : Math.min(SCAN, Math.max(0, limit - counted) + 1)
    const rows = yield* log.scan(workspaceId, next, wanted)
    yield* knowRemovals(rows)
    const hashed = hashedEvents.intact(rows)
    for (const [index, row] of rows.entries()) {
      if (row.createdAt > to || counted >= limit) {
        const ending: Ending | undefined = yield* endingBefore(context, workspaceId, row, counted, pass)
        if (ending !== undefined) return ending
        yield* knowRemovals(rows)
      }
      // History is taken in whatever it is dated: only the chain's first event vouches for it.
      if (row.sequence < 1 && row.eventHash === null) check.checkLegacy(row)
      else check.check(row, hashed[index])
      if (row.sequence >= 1) counted++
      for (const witness of witnesses) check.checkWitness(witness, row)
      next = row.sequence + 1
    }
    if (!mayGoOn(rows, wanted) || !Number.isSafeInteger(next)) return ended
    yield* Effect.yieldNow
  }
})

/** The log ends at its head: not before the one read first, and not after the one that stands now. */
const finish = Effect.fnUntraced(function* (
  { log }: ChainVerifierContext,
  check: ChainCheck,
  head: Head,
  witnesses: ReadonlyArray<Witness>,
  workspaceId: string
) {
  check.finish(furthestWitness(head, witnesses), head.eventId)
  const now = yield* headOf(log, workspaceId)
  if (check.last !== undefined && check.last.sequence > now.sequence) check.beyond(now)
})

const verify = Effect.fn("ChainVerifier.verify")(function* (
  context: ChainVerifierContext,
  request: VerifyRequest
) {
  const { witnessesOf, log } = context
  const { workspaceId } = request
  // Before the head: what is appended meanwhile must not look as if it were missing.
  const { witnesses } = yield* witnessesOf(workspaceId)
  const head = yield* headOf(log, workspaceId)
  const pass = yield* begin(context, request, head, witnesses)
  const { check } = pass
  const ending = yield* run(context, workspaceId, pass)
  if (ending._tag === "End") yield* finish(context, check, head, witnesses, workspaceId)
  const { breaks, checked } = check
  const last = ending._tag === "Past" ? ending.sequence - 1 : pass.end
  return {
    valid: breaks.length === 0,
    events_checked: checked,
    breaks,
    complete: ending._tag !== "Edge",
    // More than the head said, where events were appended meanwhile or put there by someone else.
    total: Math.max(checked, pass.start === undefined ? 0 : last - Math.max(1, pass.start) + 1),
    next: ending._tag === "Edge" ? Micros.format(ending.next) : null
  }
})

/**
 * The use case *verify*. Memory does not grow with the number of events.
 *
 * The log is held against its head, and against the newest checkpoint and anchor where `Checkpoints` and
 * `Anchors` are there when the layer is built: a log that ends before one of them was cut off, even if its
 * head was moved.
 */
export class ChainVerifier extends Context.Service<
  ChainVerifier,
  {
    readonly verify: (request: VerifyRequest) => Effect.Effect<ChainVerification, StorageUnavailable>
  }
>()("@cairn/core/ChainVerifier") {
  static readonly layer = Layer.effect(
    ChainVerifier,
    Effect.gen(function* () {
      const context: ChainVerifierContext = {
        log: yield* EventLog,
        sha256: yield* Sha256,
        witnessesOf: yield* witnessReader
      }
      return ChainVerifier.of({ verify: (request) => verify(context, request) })
    })
  )
}
