/**
 * Retention: contents that have left a workspace's retention window are removed, and an event in the chain
 * records it.
 *
 * First an event is appended that records the sequences whose contents may be missing, and those whose
 * contents are kept. Then the contents are removed, in chunks. The progress is a consumer's position, so a
 * crash leaves contents that are still there, but never a missing content without a record. If there is an
 * archive, the contents are written to it before anything else; while it cannot be written, nothing is
 * removed. Contents of Cairn's own records are kept: verifying the chain needs them.
 */
import { Context, Effect, Layer, Option, Result } from "effect"
import { BEFORE_FIRST_EVENT, type ConsumerPosition, Consumers } from "../consumer/Consumers.ts"
import * as Micros from "../encoding/Micros.ts"
import { Randomness } from "../hashing/Randomness.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { type ClockAhead, ClockGuard } from "../log/ClockGuard.ts"
import { EventCounts } from "../log/EventCounts.ts"
import { EventLog } from "../log/EventLog.ts"
import { makeAgeMeter } from "../log/metric/AgeMeter.ts"
import { LOG_METRICS } from "../log/metric/Families.ts"
import { Meters, type MetricCounter } from "../log/metric/Meters.ts"
import { RETENTION_RECORDS, type RetentionInterval } from "../log/Removal.ts"
import { removalLookup, retentionOnRecord } from "../log/RemovalRecords.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { type ManagedWorkspace, ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import { removalBasis, watchedRetention } from "../workspace/RetentionEnd.ts"
import { retentionStart } from "../workspace/RetentionWindow.ts"
import { Archive, type ArchiveUnavailable } from "./Archive.ts"
import { ContentRemoval, MAX_REMOVAL } from "./ContentRemoval.ts"
import { departedActors } from "./DepartedActors.ts"
import { removable } from "./RemovableEvents.ts"
import { retentionApplied } from "./RemovalEvent.ts"

/** The consumer whose position is how far contents were removed. */
export const RETENTION_CONSUMER = "retention"

/** The result of a round. */
interface RetentionRound {
  /** Contents that were removed. */
  readonly removed: number
  /** Workspaces in which it failed: contents that should be removed are still there. */
  readonly failed: number
}

/** What retention needs. */
interface RetentionContext {
  readonly log: EventLog["Service"]
  readonly removal: ContentRemoval["Service"]
  readonly archive: Archive["Service"]
  readonly consumers: Consumers["Service"]
  readonly workspaces: ManagedWorkspaces["Service"]
  readonly counts: EventCounts["Service"]
  readonly sha256: Sha256["Service"]
  readonly random: Randomness["Service"]
  /** With a clock that leaps ahead, contents would be removed too early and permanently. */
  readonly trustedNow: ClockGuard["Service"]["now"]
  readonly removals: MetricCounter
  /** Notes that it was applied to all workspaces. */
  readonly noteApplied: () => void
}

/** Where the window for removal begins; null if nothing ever leaves it. */
const removalStart = Effect.fnUntraced(function* (
  { trustedNow }: RetentionContext,
  workspace: ManagedWorkspace
) {
  const now = yield* trustedNow
  return retentionStart(removalBasis(workspace, now), now)
})

/** Records which holds are about to end. */
const watch = Effect.fnUntraced(function* (
  { trustedNow, workspaces }: RetentionContext,
  workspace: ManagedWorkspace
) {
  const now = yield* trustedNow
  if (watchedRetention(workspace.retention, now) === workspace.retention) return workspace
  const watched = workspaces.modify(
    workspace.id,
    ({ retention }) => Result.succeed({ retention: watchedRetention(retention, now) }),
    now
  )
  return yield* Effect.catchTag(watched, "WorkspaceNotFound", () => Effect.succeed(workspace))
})

