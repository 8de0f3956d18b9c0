/**
 * Signs a checkpoint of every log that has grown, once an interval, and tells of it: so that a copy of what
 * was signed yesterday lies outside, whoever rewrites the log today.
 *
 * Each log has a turn of its own within the interval, so that the work of many is spread. What was signed is
 * kept first; then the messages about it are stored together with how far the log is signed for. So a crash
 * between any two steps leaves something to be done again by the next round, and of several processes one
 * does it.
 */
import { Context, Effect, Layer, Option } from "effect"
import { Checkpoints } from "../checkpoint/Checkpoints.ts"
import { LogCheckpoints } from "../checkpoint/LogCheckpoints.ts"
import { type ConsumerPosition, Consumers } from "../consumer/Consumers.ts"
import * as Micros from "../encoding/Micros.ts"
import { Randomness, uuid } from "../hashing/Randomness.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { CLOCK_SLACK, ClockGuard } from "../log/ClockGuard.ts"
import { EventLog } from "../log/EventLog.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { signedCheckpointView } from "../note/SignedCheckpointView.ts"
import { type ManagedWorkspace, ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import { Announcer } from "./Announcer.ts"

/**
 * The consumer's name: its position is the size of the newest checkpoint that was told of, and it was
 * committed when that was signed.
 */
export const CHECKPOINT_CONSUMER = "checkpoint"

/** Whoever signs for a log has it for so long. */
const HOLD: Micros.Micros = 15 * Micros.SECOND
/**
 * Milliseconds of rest after each checkpoint: a round after a long pause, with thousands to sign, leaves room
 * for everything else.
 */
const REST = 20
/** Published checkpoints that are told of at once. One is the rule; a crash may leave a second. */
const TOLD_AT_ONCE = 10

/** How often. */
interface ScheduledCheckpointsOptions {
  /** From one turn of a log to the next. */
  readonly every: Micros.Micros
}

/** The use case *sign unasked*. */
interface ScheduledCheckpointsShape {
  /**
   * Signs for every log whose turn has come and that has grown since its last; answers how many. Costs two
   * reads over all logs, and a head for each log once in its turn. What is wrong with one log is logged, and
   * holds up no other.
   */
  readonly round: Effect.Effect<number, StorageUnavailable>
}

/** What signing in turns works with. */
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
  /** The turn in which a log was last looked at by this process, and had nothing to sign or could not be. */
  readonly looked: Map<string, number>
  readonly every: Micros.Micros
}

/**
 * Which turn of a log a moment lies in. Turns begin at another time within the interval for each log, always
 * the same.
 */
const turnOf = (
  { sha256, every }: ScheduledCheckpointsContext,
  workspaceId: string,
  at: Micros.Micros
): number => {
  const offset = Number.parseInt(sha256.hex(workspaceId).slice(0, 12), 16) % every
  return Math.floor((at - offset) / every)
}

/** Whether a log's turn has come since it was last signed for. */
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

/** Tells of what is kept and was not told of. Answers whether nobody stepped in. */
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
      { type: "checkpoint.signed", data: signedCheckpointView(workspaceId, one) },
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

/** Signs for a log whose turn has come. None while another process is at it. */
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
  const { consumers, workspaces, looked } = context
  const positions = new Map(
    (yield* consumers.everywhere(CHECKPOINT_CONSUMER)).map((one) => [one.workspaceId, one])
  )
  return (yield* workspaces.list).flatMap((workspace) => {
    const { id, created_at } = workspace
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

/** Signing unasked, over the ports. */
export class ScheduledCheckpoints extends Context.Service<ScheduledCheckpoints, ScheduledCheckpointsShape>()(
  "@cairn/core/ScheduledCheckpoints"
) {
  static readonly layer = ({ every }: ScheduledCheckpointsOptions) =>
    Layer.effect(
      ScheduledCheckpoints,
      Effect.gen(function* () {
        const holder = uuid(yield* Randomness)
        /**
         * The turn in which a log was last looked at by this process, and had nothing to sign or could not
         * be.
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
          every
        }
        return ScheduledCheckpoints.of({ round: round(context) })
      })
    )
}
