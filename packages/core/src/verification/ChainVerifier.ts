/**
 * The use case *verify*: a chain, or a part of it, as stored.
 *
 * A verification that stops at its limit says so, and returns the time with which to continue. Continuing to
 * the end finds the same breaks as one verification of the whole chain, each once: the first event of each
 * part is checked against the event before it, about which the previous part reports nothing that this part
 * reports, and the last part is checked against the log's end.
 */
import { Context, Effect, Layer, Schema } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { EventLog, FIRST_LEGACY_SEQUENCE, type Head, type LogEntry } from "../log/EventLog.ts"
import { HashedEvents } from "../log/HashedEvents.ts"
import { mayGoOn } from "../log/ReadingBound.ts"
import { removalLookup } from "../log/RemovalRecords.ts"
import { Replicas, type ReplicasShape } from "../log/Replicas.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { ChainCheck } from "./ChainCheck.ts"
import { furthestWitness, headOf, type Witness, witnessReader } from "./LogWitnesses.ts"
import type { ChainVerification } from "./Verification.ts"

/** Which part of a chain to verify. */
export const VerifyRequest = Schema.Struct({
  workspaceId: Schema.String,
  /** Only events recorded at or after. The first one is checked against its predecessor. */
  from: Schema.optionalKey(Schema.Number),
  /** Only events recorded at or before. */
  to: Schema.optionalKey(Schema.Number),
  /**
   * Most events to check, at least 1. The check goes beyond it if several events have the same time, up to an
   * event that a time identifies, and by one event after the first that is broken in itself.
   */
  limit: Schema.Number
})
export type VerifyRequest = typeof VerifyRequest.Type

/** Rows read at once: a millisecond of reading, so that the store's snapshot is short. */
const SCAN = 1_000

/**
 * How a verification ended: before an event that is after the range, at the log's end, or before the event
 * with a given time.
 */
type Ending =
  | { readonly _tag: "Past"; readonly sequence: number }
  | { readonly _tag: "End" }
  | { readonly _tag: "Edge"; readonly next: Micros.Micros }

/** One verification in progress. */
interface Pass {
  readonly check: ChainCheck
  readonly to: Micros.Micros
  readonly limit: number
  /** Where it begins; none if nothing was recorded that late. */
  readonly start: number | undefined
  /**
   * The last event of the range according to the dates. An earlier event that is dated after `to` does not
   * end the verification.
   */
  readonly end: number
  /** Makes sure that the recorded removals are known for rows that were read. */
  readonly knowRemovals: (rows: ReadonlyArray<LogEntry>) => Effect.Effect<void, StorageUnavailable>
  /** The witnesses that the event at their sequence is compared with. */
  readonly witnesses: ReadonlyArray<Witness>
}

/** What verifying needs. */
interface ChainVerifierContext {
  readonly log: EventLog["Service"]
  readonly sha256: Sha256["Service"]
  readonly witnessesOf: Effect.Success<typeof witnessReader>
  readonly replicas: ReplicasShape
}

/**
 * The last existing event of the chain before a sequence. Costs one row, or about forty if the event just
 * before is missing: the log cannot be read backwards.
 */
const lastBefore = Effect.fnUntraced(function* (
  { log }: ChainVerifierContext,
  workspaceId: string,
  sequence: number
) {
  const at = (from: number) => Effect.map(log.entries(workspaceId, from, 1), ([row]) => row)
  if (sequence <= 1) return undefined
  const before = yield* at(sequence - 1)
  if (before?.sequence === sequence - 1) return before
  let found = yield* at(1)
  if (found === undefined || found.sequence >= sequence) return undefined
  /** There is no event from here to `sequence`. */
  let none = sequence - 1
  while (found.sequence + 1 < none) {
    const middle: number = Math.floor((found.sequence + 1 + none) / 2)
    const row: LogEntry | undefined = yield* at(middle)
    if (row !== undefined && row.sequence < none) found = row
    else none = middle
  }
  return found
})