/** The first sequence within the window; null if nothing ever leaves it. */
const windowStart = Effect.fnUntraced(function* (context: RetentionContext, workspace: ManagedWorkspace) {
  const { log } = context
  const from = yield* removalStart(context, workspace)
  if (from === null) return null
  const inside = yield* log.sequenceAt(workspace.id, from)
  return inside ?? (yield* log.head(workspace.id)).sequence + 1
})

/** Whether anything except records of retention, which are kept, has left the window since the last one. */
const isWorthwhile = Effect.fnUntraced(function* (
  { log }: RetentionContext,
  workspaceId: string,
  from: number,
  to: number
) {
  if (to < from) return false
  const range = { from, to }
  const own = yield* log.count(workspaceId, { action: RETENTION_RECORDS }, range)
  return (yield* log.count(workspaceId, {}, range)) > own
})

/** Removes what is recorded as removed, from where the last run ended. */
const removeBelow = Effect.fnUntraced(function* (
  { log, sha256, removal, consumers }: RetentionContext,
  begin: ConsumerPosition,
  below: number
) {
  let position = begin
  let removed = 0
  while (!position.paused && position.sequence < below - 1) {
    const { workspaceId } = position
    const rows = yield* log.entries(workspaceId, position.sequence + 1, MAX_REMOVAL)
    const leaving = rows.filter(({ sequence }) => sequence < below)
    const events = removable(sha256, workspaceId, leaving)
    if (events.length > 0) {
      yield* removal.remove(workspaceId, events, null)
      const departed = yield* departedActors(log, workspaceId, events)
      yield* removal.forgetActors(workspaceId, departed, leaving.at(-1)?.createdAt ?? 0)
    }
    removed += events.length
    const moved = yield* consumers.commit(position, {
      sequence: Math.min(rows.at(-1)?.sequence ?? below - 1, below - 1),
      rows: [],
      raised: [],
      deliveries: [],
      expiredBy: null,
      at: yield* Micros.now
    })
    // Another process is doing it, or an operator changed the position.
    if (Option.isNone(moved)) break
    position = moved.value
  }
  return removed
})

/**
 * Contents below this sequence are to be removed: those already recorded, or those that have left the window
 * since.
 */
const goal = Effect.fnUntraced(function* (
  context: RetentionContext,
  workspace: ManagedWorkspace,
  onRecord: number
) {
  const start = yield* windowStart(context, workspace)
  const from = Math.max(onRecord, BEFORE_FIRST_EVENT)
  const grown =
    start !== null && start > onRecord && (yield* isWorthwhile(context, workspace.id, from, start - 1))
  return grown ? start : onRecord
})

/**
 * What the next record says. A content that is already missing without a record stays unexplained: a record
 * of retention must not hide tampering. The contents to remove cannot change any more, so they are read
 * before the record is written.
 */
const intervalOf = Effect.fnUntraced(function* (
  { log, sha256 }: RetentionContext,
  workspaceId: string,
  first: number,
  below: number
) {
  const lookup = removalLookup(log, sha256, workspaceId)
  const kept: Array<number> = []
  for (let from = first; from < below; ) {
    const rows = yield* log.entries(workspaceId, from, MAX_REMOVAL)
    yield* lookup.know(rows)
    const going = new Set(removable(sha256, workspaceId, rows).map(({ sequence }) => sequence))
    for (const { sequence, content } of rows) {
      const stays = content === null ? !lookup.isRemoved(sequence) : !going.has(sequence)
      if (stays && sequence < below) kept.push(sequence)
    }
    const last = rows.at(-1)
    if (last === undefined) break
    from = last.sequence + 1
    yield* Effect.yieldNow
  }
  return { fromSequence: first, belowSequence: below, kept } satisfies RetentionInterval
})

/** Parked requests are in no chain, so their age is that of their acceptance. */
const removeParked = Effect.fnUntraced(function* (context: RetentionContext, workspace: ManagedWorkspace) {
  const { removal } = context
  const from = yield* removalStart(context, workspace)
  if (from === null) return 0
  return yield* removal.discardParked(workspace.id, (_, acceptedAt) => acceptedAt < from)
})

