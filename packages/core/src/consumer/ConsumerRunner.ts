/**
 * Runs a consumer over every log: reads from its position on, and commits the results together with the new
 * position.
 *
 * Any number of processes may run the same consumer. If two of them evaluate the same batch, one commits.
 * After a crash the batch is evaluated again from the same state, and recovery is the next ordinary run.
 */
import { Cause, Clock, Effect, Exit, Option } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { EventLog, FIRST_LEGACY_SEQUENCE, type Head, type LogEntry } from "../log/EventLog.ts"
import { LOG_METRICS } from "../log/metric/Families.ts"
import { LagMeter } from "../log/metric/LagMeter.ts"
import { Meters, type MetricCounter } from "../log/metric/Meters.ts"
import { mayGoOn } from "../log/ReadingBound.ts"
import { makeRoundIncident, type RoundIncident } from "../log/RoundIncident.ts"
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

/** Most events of one batch; their contents are in memory together. */
export const MAX_CONSUMER_BATCH = 1_000
/**
 * Most events whose effects are committed together: a consumer that is behind writes a row once for all of
 * them.
 */
export const MAX_CONSUMER_COMMIT = 4_000
/** A commit ends once it has this many alerts, so that no transaction is long. */
const ENOUGH_RAISED = 100
/** Events read at once. */
const CHUNK = 500
/**
 * A batch ends once its contents have this many characters, so that memory use stays small if events are
 * large.
 */
const ENOUGH = 750_000

/** Events to be evaluated. */
export interface ConsumerBatch {
  readonly workspaceId: string
  /** At least one, oldest first; either all are legacy events or none. */
  readonly entries: ReadonlyArray<LogEntry>
  /** The sequence before the first event. */
  readonly after: number
  /** Whether the log ended with these events. */
  readonly atEnd: boolean
  /** What the consumer has stored under these keys. */
  readonly rows: (
    keys: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<ConsumerRow>, StorageUnavailable>
}

/** The result of a batch. */
interface ConsumerOutcome {
  readonly rows: ReadonlyArray<ConsumerRow>
  readonly raised: ReadonlyArray<RaisedAlert>
  readonly deliveries: ReadonlyArray<NewDelivery>
}

/**
 * `(state, batch of events) → (state, effects)`. It only reads; everything that it causes is in the outcome.
 */
export interface Consumer {
  readonly name: string
  readonly process: (batch: ConsumerBatch) => Effect.Effect<ConsumerOutcome, StorageUnavailable>
}

/** The result of a run. */
export interface Consumed {
  /** Events that were consumed. */
  readonly count: number
  /** Whether there may be more to do at once. */
  readonly more: boolean
}

const nothing: Consumed = { count: 0, more: false }

/** A running consumer. */
export interface RunningConsumer {
  /** Consumes a few batches of a workspace's log, or one if the log ends with it. */
  readonly advance: (workspaceId: string) => Effect.Effect<Consumed, StorageUnavailable>
  /**
   * The same for every log that has grown. An error in one workspace is logged and does not hold up the
   * others. Costs reading the head of every log: a caller that knows which log has grown calls `advance` for
   * it, and this only occasionally.
   */
  readonly round: Effect.Effect<Consumed, StorageUnavailable>
  /** Runs rounds until nothing is left, and returns how many events were consumed. */
  readonly drain: Effect.Effect<number, StorageUnavailable>
}

/** The end of a log, as far as it says how many events there are. */
interface LogLength {
  readonly sequence: Head["sequence"]
  readonly legacy: Pick<NonNullable<Head["legacy"]>, "count"> | null
}

/** How many events of a log come after a sequence. */
export const eventsAfter = (sequence: number, { sequence: last, legacy }: LogLength): number => {
  const imported = legacy?.count ?? 0
  const legacyDone = Math.min(Math.max(sequence - FIRST_LEGACY_SEQUENCE + 1, 0), imported)
  return Math.max(0, last - Math.max(sequence, 0)) + imported - legacyDone
}

/** A consumer, and how far behind its log it is. */
export interface ConsumerLag {
  readonly position: ConsumerPosition
  /** Events that it has not consumed yet. */
  readonly lag: number
}

/** The consumers of a workspace's log and their lag. */
export const consumerLags = Effect.fn("consumerLags")(function* (workspaceId: string) {
  const positions = yield* Effect.flatMap(Consumers, ({ list }) => list(workspaceId))
  // Read after the positions, so that no position is ahead of it.
  const head = yield* Effect.flatMap(EventLog, (log) => log.head(workspaceId))
  return positions.map((position): ConsumerLag => ({ position, lag: eventsAfter(position.sequence, head) }))
})

/** The combined results of some batches. */
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

/** What is metered of a consumer. */
interface ConsumerMeters {
  readonly consumed: MetricCounter
  readonly raised: MetricCounter
  readonly lag: LagMeter
}

const makeMeters = Effect.fnUntraced(function* (consumer: string) {
  const meters = yield* Meters
  const clock = yield* Clock.Clock
  const families = { events: LOG_METRICS.consumerLagEvents, seconds: LOG_METRICS.consumerLagSeconds }
  const now = () => Micros.fromMillis(clock.currentTimeMillisUnsafe())
  return {
    consumed: meters.counter(LOG_METRICS.consumed, { consumer }),
    raised: meters.counter(LOG_METRICS.alertsRaised),
    lag: new LagMeter(meters, families, { consumer }, now)
  } satisfies ConsumerMeters
})

/** What a running consumer needs. */
interface RunnerContext {
  readonly consumers: Consumers["Service"]
  readonly log: EventLog["Service"]
  readonly workspaces: Workspaces["Service"]
  readonly remembered: ReturnType<typeof makeRememberedRows>
  readonly name: Consumer["name"]
  readonly process: Consumer["process"]
  readonly mostEvents: number
  readonly meters: ConsumerMeters
  readonly incident: RoundIncident
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
    const limit = Math.min(CHUNK, most - found.length)
    const chunk = yield* log.entries(workspaceId, (found.at(-1)?.sequence ?? after) + 1, limit)
    found.push(...chunk)
    for (const { content } of chunk) size += content?.length ?? 0
    atEnd = !mayGoOn(chunk, limit)
  }
  const legacy = (found[0]?.sequence ?? 1) < 1
  return legacy
    ? { entries: found.filter(({ sequence }) => sequence < 1), atEnd: false }
    : { entries: found, atEnd }
})

