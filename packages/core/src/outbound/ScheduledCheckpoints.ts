/**
 * Signs a checkpoint of every log that has grown, once an interval, and publishes it, so that a copy of
 * yesterday's checkpoint is elsewhere if somebody rewrites the log today.
 *
 * Each log has its own time within the interval, so that the work for many logs is spread. The checkpoint is
 * stored first; then the messages about it are stored together with the size that is signed. So a crash
 * between any two steps leaves work for the next round, and of several processes one does it.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { Checkpoints } from "../checkpoint/Checkpoints.ts"
import { LogCheckpoints } from "../checkpoint/LogCheckpoints.ts"
import { type ConsumerPosition, Consumers } from "../consumer/Consumers.ts"
import * as Micros from "../encoding/Micros.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { CLOCK_SLACK, ClockGuard } from "../log/ClockGuard.ts"
import { EventLog } from "../log/EventLog.ts"
import { LOG_METRICS } from "../log/metric/Families.ts"
import { Meters, type MetricCounter } from "../log/metric/Meters.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { signedCheckpointView } from "../note/SignedCheckpointView.ts"
import { type ManagedWorkspace, ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import { Announcer } from "./Announcer.ts"

/**
 * The consumer's name. Its position is the size of the newest checkpoint that was announced, and the time of
 * its commit is when that was signed.
 */
export const CHECKPOINT_CONSUMER = "checkpoint"

/** A process that signs for a log holds it for this long. */
const HOLD: Micros.Micros = 15 * Micros.SECOND
/**
 * Milliseconds of pause after each checkpoint: a round after a long stop, with thousands to sign, leaves time
 * for other work.
 */
const REST = 20
/** Published checkpoints that are announced at once. Usually there is one; a crash may leave a second. */
const TOLD_AT_ONCE = 10

/** The interval. */
interface ScheduledCheckpointsOptions {
  /** From one turn of a log to the next. */
  readonly every: Micros.Micros
}

/** The use case *sign on schedule*. */
interface ScheduledCheckpointsShape {
  /**
   * Signs every log whose turn has come and that has grown since its last checkpoint, and returns how many.
   * Costs two reads over all logs, and reading a head for each log once in its turn. An error in one log is
   * logged and holds up no other.
   */
  readonly round: Effect.Effect<number, StorageUnavailable>
}

/** What scheduled signing needs. */
interface ScheduledCheckpointsContext {
  readonly consumers: Consumers["Service"]
  readonly log: EventLog["Service"]
  readonly workspaces: ManagedWorkspaces["Service"]
  readonly checkpoints: LogCheckpoints["Service"]
  readonly store: Checkpoints["Service"]
  readonly announcer: Announcer["Service"]
  readonly clock: ClockGuard["Service"]
  readonly sha256: Sha256["Service"]
  readonly holder: string
  /** The turn in which this process last checked a log that had nothing to sign or could not be signed. */
  readonly looked: Map<string, number>
  readonly every: Micros.Micros
  readonly signed: MetricCounter
  /** Notes when a log's newest checkpoint was signed. */
  readonly noteSigned: (at: Micros.Micros) => void
}

/** What is metered of scheduled signing. */
const makeMeters = Effect.gen(function* () {
  const meters = yield* Meters
  const clock = yield* Clock.Clock
  let newest: Micros.Micros | undefined
  meters.observed(LOG_METRICS.checkpointAge, () =>
    newest === undefined
      ? undefined
      : Math.max(0, Micros.fromMillis(clock.currentTimeMillisUnsafe()) - newest) / Micros.SECOND
  )
  return {
    signed: meters.counter(LOG_METRICS.checkpointsSigned),
    noteSigned: (at: Micros.Micros) => {
      newest = Math.max(at, newest ?? at)
    }
  }
})

/**
 * The number of a log's turn at a given time. Each log's turns begin at its own fixed offset within the
 * interval.
 */
const turnOf = (
  { sha256, every }: ScheduledCheckpointsContext,
  workspaceId: string,
  at: Micros.Micros
): number => {
  const offset = Number.parseInt(sha256.hex(workspaceId).slice(0, 12), 16) % every
  return Math.floor((at - offset) / every)
}

/** Whether a log's turn has come since it was last signed. */
const isDue = (
  context: ScheduledCheckpointsContext,
  workspaceId: string,
  last: Micros.Micros,
  now: Micros.Micros
): boolean =>
  turnOf(context, workspaceId, now) > turnOf(context, workspaceId, last) ||
  last - now > context.every + CLOCK_SLACK

const keep = Effect.fnUntraced(function* (
  { checkpoints, store }: ScheduledCheckpointsContext,
  workspaceId: string,
  now: Micros.Micros
) {
  const { size, root, note } = yield* checkpoints.current(workspaceId)
  const [before] = yield* store.publishedPage(workspaceId, { before: null, limit: 1 })
  if (size > (before?.size ?? 0)) {
    const signedAt = Math.max(now, (before?.signedAt ?? 0) + 1)
    yield* store.publish(workspaceId, { size, root, note, signedAt })
  }
})

