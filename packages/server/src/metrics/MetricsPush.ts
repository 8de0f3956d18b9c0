/** Pushes the metrics to a collector, by OTLP over HTTP. */
import { withoutSlashesAtEnd } from "@cairn/core/outbound"
import { ConfigProvider, Effect, Layer } from "effect"
import type { TelemetrySettings } from "../settings/TelemetrySettings.ts"
import { version } from "../Version.ts"
import { layerCollectorClient } from "./CollectorClient.ts"
import { MetricsReader } from "./MetricsReader.ts"

/** Most milliseconds that what is pushed is old. */
const MOST_AGE_MILLIS = 5_000
/** How long a server that stops waits for the last push. */
const LAST_PUSH = "1 second"

/** The URL of the metrics below that of the collector. */
const metricsUrl = (endpoint: string): string => {
  const url = new URL(endpoint)
  url.pathname = `${withoutSlashesAtEnd(url.pathname)}/v1/metrics`
  return url.toString()
}

/** Keeps what the exporter takes up to date: it takes what was read last. */
const keepReading = ({ intervalMillis }: TelemetrySettings) =>
  Effect.flatMap(MetricsReader, ({ refresh }) =>
    Effect.forever(Effect.andThen(refresh, Effect.sleep(Math.min(intervalMillis / 2, MOST_AGE_MILLIS))))
  )

/** Pushes again and again, for as long as the server works; loaded only where there is a collector. */
export const layerMetricsPush = (settings: TelemetrySettings) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { OtlpMetrics, OtlpSerialization } = yield* Effect.promise(() => import("effect/observability"))
      const { metrics, refresh } = yield* MetricsReader
      yield* refresh
      yield* Effect.forkScoped(keepReading(settings))
      const { protocol, headers, timeoutMillis, intervalMillis, serviceName, resource, endpoint } = settings
      return OtlpMetrics.layer({
        url: metricsUrl(endpoint),
        headers,
        exportInterval: intervalMillis,
        shutdownTimeout: LAST_PUSH,
        resource: { serviceName, serviceVersion: version, attributes: { ...resource } }
      }).pipe(
        Layer.provide(
          protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf
        ),
        Layer.provide(layerCollectorClient(timeoutMillis)),
        Layer.provide(Layer.succeedContext(metrics)),
        // What there is to read of the environment was read with the other settings.
        Layer.provide(Layer.succeed(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({})))
      )
    })
  )