const advance = Effect.fnUntraced(function* (context: RunnerContext, workspaceId: string) {
  const { name, consumers, remembered, process, mostEvents, meters } = context
  const key = { workspaceId, consumer: name }
  const at = yield* Micros.now
  const position = yield* consumers.open(key, BEFORE_FIRST_EVENT, at)
  if (position.paused) return nothing
  const gathered = makeGathered()
  /** The consumer's state if all results so far were committed. */
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
      // The results before this batch are committed: the next run meets the same error at the beginning.
      break
    }
    const { entries, atEnd } = batch.value
    const [first] = entries
    if (count === 0 && first !== undefined) meters.lag.set(workspaceId, entries.length, first.createdAt, at)
    last = entries.at(-1) ?? last
    count += entries.length
    more = !atEnd
  }
  if (last === undefined) {
    meters.lag.clear(workspaceId)
    return nothing
  }
  const outcome = gathered.outcome()
  const committed = yield* consumers.commit(position, {
    ...outcome,
    sequence: last.sequence,
    expiredBy: last.createdAt,
    at
  })
  remembered.committed(position, outcome.rows, committed)
  // Another process consumed them, or an operator changed the position: the next round finds what there is to
  // do.
  if (Option.isNone(committed)) return nothing
  meters.consumed.value += count
  meters.raised.value += outcome.raised.length
  if (!more) meters.lag.clear(workspaceId)
  return { count, more }
})

/** The logs with events after the consumer's position. */
const behind = (context: RunnerContext) =>
  Effect.gen(function* () {
    const positions = new Map(
      (yield* context.consumers.everywhere(context.name)).map((position) => [position.workspaceId, position])
    )
    const unreachable = yield* context.log.unreachable
    const all = (yield* context.workspaces.list).filter(({ id }) => !unreachable.has(id))
    const { lag } = context.meters
    const at = yield* Micros.now
    return yield* Effect.filter(all, ({ id }) => {
      const position = positions.get(id)
      if (position?.paused)
        return Effect.as(
          Effect.sync(() => lag.clear(id)),
          false
        )
      return Effect.map(context.log.head(id), (head) => {
        const events = eventsAfter(position?.sequence ?? BEFORE_FIRST_EVENT, head)
        lag.set(id, events, null, at)
        return events > 0
      })
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
            : Effect.as(context.incident.failed(cause, { workspaceId: id }), nothing)
        )
      )
      count += consumed.count
      more ||= consumed.more
    }
    yield* context.incident.succeeded
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
 * Starts a consumer, with at most `mostEvents` events in one commit. It begins with the first event of the
 * log.
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
    mostEvents,
    meters: yield* makeMeters(name),
    incident: yield* makeRoundIncident({
      begins: `The consumer ${name} failed; trying again`,
      over: `The consumer ${name} goes on`
    })
  }
  return {
    advance: (workspaceId) => advance(context, workspaceId),
    round: round(context),
    drain: drain(context)
  } satisfies RunningConsumer
})
