/**
 * The use case *verify*: a chain, or a part of it, as it is stored.
 *
 * A verification that stops at its limit says so, and with which moment to go on. Going on to the end finds what one verification of the
 * whole finds: the first event of each part is held against the event before it, and the last part against the log's end.
 */
import { Context, Effect, Layer } from "effect"
import { ChainCheck } from "./ChainCheck.ts"
import { EventLog, FIRST_LEGACY_SEQUENCE, type Head, type StoredEvent } from "./EventLog.ts"
import { HashedEvents } from "./HashedEvents.ts"
import { furthestWitness, type Witness, witnessReader } from "./LogWitnesses.ts"
import * as Micros from "./Micros.ts"
import { removalLookup } from "./RemovalRecords.ts"
import { Sha256 } from "./Sha256.ts"
import type { StorageUnavailable } from "./Storage.ts"
import type { ChainVerification } from "./Verification.ts"

/** Which part of a chain to verify. */
export interface VerifyRequest {
  readonly workspaceId: string
  /** Only events recorded at or after; the first is checked against its predecessor. */
  readonly from?: Micros.Micros
  /** Only events recorded at or before. */
  readonly to?: Micros.Micros
  /**
   * Most events to check, 1 or more. A log in which several events were given one moment is checked beyond it, up to an event that
   * a moment names.
   */
  readonly limit: number
}

/** Rows read at a time: a millisecond of reading, so that the store's snapshot is short. */
const SCAN = 1_000

/** How a verification ended: with an event after what was asked for, with the log's end, or before the event of a moment. */
type Ending =
  | { readonly _tag: "Past" }
  | { readonly _tag: "End" }
  | { readonly _tag: "Edge"; readonly next: Micros.Micros }

/** One verification under way. */
interface Pass {
  readonly check: ChainCheck
  readonly to: Micros.Micros
  readonly limit: number
  /** The last event of what is asked for, as far as anything says: a date alone ends nothing before it. */
  readonly last: number
  /** Where it begins; none when nothing was recorded so late. */
  readonly start: number | undefined
  /** A check that has seen nothing but the last event that `check` has. */
  readonly lookAhead: () => ChainCheck
  /** Makes sure that the removals on record are known for rows that were read. */
  readonly knowRemovals: (rows: ReadonlyArray<StoredEvent>) => Effect.Effect<void, StorageUnavailable>
  /** What every event is held against that stands in its place. */
  readonly witnesses: ReadonlyArray<Witness>
}

