/**
 * Sequencing: from the inbox to the chain.
 *
 * Any number of processes may run it. The log's lock on the head decides which process appends; the others
 * find nothing to do. A crash leaves every event either waiting or appended, and recovery is the next
 * ordinary run.
 */
import { Context, Effect, Layer } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { GeoIp } from "../event/GeoIp.ts"
import { Randomness } from "../hashing/Randomness.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { type Appended, type AppendRequest, EventLog, MOST_WORKSPACES } from "./EventLog.ts"
import { extendChain } from "./HashChain.ts"
import { LOG_METRICS } from "./metric/Families.ts"
import { Meters, type MetricCounter, type MetricHistogram } from "./metric/Meters.ts"
import type { StorageUnavailable } from "./StorageUnavailable.ts"
import { TracedAppend } from "./trace/EventTraces.ts"
import { Tracing, type TracingShape } from "./trace/Tracing.ts"

/** Most events of one append, so that no lock is held for long. */
export const MAX_APPEND = 1_000

/** What an append of nothing did. */
const NOTHING: Appended = { count: 0, more: false }

/** What one round did. */
export interface Round extends Appended {
  /** Workspaces whose log has grown. */
  readonly grown: ReadonlyArray<string>
}

/** The use case *sequence*. */
interface SequencerShape {
  /** Appends one chunk of a workspace's waiting events. */
  readonly advance: (workspaceId: string) => Effect.Effect<Appended, StorageUnavailable>
  /**
   * Appends one chunk of each workspace that has waiting events, of as many together as the store commits at
   * once, so that a busy one does not starve the others. A loop around this should pause after a round that
   * left nothing, so that events that arrive in the meantime share one transaction.
   */
  readonly round: Effect.Effect<Round, StorageUnavailable>
  /**
   * Appends everything that waits, round by round, and returns how many events that were. Events that another
   * process is appending are left to it.
   */
  readonly drain: Effect.Effect<number, StorageUnavailable>
}

/** What sequencing needs. */
interface SequencerContext {
  readonly log: EventLog["Service"]
  readonly sha256: Sha256["Service"]
  readonly random: Randomness["Service"]
  readonly geo: GeoIp["Service"]
  readonly sequenced: MetricCounter
  readonly delay: MetricHistogram
  readonly tracing: TracingShape | undefined
}

/** One append, to the first of these workspaces. */
const append = (context: SequencerContext, workspaceIds: ReadonlyArray<string>) => {
  const { log, sha256, random, geo, sequenced, delay, tracing } = context
  const traced = tracing && new TracedAppend(tracing)
  /** Seconds for which the oldest row of each workspace has waited. */
  const waits: Array<number> = []
  const requests = workspaceIds.map(
    (workspaceId, index): AppendRequest => ({
      workspaceId,
      chain: (head, rows, now) => {
        traced?.note(index, rows)
        const [oldest] = rows
        if (oldest !== undefined) waits[index] = Math.max(0, now - oldest.acceptedAt) / Micros.SECOND
        return extendChain({ workspaceId, sha256, random, lookup: geo.lookup, now }, head, rows)
      }
    })
  )
  return Effect.tap(log.append(requests, MAX_APPEND), (done) =>
    Effect.sync(() => {
      for (const [index, { count }] of done.entries()) {
        sequenced.value += count
        const waited = waits[index]
        if (count > 0 && waited !== undefined) delay.observe(waited)
        if (count > 0) traced?.appended(index, count)
      }
    })
  )
}

const advance = (context: SequencerContext, workspaceId: string) =>
  Effect.map(append(context, [workspaceId]), ([appended]) => appended ?? NOTHING)

// Read again each round, so that a workspace that is new has its turn before a busy one has its next.
const round = (context: SequencerContext) =>
  Effect.flatMap(
    context.log.waiting,
    Effect.fnUntraced(function* (workspaces) {
      let count = 0
      let more = false
      const grown: Array<string> = []
      for (let at = 0; at < workspaces.length; ) {
        // Each append is a separate piece of work, so that this thread serves requests in between.
        if (at > 0) yield* Effect.yieldNow
        const tried = yield* append(context, workspaces.slice(at, at + MOST_WORKSPACES))
        for (const [index, appended] of tried.entries()) {
          const workspaceId = workspaces[at + index]
          count += appended.count
          if (appended.count > 0 && workspaceId !== undefined) grown.push(workspaceId)
          more ||= appended.more
        }
        at += Math.max(1, tried.length)
      }
      return { count, more, grown }
    })
  )

const drain = (context: SequencerContext) =>
  Effect.gen(function* () {
    let total = 0
    for (;;) {
      const { count, more } = yield* round(context)
      total += count
      // Rows that another process is appending are left to it: waiting for them here would be a busy loop.
      if (count === 0 && !more) return total
    }
  })

/** Sequencing over a log. */
export class Sequencer extends Context.Service<Sequencer, SequencerShape>()("@cairn/core/Sequencer") {
  static readonly layer = Layer.effect(
    Sequencer,
    Effect.gen(function* () {
      const meters = yield* Meters
      const context: SequencerContext = {
        log: yield* EventLog,
        sha256: yield* Sha256,
        random: yield* Randomness,
        geo: yield* GeoIp,
        sequenced: meters.counter(LOG_METRICS.sequenced),
        delay: meters.histogram(LOG_METRICS.sequencingDelay),
        tracing: yield* Tracing
      }
      return Sequencer.of({
        advance: (workspaceId) => advance(context, workspaceId),
        round: round(context),
        drain: drain(context)
      })
    })
  )
}
