/** Trying a rule on history: which alerts it would have raised, without raising them. */
import { Context, Effect, Layer, Schema } from "effect"
import { Alert } from "../consumer/Alert.ts"
import { BEFORE_FIRST_EVENT } from "../consumer/Consumers.ts"
import { contentSize, makePace } from "../encoding/Pace.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { EventLog } from "../log/EventLog.ts"
import { mayGoOn } from "../log/ReadingBound.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { type Backtest, backtest, emptyBacktest, toAlertEvent } from "./AlertEvaluation.ts"
import type { AlertRule } from "./AlertRuleDefinition.ts"

/** Most alerts that a backtest returns. It ends soon after the event that raised the last of them. */
export const MAX_BACKTEST_ALERTS = 1_000

/** The alerts that a rule would have raised. */
export const BacktestResult = Schema.Struct({
  /** Oldest first; `triggered_at` is when the event was recorded. */
  alerts: Schema.Array(Alert),
  /** Events that were evaluated. */
  events: Schema.Number,
  /** Whether it reached the end of the log; otherwise there were more alerts than are returned. */
  complete: Schema.Boolean
})
export type BacktestResult = typeof BacktestResult.Type

/** Events read at once. */
const BATCH = 500

/** The use case *backtest*. */
export class AlertBacktest extends Context.Service<
  AlertBacktest,
  {
    /**
     * Runs a rule, enabled or not, over the whole log including imported history. Costs reading the log;
     * memory grows with the number of actors.
     */
    readonly run: (workspaceId: string, rule: AlertRule) => Effect.Effect<BacktestResult, StorageUnavailable>
  }
>()("@cairn/core/AlertBacktest") {
  static readonly layer = Layer.effect(
    AlertBacktest,
    Effect.gen(function* () {
      const log = yield* EventLog
      const sha256 = yield* Sha256
      const pace = makePace()
      const run = Effect.fn("AlertBacktest.run")(function* (workspaceId: string, rule: AlertRule) {
        let state: Backtest = emptyBacktest
        let events = 0
        let after = BEFORE_FIRST_EVENT
        for (;;) {
          const entries = yield* log.entries(workspaceId, after + 1, BATCH)
          const parsed = yield* pace.map(entries, contentSize, toAlertEvent)
          state = backtest(
            rule,
            sha256,
            state,
            parsed.flatMap((event) => event ?? [])
          )
          events += entries.length
          const last = entries.at(-1)
          const complete = last === undefined || !mayGoOn(entries, BATCH)
          if (complete || state.alerts.length > MAX_BACKTEST_ALERTS) {
            const { alerts } = state
            return {
              alerts: alerts.slice(0, MAX_BACKTEST_ALERTS),
              events,
              complete: complete && alerts.length <= MAX_BACKTEST_ALERTS
            }
          }
          after = last.sequence
          // Lets other work on this thread run between two batches.
          yield* Effect.yieldNow
        }
      })
      return AlertBacktest.of({ run })
    })
  )
}