/**
 * The use case *verify*. Memory does not grow with the number of events.
 *
 * The log is held against its head, and against the newest checkpoint and anchor where `Checkpoints` and `Anchors` are there when the
 * layer is built: a log that ends before one of them was cut off, even if its head was moved.
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
      const log = yield* EventLog
      const sha256 = yield* Sha256
      const witnessesOf = yield* witnessReader

      /**
       * The event of the chain that is left before a sequence. Costs one row, and if the one before is missing some forty: there is no
       * reading backwards.
       */
      const lastBefore = Effect.fnUntraced(function* (workspaceId: string, sequence: number) {
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

      /** The last chained event that is left. */
      const newest = Effect.fnUntraced(function* (workspaceId: string) {
        const [last] = yield* log.page(workspaceId, { filter: {}, before: null, limit: 1 })
        return last !== undefined && last.sequence > 0 ? last : undefined
      })

      /**
       * The last event recorded at or before a moment: the one before the first that is dated later, or a later one that has an earlier date. So whoever
       * gives an event a later date does not end a verification with it.
       */
      const endOf = Effect.fnUntraced(function* (workspaceId: string, to: number, head: Head) {
        if (to >= Number.MAX_SAFE_INTEGER) return head.sequence
        const after = yield* log.sequenceAt(workspaceId, to + 1)
        const [newest] = yield* log.page(workspaceId, { filter: { to }, before: null, limit: 1 })
        return Math.max(after === null ? head.sequence : after - 1, newest?.sequence ?? 0)
      })

      /** Where a verification begins: the event before is held against its own hash, and none of the chain is before the first. */
      const begin = Effect.fnUntraced(function* (
        { workspaceId, from, to = Number.POSITIVE_INFINITY, limit }: VerifyRequest,
        head: Head,
        witnesses: ReadonlyArray<Witness>
      ) {
        const { know: knowRemovals, isRemoved } = removalLookup(log, sha256, workspaceId)
        const asked = from === undefined ? FIRST_LEGACY_SEQUENCE : yield* log.sequenceAt(workspaceId, from)
        // Legacy events are one Merkle tree: whoever looks at some of them looks at all.
        const start = asked === null ? undefined : asked <= 1 ? FIRST_LEGACY_SEQUENCE : asked
        const [last] = start === undefined ? yield* log.scan(workspaceId, Math.max(1, head.sequence), 1) : []
        const preceding = start === undefined ? last : yield* lastBefore(workspaceId, start)
        const before =
          preceding === undefined ? undefined : yield* lastBefore(workspaceId, preceding.sequence)
        const leftOver = start === undefined && last === undefined ? yield* newest(workspaceId) : undefined
        const check = new ChainCheck(sha256, workspaceId, leftOver, isRemoved)
        check.expectHistory(head)
        if (preceding !== undefined) {
          yield* knowRemovals([preceding])
          check.startAfter(preceding, before)
        }
        const lookAhead = () => new ChainCheck(sha256, workspaceId, check.last, isRemoved)
        const all = [head, ...witnesses]
        const ends = yield* endOf(workspaceId, to, head)
        return { check, to, last: ends, limit, start, lookAhead, knowRemovals, witnesses: all } satisfies Pass
      })

      /** Whether a moment names an event, so that a verification can go on with it. */
      const isNamed = Effect.fnUntraced(function* (
        workspaceId: string,
        { createdAt, sequence }: StoredEvent
      ) {
        if (Micros.parse(Micros.format(createdAt)) !== createdAt) return false
        return (yield* log.sequenceAt(workspaceId, createdAt)) === sequence
      })

      /** How the verification ends before an event that is beyond its limit; it does not if it could not go on with that one. */
      const endingBefore = Effect.fnUntraced(function* (workspaceId: string, row: StoredEvent, pass: Pass) {
        // Dated after what is asked for, and to be believed: then there is nothing left to check.
        if (row.createdAt > pass.to && row.sequence > pass.last && pass.lookAhead().checkAfter(row))
          return { _tag: "Past" } satisfies Ending
        return (yield* isNamed(workspaceId, row))
          ? ({ _tag: "Edge", next: row.createdAt } satisfies Ending)
          : undefined
      })

      /** Checks event after event, up to its end. */
      const run = Effect.fnUntraced(function* (workspaceId: string, pass: Pass) {
        const { check, to, limit, start, knowRemovals, witnesses } = pass
        const hashedEvents = new HashedEvents(sha256, workspaceId)
        const ended: Ending = { _tag: "End" }
        if (start === undefined) return ended
        let next = start
        let counted = 0
        while (true) {
          // One more than the limit, to know whether there is one. History is taken in whole and counts for nothing, so the limit says
          // nothing of how much of it to read at a time.
          const wanted = next < 1 ? SCAN : Math.min(SCAN, Math.max(0, limit - counted) + 1)
          const rows = yield* log.scan(workspaceId, next, wanted)
          yield* knowRemovals(rows)
          const hashed = hashedEvents.intact(rows)
          for (const [index, row] of rows.entries()) {
            if (row.sequence >= 1 && counted >= limit) {
              const ending: Ending | undefined = yield* endingBefore(workspaceId, row, pass)
              if (ending !== undefined) return ending
            }
            // History is taken in whatever it is dated: only the chain's first event vouches for it.
            if (row.sequence < 1 && row.eventHash === null) check.checkLegacy(row)
            else if (row.createdAt <= to || row.sequence <= pass.last) check.check(row, hashed[index])
            else if (check.checkAfter(row, hashed[index])) return { _tag: "Past" } satisfies Ending
            if (row.sequence >= 1) counted++
            for (const witness of witnesses) check.checkWitness(witness, row)
            next = row.sequence + 1
          }
          if (rows.length < wanted) return ended
          yield* Effect.yieldNow
        }
      })

      /** The log ends at its head: not before the one read first, and not after the one that stands now. */
      const finish = Effect.fnUntraced(function* (
        check: ChainCheck,
        head: Head,
        witnesses: ReadonlyArray<Witness>,
        workspaceId: string
      ) {
        check.finish(furthestWitness(head, witnesses), head.eventId)
        const now = yield* log.head(workspaceId)
        if (check.last !== undefined && check.last.sequence > now.sequence) check.beyond(now)
      })

      const verify = Effect.fn("ChainVerifier.verify")(function* (request: VerifyRequest) {
        const { workspaceId } = request
        // Before the head: what is appended meanwhile must not look as if it were missing.
        const witnesses = yield* witnessesOf(workspaceId)
        const head = yield* log.head(workspaceId)
        const pass = yield* begin(request, head, witnesses)
        const { check } = pass
        const ending = yield* run(workspaceId, pass)
        if (ending._tag === "End") yield* finish(check, head, witnesses, workspaceId)
        const { breaks, checked } = check
        return {
          valid: breaks.length === 0,
          events_checked: checked,
          breaks,
          complete: ending._tag !== "Edge",
          // More than the head said, where events were appended meanwhile or put there by someone else.
          total: Math.max(checked, pass.start === undefined ? 0 : pass.last - Math.max(1, pass.start) + 1),
          next: ending._tag === "Edge" ? Micros.format(ending.next) : null
        }
      })

      return ChainVerifier.of({ verify })
    })
  )
}