const applyTo = Effect.fnUntraced(function* (context: RetentionContext, listed: ManagedWorkspace) {
  const { log, sha256, consumers, archive, removal, random, counts } = context
  const workspace = yield* watch(context, listed)
  const { id: workspaceId } = workspace
  const { below: onRecord, next } = yield* retentionOnRecord(log, sha256, workspaceId)
  const below = yield* goal(context, workspace, onRecord)
  if (below === Number.NEGATIVE_INFINITY) return yield* removeParked(context, workspace)
  const key = { workspaceId, consumer: RETENTION_CONSUMER }
  const position = yield* consumers.open(key, BEFORE_FIRST_EVENT, yield* Micros.now)
  yield* archive.advance(workspaceId, position.sequence + 1, below)
  if (below > onRecord) {
    const interval = yield* intervalOf(context, workspaceId, next, below)
    yield* removal.remove(workspaceId, [], retentionApplied({ workspaceId, sha256, random }, interval))
  }
  const removed = (yield* removeBelow(context, position, below)) + (yield* removeParked(context, workspace))
  if (removed > 0) counts.forget(workspaceId)
  context.removals.add(removed)
  return removed
})

const apply = Effect.fn("Retention.apply")(function* (context: RetentionContext, workspaceId: string) {
  const { workspaces, removal } = context
  const workspace = yield* workspaces.get(workspaceId)
  if (Option.isNone(workspace)) return 0
  const removed = yield* applyTo(context, workspace.value)
  yield* removal.scrub
  return removed
})

const round = (context: RetentionContext) =>
  Effect.gen(function* () {
    let removed = 0
    let failed = 0
    for (const workspace of yield* context.workspaces.list) {
      removed += yield* applyTo(context, workspace).pipe(
        Effect.catch((error) => {
          failed++
          return Effect.as(
            Effect.logError("Retention could not be applied; nothing that should go is lost").pipe(
              Effect.annotateLogs({
                workspaceId: workspace.id,
                ...(error._tag === "ClockAhead"
                  ? { clockAheadSeconds: error.aheadSeconds }
                  : { operation: error.operation, cause: String(error.cause) })
              })
            ),
            0
          )
        })
      )
    }
    // Also for what an earlier, interrupted round removed.
    yield* context.removal.scrub
    if (failed === 0) context.noteApplied()
    return { removed, failed } satisfies RetentionRound
  }).pipe(Effect.withSpan("Retention.round"))

/** The use case *apply retention*. */
export class Retention extends Context.Service<
  Retention,
  {
    /** Removes what has left a workspace's window, and returns how many contents that were. */
    readonly apply: (
      workspaceId: string
    ) => Effect.Effect<number, ArchiveUnavailable | ClockAhead | StorageUnavailable>
    /**
     * Does so for every workspace. Meant to run every hour or day. An error in one workspace is logged and
     * does not hold up the others.
     */
    readonly round: Effect.Effect<RetentionRound, StorageUnavailable>
  }
>()("@cairn/core/Retention") {
  static readonly layer = Layer.effect(
    Retention,
    Effect.gen(function* () {
      // With a clock that leaps ahead, contents would be removed too early and permanently.
      const { now: trustedNow } = yield* ClockGuard
      const context: RetentionContext = {
        log: yield* EventLog,
        removal: yield* ContentRemoval,
        archive: yield* Archive,
        consumers: yield* Consumers,
        workspaces: yield* ManagedWorkspaces,
        counts: yield* EventCounts,
        sha256: yield* Sha256,
        random: yield* Randomness,
        trustedNow,
        removals: (yield* Meters).counter(LOG_METRICS.retentionRemoved),
        noteApplied: yield* makeAgeMeter(LOG_METRICS.retentionAge)
      }
      return Retention.of({ apply: (workspaceId) => apply(context, workspaceId), round: round(context) })
    })
  )
}
