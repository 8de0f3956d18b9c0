/**
 * Sequencing: from the inbox to the chain.
 *
 * Any number of processes may run it. The log's lock on the head decides who appends; the others find nothing to do. A crash
 * leaves every event either waiting or appended, and recovery is the next ordinary run.
 */
import { Context, Effect, Layer } from "effect"
import { type Appended, EventLog } from "./EventLog.ts"
import { GeoIp } from "./GeoIp.ts"
import { extendChain } from "./HashChain.ts"
import { Randomness } from "./Randomness.ts"
import { Sha256 } from "./Sha256.ts"
import type { StorageUnavailable } from "./Storage.ts"

/** Most events of one append, so that no lock is held for long. */
export const MAX_APPEND = 1_000

/** What one round did. */
export interface Round extends Appended {
  /** Workspaces whose log has grown. */
  readonly grown: ReadonlyArray<string>
}

/** The use case *sequence*. */
export interface SequencerShape {
  /** Appends one helping of a workspace's waiting events. */
  readonly advance: (workspaceId: string) => Effect.Effect<Appended, StorageUnavailable>
  /**
   * Appends one helping of each workspace that has events waiting, so that a busy one does not starve the others. Whoever runs this
   * again and again does well to pause after a round that left nothing: what comes meanwhile shares one transaction.
   */
  readonly round: Effect.Effect<Round, StorageUnavailable>
  /**
   * Appends everything that waits, round by round, and returns how many events that were. What another process is appending
   * meanwhile is left to it.
   */
  readonly drain: Effect.Effect<number, StorageUnavailable>
}

/** Sequencing over a log. */
export class Sequencer extends Context.Service<Sequencer, SequencerShape>()("@cairn/core/Sequencer") {
  static readonly layer = Layer.effect(
    Sequencer,
    Effect.gen(function* () {
      const log = yield* EventLog
      const sha256 = yield* Sha256
      const random = yield* Randomness
      const geo = yield* GeoIp

      const advance = (workspaceId: string) =>
        log.append(workspaceId, MAX_APPEND, (head, rows, now) =>
          extendChain({ workspaceId, sha256, random, lookup: geo.lookup, now }, head, rows)
        )

      // Asked again each round, so that a workspace that came meanwhile has its turn before a busy one has its next.
      const round = Effect.flatMap(
        log.waiting,
        Effect.fnUntraced(function* (workspaces) {
          let count = 0
          let more = false
          const grown: Array<string> = []
          for (const workspaceId of workspaces) {
            const appended = yield* advance(workspaceId)
            count += appended.count
            if (appended.count > 0) grown.push(workspaceId)
            more ||= appended.more
          }
          return { count, more, grown }
        })
      )

      const drain = Effect.gen(function* () {
        let total = 0
        for (;;) {
          const { count, more } = yield* round
          total += count
          // What someone else is appending is left to them: waiting for it here would be asking in circles.
          if (count === 0 && !more) return total
        }
      })

      return Sequencer.of({ advance, round, drain })
    })
  )
}
