/** Pushes the metrics to a collector, by OTLP over HTTP. */
import { Effect, Layer } from "effect"
import type { MetricsPushSettings } from "../settings/TelemetrySettings.ts"
import { MetricsReader } from "./MetricsReader.ts"
import { layerOtlp, otlpOptions } from "./Otlp.ts"

/** Most milliseconds that what is pushed is old. */
const MOST_AGE_MILLIS = 5_000

/** Keeps what the exporter takes up to date: it takes what was read last. */
const keepReading = ({ intervalMillis }: MetricsPushSettings) =>
  Effect.flatMap(MetricsReader, ({ refresh }) =>
    Effect.forever(Effect.andThen(refresh, Effect.sleep(Math.min(intervalMillis / 2, MOST_AGE_MILLIS))))
  )

/** Pushes again and again, for as long as the server works; loaded only where there is a collector. */
export const layerMetricsPush = (settings: MetricsPushSettings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { OtlpMetrics } = yield* Effect.promise(() => import("effect/observability"))
      const { metrics, refresh } = yield* MetricsReader
      yield* refresh
      yield* Effect.forkScoped(keepReading(settings))
      return OtlpMetrics.layer({
        ...otlpOptions(settings),
        exportInterval: settings.intervalMillis
      }).pipe(Layer.provide(layerOtlp("metrics", settings)), Layer.provide(Layer.succeedContext(metrics)))
    })
  )