/** Announces checkpoints that are stored but not announced. Returns false if another process took over. */
const tell = Effect.fnUntraced(function* (
  { store, announcer, consumers }: ScheduledCheckpointsContext,
  held: ConsumerPosition,
  now: Micros.Micros
) {
  const { workspaceId } = held
  const published = yield* store.publishedAfter(workspaceId, held.sequence, TOLD_AT_ONCE)
  const last = published.at(-1)
  if (last === undefined) return false
  const deliveries = yield* Effect.forEach(published, (one) =>
    announcer.compose(
      workspaceId,
      { type: "checkpoint.signed", data: signedCheckpointView(one) },
      `checkpoint ${workspaceId} ${one.size} ${one.root}`
    )
  )
  const committed = yield* consumers.commit(held, {
    sequence: last.size,
    rows: [],
    raised: [],
    deliveries: deliveries.flat(),
    expiredBy: null,
    at: now
  })
  return Option.isSome(committed)
})

/** Signs a log whose turn has come. None while another process does. */
const sign = Effect.fnUntraced(function* (
  context: ScheduledCheckpointsContext,
  { id, created_at }: ManagedWorkspace,
  known: ConsumerPosition | undefined,
  now: Micros.Micros
) {
  const { log, consumers, holder } = context
  const { sequence: size } = yield* log.head(id)
  if (size <= (known?.sequence ?? 0)) return Option.some(false)
  const key = { workspaceId: id, consumer: CHECKPOINT_CONSUMER }
  const opened = known ?? (yield* consumers.open(key, 0, created_at))
  if (opened.paused) return Option.some(false)
  const held = yield* consumers.hold(key, { holder, at: now, until: now + HOLD })
  if (Option.isNone(held)) return Option.none<boolean>()
  // Another process may have signed since the positions were read.
  const due = !held.value.paused && isDue(context, id, held.value.updatedAt, now)
  return yield* Effect.gen(function* () {
    if (!due) return Option.none<boolean>()
    yield* keep(context, id, now)
    return Option.some(yield* tell(context, held.value, now))
  }).pipe(Effect.ensuring(Effect.ignore(consumers.release(key, holder))))
})

const notSigned = (workspace: string, error: { readonly _tag: string; readonly message: string }) =>
  Effect.logError("No checkpoint was signed").pipe(
    Effect.annotateLogs({ workspace, reason: error.message === "" ? error._tag : error.message }),
    Effect.as(Option.some(false))
  )

const signSafely = (
  context: ScheduledCheckpointsContext,
  workspace: ManagedWorkspace,
  known: ConsumerPosition | undefined,
  now: Micros.Micros
) =>
  sign(context, workspace, known, now).pipe(
    Effect.catchIf(
      (error) => error._tag !== "StorageUnavailable",
      (error) => notSigned(workspace.id, error)
    ),
    Effect.catchDefect((defect) => notSigned(workspace.id, { _tag: "Defect", message: String(defect) }))
  )

const due = Effect.fnUntraced(function* (context: ScheduledCheckpointsContext, now: Micros.Micros) {
  const { consumers, log, workspaces, looked, noteSigned } = context
  const positions = new Map(
    (yield* consumers.everywhere(CHECKPOINT_CONSUMER)).map((one) => [one.workspaceId, one])
  )
  for (const { sequence, updatedAt } of positions.values()) if (sequence > 0) noteSigned(updatedAt)
  const unreachable = yield* log.unreachable
  return (yield* workspaces.list).flatMap((workspace) => {
    const { id, created_at } = workspace
    if (unreachable.has(id)) return []
    const known = positions.get(id)
    const isLooked = looked.get(id) === turnOf(context, id, now)
    return isLooked || !isDue(context, id, known?.updatedAt ?? created_at, now) ? [] : [{ workspace, known }]
  })
})

const signAll = Effect.fnUntraced(function* (context: ScheduledCheckpointsContext, now: Micros.Micros) {
  const { looked } = context
  let count = 0
  for (const { workspace, known } of yield* due(context, now)) {
    const signed = yield* signSafely(context, workspace, known, now)
    if (Option.isSome(signed) && !signed.value) looked.set(workspace.id, turnOf(context, workspace.id, now))
    if (!Option.getOrElse(signed, () => false)) {
      yield* Effect.yieldNow
      continue
    }
    count++
    context.signed.value += 1
    context.noteSigned(now)
    yield* Effect.sleep(REST)
  }
  return count
})

const round = (context: ScheduledCheckpointsContext) =>
  context.clock.now.pipe(
    Effect.flatMap((now) => signAll(context, now)),
    Effect.catchTag("ClockAhead", ({ aheadSeconds }) =>
      Effect.as(Effect.logError(`No checkpoint is signed: the clock is ${aheadSeconds} s ahead`), 0)
    ),
    Effect.withSpan("ScheduledCheckpoints.round")
  )

/** Scheduled signing, over the ports. */
export class ScheduledCheckpoints extends Context.Service<ScheduledCheckpoints, ScheduledCheckpointsShape>()(
  "@cairn/core/ScheduledCheckpoints"
) {
  static readonly layer = ({ every }: ScheduledCheckpointsOptions) =>
    Layer.effect(
      ScheduledCheckpoints,
      Effect.gen(function* () {
        const holder = uuid(yield* Randomness)
        /**
         * The turn in which this process last checked a log that had nothing to sign or could not be signed.
         */
        const looked = new Map<string, number>()
        const context: ScheduledCheckpointsContext = {
          consumers: yield* Consumers,
          log: yield* EventLog,
          workspaces: yield* ManagedWorkspaces,
          checkpoints: yield* LogCheckpoints,
          store: yield* Checkpoints,
          announcer: yield* Announcer,
          clock: yield* ClockGuard,
          sha256: yield* Sha256,
          holder,
          looked,
          every,
          ...(yield* makeMeters)
        }
        return ScheduledCheckpoints.of({ round: round(context) })
      })
    )
}
