/**
 * Retention: contents that have left a workspace's retention window are removed, and the chain says so.
 *
 * First an event is chained that says below which sequence contents may be missing; then they go, a helping at a time. How far that has
 * come is a consumer's position, so a crash at any moment leaves contents that are still there, never one that is missing without a record.
 * Contents of Cairn's own records stay: the verification of the chain reads them.
 */
import { Context, Effect, Layer, Option } from "effect"
import { BEFORE_FIRST_EVENT, Consumers } from "./Consumers.ts"
import { ContentRemoval, MAX_REMOVAL, type RemovedEvent } from "./ContentRemoval.ts"
import { EventCounts } from "./EventCounts.ts"
import { contentHash } from "./EventHash.ts"
import { EventLog, type StoredEvent } from "./EventLog.ts"
import * as Micros from "./Micros.ts"
import { limitsOf } from "./Plan.ts"
import { Randomness } from "./Randomness.ts"
import { RETENTION_APPLIED } from "./Removal.ts"
import { isKept, retentionApplied } from "./RemovalEvent.ts"
import { readRemovals } from "./RemovalRecords.ts"
import { Sha256, type Sha256Shape } from "./Sha256.ts"
import type { StorageUnavailable } from "./Storage.ts"
import { type Workspace, Workspaces } from "./Workspace.ts"

/** The consumer whose position says how far contents were removed. */
export const RETENTION_CONSUMER = "retention"

/** Those of some stored events whose content can go, as a removal wants them. */
export const removable = (
  sha256: Sha256Shape,
  events: ReadonlyArray<StoredEvent>
): ReadonlyArray<RemovedEvent> =>
  events.flatMap(({ sequence, id, content, salt, contentHash: stored, columns }) =>
    content === null || isKept(columns.action)
      ? []
      : [{ sequence, id, content, contentHash: stored ?? contentHash(sha256, salt ?? "", content) }]
  )

/** The use case *apply retention*. */
export class Retention extends Context.Service<
  Retention,
  {
    /** Removes what has left a workspace's window; answers how many contents that were. */
    readonly apply: (workspaceId: string) => Effect.Effect<number, StorageUnavailable>
    /** Does so for every workspace. Meant to run every hour or day. */
    readonly round: Effect.Effect<number, StorageUnavailable>
  }
>()("@cairn/core/Retention") {
  static readonly layer = Layer.effect(
    Retention,
    Effect.gen(function* () {
      const log = yield* EventLog
      const removal = yield* ContentRemoval
      const consumers = yield* Consumers
      const workspaces = yield* Workspaces
      const counts = yield* EventCounts
      const sha256 = yield* Sha256
      const random = yield* Randomness

      /** The first sequence within the window; null when nothing ever leaves it. */
      const windowStart = Effect.fnUntraced(function* ({ id, plan, overrides }: Workspace) {
        const { retention_days: days } = limitsOf(plan, overrides)
        if (days === null) return null
        const from = (yield* Micros.now) - days * Micros.DAY
        const inside = yield* log.sequenceAt(id, from)
        return inside ?? (yield* log.head(id)).sequence + 1
      })

      /** Whether anything but applications of retention themselves has left the window since the last one. */
      const isWorthwhile = Effect.fnUntraced(function* (workspaceId: string, from: number, to: number) {
        if (to < from) return false
        const range = { from, to }
        const own = yield* log.count(workspaceId, { action: RETENTION_APPLIED }, range)
        return (yield* log.count(workspaceId, {}, range)) > own
      })

      /** Removes what is on record as removed, from where the last run ended. */
      const removeBelow = Effect.fnUntraced(function* (workspaceId: string, below: number) {
        const key = { workspaceId, consumer: RETENTION_CONSUMER }
        let position = yield* consumers.open(key, BEFORE_FIRST_EVENT, yield* Micros.now)
        let removed = 0
        while (!position.paused && position.sequence < below - 1) {
          const rows = yield* log.scan(workspaceId, position.sequence + 1, MAX_REMOVAL)
          const events = removable(
            sha256,
            rows.filter(({ sequence }) => sequence < below)
          )
          if (events.length > 0) yield* removal.remove(workspaceId, events, null)
          removed += events.length
          const sequence = Math.min(rows.at(-1)?.sequence ?? below - 1, below - 1)
          const moved = yield* consumers.commit(position, {
            sequence: rows.length === 0 ? below - 1 : sequence,
            rows: [],
            raised: [],
            deliveries: [],
            expiredBy: null,
            at: yield* Micros.now
          })
          // Another process is at it, or an operator stepped in.
          if (Option.isNone(moved)) break
          position = moved.value
        }
        return removed
      })

      const applyTo = Effect.fnUntraced(function* (workspace: Workspace) {
        const { id: workspaceId } = workspace
        const start = yield* windowStart(workspace)
        const known = yield* readRemovals(log, sha256, workspaceId)
        let { below } = known
        const from = Math.max(known.below, BEFORE_FIRST_EVENT)
        if (start !== null && start > known.below && (yield* isWorthwhile(workspaceId, from, start - 1))) {
          yield* removal.remove(workspaceId, [], retentionApplied({ workspaceId, sha256, random }, start))
          below = start
        }
        if (below === Number.NEGATIVE_INFINITY) return 0
        const removed = yield* removeBelow(workspaceId, below)
        if (removed > 0) counts.forget(workspaceId)
        return removed
      })

      const apply = Effect.fn("Retention.apply")(function* (workspaceId: string) {
        const workspace = yield* workspaces.get(workspaceId)
        if (Option.isNone(workspace)) return 0
        const removed = yield* applyTo(workspace.value)
        if (removed > 0) yield* removal.scrub
        return removed
      })

      const round = Effect.gen(function* () {
        let removed = 0
        for (const workspace of yield* workspaces.list) removed += yield* applyTo(workspace)
        if (removed > 0) yield* removal.scrub
        return removed
      }).pipe(Effect.withSpan("Retention.round"))

      return Retention.of({ apply, round })
    })
  )
}
