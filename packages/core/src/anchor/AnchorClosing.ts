/**
 * Closing periods: which events an anchor covers, and their Merkle root.
 *
 * 1. The log's floor is raised to the period's end. After this, the period has all its events and they never
 *    change.
 * 2. Their root is computed, outside any transaction: it takes half a second for a million events and blocks
 *    nothing.
 * 3. The period is stored.
 *
 * A crash between any two steps leaves the period open; the next run closes the same period with the same
 * events. Two processes at the same time do the same, and one of them finds that the period is already
 * stored.
 */
import { Effect, Option, Schema } from "effect"
import { LEAVES_A_STEP, type LogTreeShape } from "../checkpoint/LogTree.ts"
import { type Micros, SECOND } from "../encoding/Micros.ts"
import { type RandomnessShape, toHex, uuid } from "../hashing/Randomness.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { HASH_BYTES } from "../hashing/Sha256.ts"
import { ClockAhead } from "../log/ClockGuard.ts"
import type { EventLogShape } from "../log/EventLog.ts"
import { appendLeafHashes, emptyFrontier, frontierRoot } from "../merkle/MerkleFrontier.ts"
import { leafHashes, writeHex } from "../merkle/TreeHash.ts"
import {
  type AnchorPeriod,
  type AnchorSchedule,
  duePeriod,
  MAX_AHEAD_ON_DEMAND,
  periodOnDemand
} from "./AnchorPeriod.ts"
import type { AnchorsShape, ClosedPeriod, Unanchored } from "./Anchors.ts"

/** Periods stored in one transaction. */
const PERIODS_A_STEP = 100

/** The log lacks an event or has one without its hash: somebody changed the log, and it is not anchored. */
export class LogDamaged extends Schema.TaggedError<LogDamaged>()("LogDamaged", {
  workspaceId: Schema.String,
  /** The range of sequences that contains the damage. */
  from: Schema.Number,
  to: Schema.Number
}) {
  override get message() {
    return `the log of ${this.workspaceId} is damaged between its events ${this.from} and ${this.to}`
  }
}

/** What closing needs. */
export interface ClosingContext {
  readonly log: EventLogShape
  readonly tree: LogTreeShape
  readonly anchors: AnchorsShape
  readonly sha256: Sha256Shape
  readonly random: RandomnessShape
  /** For workspaces that have no schedule of their own. */
  readonly schedule: AnchorSchedule
}

const scheduleOf = (context: ClosingContext, { schedule }: Unanchored): AnchorSchedule =>
  schedule ?? context.schedule

/** The hash of one event. */
const hashOf = Effect.fnUntraced(function* ({ log }: ClosingContext, workspaceId: string, sequence: number) {
  const [hash] = yield* log.hashes(workspaceId, sequence, sequence)
  return hash ?? ""
})

/** Whether an event's hash is the one that the tree has at its index. */
const isLeaf = ({ sha256 }: ClosingContext, eventHash: string, leaf: Uint8Array): boolean => {
  const data = new Uint8Array(HASH_BYTES)
  return writeHex(eventHash, data) && toHex(leafHashes(sha256, data)) === toHex(leaf)
}

/**
 * The root over a range of events, and the hashes at its ends. Costs two SHA-256 an event and reading 32
 * bytes: most leaves are in the tiles of the log's tree.
 */
const summarize = Effect.fnUntraced(function* (
  context: ClosingContext,
  workspaceId: string,
  from: number,
  to: number
) {
  const { tree, sha256 } = context
  const firstEventHash = yield* hashOf(context, workspaceId, from)
  const lastEventHash = yield* hashOf(context, workspaceId, to)
  let frontier = emptyFrontier
  for (let begin = from; begin <= to; begin += LEAVES_A_STEP) {
    const end = Math.min(to, begin + LEAVES_A_STEP - 1)
    const damaged = () => new LogDamaged({ workspaceId, from: begin, to: end })
    const leaves = yield* tree
      .leaves(workspaceId, begin, end)
      .pipe(Effect.catchTag(["MissingNode", "MalformedHash"], damaged))
    const ends =
      (begin > from || isLeaf(context, firstEventHash, leaves.subarray(0, HASH_BYTES))) &&
      (end < to || isLeaf(context, lastEventHash, leaves.subarray(-HASH_BYTES)))
    if (!ends) return yield* damaged()
    frontier = appendLeafHashes(sha256, frontier, leaves)
    yield* Effect.yieldNow
  }
  return { merkleRoot: toHex(frontierRoot(sha256, frontier)), firstEventHash, lastEventHash }
})