/**
 * The first event of the range from a time on: the one after the last that is dated before the time, or an
 * earlier one that is not. A changed date moves at most one of the two, unless everything after it was
 * rewritten too.
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
 * The last event of the range up to a time: according to the dates, or the head if no event is later.
 * Changing the date of one or of many events does not hide those after them.
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
 * Where a verification begins: the event before the range is checked against its own hash. Before the first
 * event there is none.
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
  // Legacy events form one Merkle tree: a check of some of them must read all.
  const first = asked <= 1 ? FIRST_LEGACY_SEQUENCE : asked
  const isAfterAll =
    first > Math.max(1, head.sequence) && (yield* log.entries(workspaceId, first, 1)).length === 0
  const preceding = yield* lastBefore(context, workspaceId, first)
  const before =
    preceding === undefined ? undefined : yield* lastBefore(context, workspaceId, preceding.sequence)
  const check = new ChainCheck(sha256, workspaceId, undefined, isRemoved)
  check.expectHistory(head)
  if (preceding !== undefined) {
    yield* knowRemovals([preceding])
    check.startAfter(preceding, before)
    // No later event links to it.
    if (isAfterAll) for (const witness of witnesses) check.checkWitness(witness, preceding)
  }
  const start = isAfterAll ? undefined : first
  const end = yield* endOf(context, workspaceId, to, head)
  return { check, to, limit, start, end, knowRemovals, witnesses } satisfies Pass
})

/** Whether a time identifies this event, so that a verification can continue with it. */
const isNamed = Effect.fnUntraced(function* (
  context: ChainVerifierContext,
  workspaceId: string,
  { createdAt, sequence }: LogEntry
) {
  if (Micros.parse(Micros.format(createdAt)) !== createdAt) return false
  return (yield* startOf(context, workspaceId, createdAt)) === sequence
})

/**
 * Whether an event is after the range, so that nothing is left to check. Its date is trusted if the event's
 * hash is right and the next event links to it, or if the log is known to end with it.
 */
const isPast = Effect.fnUntraced(function* (
  { log }: ChainVerifierContext,
  workspaceId: string,
  { sequence, createdAt }: LogEntry,
  { check, to, end, knowRemovals, witnesses }: Pass
) {
  if (sequence < 1 || createdAt <= to || sequence <= end) return false
  const rows = [
    ...(yield* log.entries(workspaceId, sequence, 1)),
    ...(yield* log.entries(workspaceId, sequence + 1, 1))
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
 * How the verification ends before an event, if it does. An event that it could not continue with later is
 * included, whatever the limit.
 */
const endingBefore = Effect.fnUntraced(function* (
  context: ChainVerifierContext,
  workspaceId: string,
  row: LogEntry,
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

/** Checks event after event, up to the end of the verification. */
const run = Effect.fnUntraced(function* (context: ChainVerifierContext, workspaceId: string, pass: Pass) {
  const { sha256, log } = context
  const { check, to, limit, start, knowRemovals, witnesses } = pass
  const hashedEvents = new HashedEvents(sha256, workspaceId)
  const ended: Ending = { _tag: "End" }
  if (start === undefined) return ended
  let next = start
  let counted = 0
  while (true) {
    // One more than the limit, to know whether there is another. History is always read completely and does
    // not count, so the limit does not bound how much of it is read at once.
    const wanted = next < 1 ? SCAN : Math.min(SCAN, Math.max(0, limit - counted) + 1)
    const rows = yield* log.entries(workspaceId, next, wanted)
    yield* knowRemovals(rows)
    const hashed = hashedEvents.intact(rows)
    for (const [index, row] of rows.entries()) {
      if (row.createdAt > to || counted >= limit) {
        const ending: Ending | undefined = yield* endingBefore(context, workspaceId, row, counted, pass)
        if (ending !== undefined) return ending
        yield* knowRemovals(rows)
      }
      // History is read whatever its dates: only the chain's first event commits to it.
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

/** The log must end at its head: not before the head that was read first, and not after the head now. */
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

const verifyAgainst = Effect.fnUntraced(function* (
  context: ChainVerifierContext,
  request: VerifyRequest,
  witnesses: ReadonlyArray<Witness>
) {
  const { log } = context
  const { workspaceId } = request
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
    // More events than the head stated: they were appended in the meantime, or somebody else put them there.
    total: Math.max(checked, pass.start === undefined ? 0 : last - Math.max(1, pass.start) + 1),
    next: ending._tag === "Edge" ? Micros.format(ending.next) : null
  }
})

const verify = Effect.fn("ChainVerifier.verify")(function* (
  context: ChainVerifierContext,
  request: VerifyRequest
) {
  const { witnessesOf, replicas } = context
  // Read before the head: otherwise an append in between would look as if events were missing.
  const { witnesses } = yield* witnessesOf(request.workspaceId)
  // A break is one only if the store itself has it.
  return yield* replicas.reading(
    "now",
    verifyAgainst(context, request, witnesses),
    ({ breaks }) => breaks.length === 0
  )
})

/**
 * The use case *verify*. Memory does not grow with the number of events.
 *
 * The log is also checked against its head and, if `Checkpoints` and `Anchors` are available when the layer
 * is built, against the newest checkpoint and anchor: a log that ends before one of them was cut off, even if
 * its head was changed too.
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
        witnessesOf: yield* witnessReader,
        replicas: yield* Replicas
      }
      return ChainVerifier.of({ verify: (request) => verify(context, request) })
    })
  )
}
