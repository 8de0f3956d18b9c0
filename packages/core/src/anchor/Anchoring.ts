/**
 * Anchoring: periods are closed, become anchors, and are submitted to the chain until they are confirmed.
 *
 * Any number of processes may run it. Each step is stored before the next begins and is safe to repeat, so
 * recovery after a crash is the next ordinary round.
 */
import { Context, Effect, Layer, Option } from "effect"
import { LogTree } from "../checkpoint/LogTree.ts"
import * as Micros from "../encoding/Micros.ts"
import { Randomness } from "../hashing/Randomness.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { type ClockAhead, ClockGuard } from "../log/ClockGuard.ts"
import { EventLog } from "../log/EventLog.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { AnchorChain } from "./AnchorChain.ts"
import { type ClosingContext, closeDuePeriods, closeOpenPeriod, type LogDamaged } from "./AnchorClosing.ts"
import { makeAnchorMeters } from "./AnchorMeters.ts"
import { type AnchorSchedule, DAILY } from "./AnchorPeriod.ts"
import {
  type ConfirmedAnchor,
  createAnchors,
  type SubmissionContext,
  submitAnchors,
  watchSubmissions
} from "./AnchorSubmission.ts"
import { Anchors, type ClosedPeriod } from "./Anchors.ts"

/** Settings. */
export interface AnchoringOptions {
  /** The log id of a workspace, which never changes. It is also the origin of the log's checkpoints. */
  readonly logId: (workspaceId: string) => Effect.Effect<string, StorageUnavailable>
  /** For workspaces that have no schedule of their own; daily at 00:00 UTC unless set. */
  readonly schedule?: AnchorSchedule
  /**
   * Called with anchors before their confirmation is stored: at least once for each anchor, and again after a
   * crash in between or if the chain dropped a block.
   */
  readonly onConfirmed?: (anchors: ReadonlyArray<ConfirmedAnchor>) => Effect.Effect<void, StorageUnavailable>
  /**
   * How long a transaction may wait for a block before one that pays more replaces it; two minutes unless
   * set.
   */
  readonly stuckAfter?: Micros.Micros
}

/** The result of a round. */
export interface AnchoringRound {
  /** Periods closed. */
  readonly closed: number
  /** Anchors that were created from periods. */
  readonly created: number
  /** Anchors that were sent for the first time. */
  readonly submitted: number
}

/** The use case *anchor*. */
interface AnchoringShape {
  /**
   * Closes the open period of a workspace now; none if it has no events. The period becomes an anchor at
   * once, unless an earlier anchor is not confirmed yet. Fails with `ClockAhead` while the clock cannot be
   * trusted, or if earlier closings have moved the log's time too far ahead of it.
   */
  readonly close: (
    workspaceId: string
  ) => Effect.Effect<Option.Option<ClosedPeriod>, StorageUnavailable | LogDamaged | ClockAhead>
  /**
   * Does everything that is due: closes periods, watches sent transactions, creates anchors and sends them.
   * What the chain cannot do now is logged and left to the next round.
   */
  readonly round: Effect.Effect<AnchoringRound, StorageUnavailable>
}

/** Anchoring, from a log and a chain. */
export class Anchoring extends Context.Service<Anchoring, AnchoringShape>()("@cairn/core/Anchoring") {
  static readonly layer = (options: AnchoringOptions) =>
    Layer.effect(
      Anchoring,
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const chain = Option.getOrUndefined(yield* AnchorChain)
        const sha256 = yield* Sha256
        const random = yield* Randomness
        const clock = yield* ClockGuard
        const {
          logId,
          schedule = DAILY,
          stuckAfter = 2 * Micros.MINUTE,
          onConfirmed = () => Effect.void
        } = options
        const closing: ClosingContext = {
          log: yield* EventLog,
          tree: yield* LogTree,
          anchors,
          sha256,
          random,
          schedule
        }
        const meters = yield* makeAnchorMeters(anchors)
        const submission: SubmissionContext = {
          anchors,
          sha256,
          random,
          logId,
          stuckAfter,
          onConfirmed: (found) =>
            Effect.tap(onConfirmed(found), () => Effect.sync(() => meters.confirmed(found.length)))
        }

        const create = Effect.flatMap(Micros.now, (now) =>
          createAnchors(submission, chain?.chainId ?? null, now)
        ).pipe(Effect.tap((count) => Effect.sync(() => meters.created(count))))

        const close = Effect.fn("Anchoring.close")(function* (workspaceId: string) {
          const closed = yield* closeOpenPeriod(closing, workspaceId, yield* clock.now)
          if (Option.isSome(closed)) meters.closed(1)
          yield* create
          return closed
        })

        const watched = chain === undefined ? Effect.void : watchSubmissions(submission, chain)
        const submitted = chain === undefined ? Effect.succeed(0) : submitAnchors(submission, chain)
        const notNow = (error: { readonly message: string }) =>
          Effect.logWarning(`The chain could not be read; trying again later: ${error.message}`)

        // With a clock that leaps ahead, periods in the future would be closed.
        const due = clock.now.pipe(
          Effect.flatMap((now) => closeDuePeriods(closing, now)),
          Effect.catchTag("ClockAhead", ({ aheadSeconds }) =>
            Effect.as(Effect.logError(`No period is closed: the clock is ${aheadSeconds} s ahead`), 0)
          )
        )

        const round = Effect.gen(function* () {
          const closed = yield* due
          yield* Effect.catchTag(watched, "ChainUnavailable", notNow)
          const created = yield* create
          const sent = yield* Effect.catchTag(submitted, ["ChainUnavailable", "FeeTooHigh"], (error) =>
            Effect.as(notNow(error), 0)
          )
          meters.closed(closed)
          meters.submitted(sent)
          yield* meters.look
          return { closed, created, submitted: sent }
        }).pipe(Effect.withSpan("Anchoring.round"))

        return Anchoring.of({ close, round })
      })
    )
}
