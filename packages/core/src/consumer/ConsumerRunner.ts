/**
 * Runs a consumer over every log: reads on from where it stands, and commits what came of it together with
 * where it stands then.
 *
 * Any number of processes may run the same consumer. What two of them evaluate at once, one commits; a crash
 * leaves the batch to be evaluated again from the same state, and recovery is the next ordinary run.
 */
import { Cause, Effect, Exit, Option } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { EventLog, FIRST_LEGACY_SEQUENCE, type Head, type LogEntry } from "../log/EventLog.ts"
import { mayGoOn } from "../log/ReadingBound.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { Workspaces } from "../log/Workspace.ts"
import {
  BEFORE_FIRST_EVENT,
  type ConsumerPosition,
  type ConsumerRow,
  Consumers,
  type RaisedAlert
} from "./Consumers.ts"
import type { NewDelivery } from "./Delivery.ts"
import { makeRememberedRows } from "./RememberedRows.ts"

/** Most events of one batch, whose contents are in memory together. */
export const MAX_CONSUMER_BATCH = 1_000
/**
 * Most events whose effects are committed together: a consumer that has fallen behind writes a row once for
 * all of them.
 */
export const MAX_CONSUMER_COMMIT = 4_000
/** Alerts with which a commit is complete, so that no transaction is long. */
const ENOUGH_RAISED = 100
/** Events read at a time. */
const HELPING = 500
/**
 * Characters of contents with which a batch is complete, so that memory stays small where events are large.
 */
const ENOUGH = 750_000

/** Events to be evaluated. */
export interface ConsumerBatch {
  readonly workspaceId: string
  /** At least one, oldest first; either all of them legacy or none. */
  readonly entries: ReadonlyArray<LogEntry>
  /** The sequence that they follow. */
  readonly after: number
  /** Whether the log ended with them. */
  readonly atEnd: boolean
  /** What the consumer remembers under these keys. */
  readonly rows: (
    keys: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<ConsumerRow>, StorageUnavailable>
}

/** What came of them. */
interface ConsumerOutcome {
  readonly rows: ReadonlyArray<ConsumerRow>
  readonly raised: ReadonlyArray<RaisedAlert>
  readonly deliveries: ReadonlyArray<NewDelivery>
}

/**
 * `(state, batch of events) → (state, effects)`. It does nothing but read; whatever it causes is in the
 * outcome.
 */
export interface Consumer {
  readonly name: string
  readonly process: (batch: ConsumerBatch) => Effect.Effect<ConsumerOutcome, StorageUnavailable>
}

/** How far a run came. */
export interface Consumed {
  /** Events that were consumed. */
  readonly count: number
  /** Whether there may be more at once. */
  readonly more: boolean
}

const nothing: Consumed = { count: 0, more: false }

/** A consumer at work. */
export interface RunningConsumer {
  /** Consumes a few batches of a workspace's log, one if the log ends with it. */
  readonly advance: (workspaceId: string) => Effect.Effect<Consumed, StorageUnavailable>
  /**
   * The same for every log that has grown. What goes wrong in one workspace is logged and does not hold up
   * the others. Costs a look at the head of every log: whoever knows which log has grown calls `advance` for
   * it, and this once in a while.
   */
  readonly round: Effect.Effect<Consumed, StorageUnavailable>
  /** Rounds until nothing is left; answers how many events were consumed. */
  readonly drain: Effect.Effect<number, StorageUnavailable>
}

/** How many events of a log lie after a sequence. */
export const eventsAfter = (sequence: number, { sequence: last, legacy }: Head): number => {
  const imported = legacy?.count ?? 0
  const legacyDone = Math.min(Math.max(sequence - FIRST_LEGACY_SEQUENCE + 1, 0), imported)
  return Math.max(0, last - Math.max(sequence, 0)) + imported - legacyDone
}

/** A consumer, and how far behind its log it is. */
export interface ConsumerLag {
  readonly position: ConsumerPosition
  /** Events that it has not consumed. */
  readonly lag: number
}

/** The consumers of a workspace's log and their lag. */
export const consumerLags = Effect.fn("consumerLags")(function* (workspaceId: string) {
  const positions = yield* Effect.flatMap(Consumers, ({ list }) => list(workspaceId))
  // Read after the positions, so that none is ahead of it.
  const head = yield* Effect.flatMap(EventLog, (log) => log.head(workspaceId))
  return positions.map((position): ConsumerLag => ({ position, lag: eventsAfter(position.sequence, head) }))
})

/** What came of some batches, together. */
const makeGathered = () => {
  const rows = new Map<string, ConsumerRow>()
  const raised: Array<RaisedAlert> = []
  const deliveries: Array<NewDelivery> = []
  return {
    rows,
    raised,
    add: (outcome: ConsumerOutcome): void => {
      for (const row of outcome.rows) rows.set(row.key, row)
      for (const one of outcome.raised) raised.push(one)
      for (const one of outcome.deliveries) deliveries.push(one)
    },
    outcome: (): ConsumerOutcome => ({ rows: [...rows.values()], raised, deliveries })
  }
}

/** What a running consumer works with. */
interface RunnerContext {
  readonly consumers: Consumers["Service"]
  readonly log: EventLog["Service"]
  readonly workspaces: Workspaces["Service"]
  readonly remembered: ReturnType<typeof makeRememberedRows>
  readonly name: Consumer["name"]
  readonly process: Consumer["process"]
  readonly mostEvents: number
}

/** The events after a sequence, as many as make a batch, and whether the log ends with them. */
const read = Effect.fnUntraced(function* (
  { log }: RunnerContext,
  workspaceId: string,
  after: number,
  most: number
) {
  const found: Array<LogEntry> = []
  let size = 0
  let atEnd = false
  while (!atEnd && found.length < most && size < ENOUGH) {
    const limit = Math.min(HELPING, most - found.length)
    const helping = yield* log.entries(workspaceId, (found.at(-1)?.sequence ?? after) + 1, limit)
    found.push(...helping)
    for (const { content } of helping) size += content?.length ?? 0
    atEnd = !mayGoOn(helping, limit)
  }
  const legacy = (found[0]?.sequence ?? 1) < 1
  return legacy
    ? { entries: found.filter(({ sequence }) => sequence < 1), atEnd: false }
    : { entries: found, atEnd }
})

const advance = Effect.fnUntraced(function* (context: RunnerContext, workspaceId: string) {
  const { name, consumers, remembered, process, mostEvents } = context
  const key = { workspaceId, consumer: name }
  const at = yield* Micros.now
  const position = yield* consumers.open(key, BEFORE_FIRST_EVENT, at)
  if (position.paused) return nothing
  const gathered = makeGathered()
  /** What the consumer would remember if it were all committed. */
  const rows = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
    const stored = yield* remembered.read(
      position,
      keys.filter((one) => !gathered.rows.has(one))
    )
    return [...stored, ...keys.flatMap((one) => gathered.rows.get(one) ?? [])]
  })
  /** Evaluates the next batch. */
  const evaluate = Effect.fnUntraced(function* (after: number, most: number) {
    const batch = yield* read(context, workspaceId, after, most)
    if (batch.entries.length > 0) gathered.add(yield* process({ workspaceId, ...batch, after, rows }))
    return batch
  })
  let last: LogEntry | undefined
  let count = 0
  let more = true
  while (more && count < mostEvents && gathered.raised.length < ENOUGH_RAISED) {
    const after = last?.sequence ?? position.sequence
    const batch = yield* Effect.exit(evaluate(after, Math.min(MAX_CONSUMER_BATCH, mostEvents - count)))
    if (Exit.isFailure(batch)) {
      if (last === undefined || Cause.hasInterrupts(batch.cause)) return yield* Effect.failCause(batch.cause)
      // What came before it is committed: the next run meets the failure by itself.
      break
    }
    const { entries, atEnd } = batch.value
    last = entries.at(-1) ?? last
    count += entries.length
    more = !atEnd
  }
  if (last === undefined) return nothing
  const outcome = gathered.outcome()
  const committed = yield* consumers.commit(position, {
    ...outcome,
    sequence: last.sequence,
    expiredBy: last.createdAt,
    at
  })
  remembered.committed(position, outcome.rows, committed)
  // Someone else consumed them, or an operator stepped in: the next round sees what there is to do.
  return Option.isNone(committed) ? nothing : { count, more }
})

