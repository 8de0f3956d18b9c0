/** The metrics of a process, read once for all who ask within a second. */
import { Meters } from "@cairn/core/log"
import { Clock, Context, Effect, Layer } from "effect"
import { singleFlight } from "../http/plumbing/SingleFlight.ts"
import { hearReports, PATIENCE_MILLIS, type ReportingThread } from "../thread/ThreadReports.ts"
import { makePublishedMetrics } from "./EffectMetrics.ts"
import { makeInboxFigures } from "./InboxFigures.ts"
import { mergedSamples } from "./MergedSamples.ts"
import { SERVER_METRICS } from "./ServerFamilies.ts"

/** What was read less long ago is read again for nobody. */
const FRESH_MILLIS = 1_000

/** What the metrics are read of. */
export interface MetricsSources {
  /** The channel on which the other threads report. */
  readonly channel: string
  readonly threads: ReadonlyArray<ReportingThread>
  /** Events that may wait in the inbox. */
  readonly inboxCapacity: number
}

/** Reading the metrics. */
export class MetricsReader extends Context.Service<
  MetricsReader,
  {
    /** Reads all sources, unless that was done within the last second; waits for none of them for long. */
    readonly refresh: Effect.Effect<void>
    /** What was read, as Effect's metrics. */
    readonly metrics: Context.Context<never>
  }
>()("@cairn/server/MetricsReader") {
  static readonly layer = ({ channel, threads, inboxCapacity }: MetricsSources) =>
    Layer.effect(
      MetricsReader,
      Effect.gen(function* () {
        const meters = yield* Meters
        const clock = yield* Clock.Clock
        const reports = yield* hearReports(channel, threads)
        const figures = yield* makeInboxFigures(inboxCapacity)
        const { context, publish } = makePublishedMetrics()
        const once = singleFlight<void, never>(yield* Effect.scope)
        const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
        let readAt = Number.NEGATIVE_INFINITY
        for (const source of threads)
          meters.observed(SERVER_METRICS.sourceAge, () => reports.age(source), { source })

        const read = Effect.gen(function* () {
          yield* Effect.all([reports.ask, Effect.timeoutOption(figures.read, PATIENCE_MILLIS)], {
            concurrency: "unbounded",
            discard: true
          })
          publish(mergedSamples([...meters.samples(), ...reports.samples()]))
          readAt = now()
        })
        return MetricsReader.of({
          refresh: Effect.suspend(() => (now() - readAt < FRESH_MILLIS ? Effect.void : once("read", read))),
          metrics: context
        })
      })
    )
}