/** The period to store, after its end has become the log's floor. */
const closedPeriod = Effect.fnUntraced(function* (
  context: ClosingContext,
  { workspaceId, ordinal, firstSequence }: Unanchored,
  period: AnchorPeriod
) {
  // The order matters: events that are appended after the head was read are dated after the period.
  const head = yield* context.log.head(workspaceId)
  const next = yield* context.log.sequenceAt(workspaceId, period.end)
  const lastSequence = next === null ? head.sequence : next - 1
  if (lastSequence < firstSequence) {
    return yield* new LogDamaged({ workspaceId, from: lastSequence, to: firstSequence })
  }
  const summary = yield* summarize(context, workspaceId, firstSequence, lastSequence)
  const closed: ClosedPeriod = {
    id: `anc_${uuid(context.random)}`,
    workspaceId,
    ordinal,
    start: period.start,
    end: period.end,
    firstSequence,
    lastSequence,
    ...summary
  }
  return closed
})

interface Due {
  readonly open: Unanchored
  readonly period: AnchorPeriod
}

/** Closes some periods of different workspaces. A period whose log is damaged is left open and reported. */
const closeAll = Effect.fnUntraced(function* (context: ClosingContext, due: ReadonlyArray<Due>) {
  let count = 0
  for (let at = 0; at < due.length; at += PERIODS_A_STEP) {
    const some = due.slice(at, at + PERIODS_A_STEP)
    yield* context.anchors.raiseFloor(
      some.map(({ open, period }) => ({ workspaceId: open.workspaceId, floor: period.end }))
    )
    const closed = yield* Effect.forEach(some, ({ open, period }) =>
      closedPeriod(context, open, period).pipe(
        Effect.map((one) => [one]),
        Effect.catchTag("LogDamaged", (damage) =>
          Effect.as(
            Effect.logError("A period cannot be anchored: the log is damaged").pipe(
              Effect.annotateLogs({ workspaceId: damage.workspaceId, from: damage.from, to: damage.to })
            ),
            []
          )
        )
      )
    )
    count += yield* context.anchors.close(closed.flat())
  }
  return count
})

/** Closes every period that has ended by the schedule, and returns how many. */
export const closeDuePeriods = Effect.fnUntraced(function* (context: ClosingContext, now: Micros) {
  let total = 0
  for (;;) {
    const open = yield* context.anchors.unanchored
    const due = open.flatMap((one) => {
      const period = duePeriod(scheduleOf(context, one), one, now)
      return period === undefined ? [] : [{ open: one, period }]
    })
    const count = yield* closeAll(context, due)
    total += count
    // Repeated for workspaces with several periods that have ended; a damaged one is not tried again.
    if (count === 0) return total
  }
})

/**
 * Closes the open period of one workspace, after those that have ended by the schedule. Returns the last one;
 * none if there are no events or another process has closed it in the meantime. Fails with `ClockAhead`, and
 * changes nothing, while the newest event is dated more than `MAX_AHEAD_ON_DEMAND` after `now`.
 */
export const closeOpenPeriod = Effect.fnUntraced(function* (
  context: ClosingContext,
  workspaceId: string,
  now: Micros
) {
  const { anchors } = context
  let newest = Option.none<ClosedPeriod>()
  for (;;) {
    const open = Option.getOrUndefined(yield* anchors.unanchoredOf(workspaceId))
    if (open === undefined) return newest
    const ahead = open.lastCreatedAt - now
    if (ahead > MAX_AHEAD_ON_DEMAND) {
      return yield* new ClockAhead({ aheadSeconds: Math.round(ahead / SECOND) })
    }
    const schedule = scheduleOf(context, open)
    const period = duePeriod(schedule, open, now) ?? periodOnDemand(schedule, open, open.lastCreatedAt, now)
    yield* anchors.raiseFloor([{ workspaceId, floor: period.end }])
    const closed = yield* closedPeriod(context, open, period)
    if ((yield* anchors.close([closed])) > 0) newest = Option.some(closed)
    if (period.end > now) return newest
  }
})