/** The logs that have events after the consumer's position. */
const behind = (context: RunnerContext) =>
  Effect.gen(function* () {
    const positions = new Map(
      (yield* context.consumers.everywhere(context.name)).map((position) => [position.workspaceId, position])
    )
    const all = yield* context.workspaces.list
    return yield* Effect.filter(all, ({ id }) => {
      const position = positions.get(id)
      if (position?.paused) return Effect.succeed(false)
      return Effect.map(
        context.log.head(id),
        (head) => eventsAfter(position?.sequence ?? BEFORE_FIRST_EVENT, head) > 0
      )
    })
  })

const round = (context: RunnerContext) =>
  Effect.gen(function* () {
    let count = 0
    let more = false
    for (const { id } of yield* behind(context)) {
      const consumed = yield* advance(context, id).pipe(
        Effect.catchCause((cause) =>
          Cause.hasInterrupts(cause)
            ? Effect.failCause(cause)
            : Effect.as(
                Effect.logError(`The consumer ${context.name} failed in workspace ${id}`, cause),
                nothing
              )
        )
      )
      count += consumed.count
      more ||= consumed.more
    }
    return { count, more }
  })

const drain = (context: RunnerContext) =>
  Effect.gen(function* () {
    let total = 0
    for (;;) {
      const { count } = yield* round(context)
      if (count === 0) return total
      total += count
    }
  })

/**
 * Puts a consumer to work, with at most so many events of one commit. It begins with the first event there
 * is.
 */
export const runConsumer = Effect.fnUntraced(function* (
  { name, process }: Consumer,
  mostEvents = MAX_CONSUMER_COMMIT
) {
  const consumers = yield* Consumers
  const context: RunnerContext = {
    consumers,
    log: yield* EventLog,
    workspaces: yield* Workspaces,
    remembered: makeRememberedRows(consumers),
    name,
    process,
    mostEvents
  }
  return {
    advance: (workspaceId) => advance(context, workspaceId),
    round: round(context),
    drain: drain(context)
  } satisfies RunningConsumer
})
