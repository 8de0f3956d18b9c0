/** The meters of the main thread, what reads those of all threads, and the port that shows them. */
import { MeterSet, Meters } from "@cairn/core/log"
import { Effect, Layer } from "effect"
import { serveMetrics } from "../metrics/MetricsPort.ts"
import { MetricsReader } from "../metrics/MetricsReader.ts"
import { SERVER_METRICS } from "../metrics/ServerFamilies.ts"
import { processMeters, threadMeters } from "../metrics/ThreadMeters.ts"
import type { Configuration } from "../settings/Configuration.ts"
import type { MetricsPushSettings } from "../settings/TelemetrySettings.ts"
import { version } from "../Version.ts"

/** The meters of a server, which are those of no other in the process. */
export const layerMeters = Layer.sync(Meters, () => new MeterSet())

/** What runs, as a metric. */
const buildInfo = ({ database }: Configuration, role: "all" | "api" | "worker") =>
  Effect.map(Meters, (meters) =>
    meters.observed(SERVER_METRICS.buildInfo, () => 1, {
      version,
      node: process.version,
      database: database.kind,
      role
    })
  )

/** The port without a token, if there is one. */
const layerPort = ({ metrics: { host, port } }: Configuration) =>
  port === null
    ? Layer.empty
    : Layer.effectDiscard(
        Effect.flatMap(serveMetrics({ host, port }), (taken) =>
          Effect.logInfo(`Metrics are at http://${host.includes(":") ? `[${host}]` : host}:${taken}/metrics`)
        )
      )

/** Pushing them, whose code is loaded only where there is a collector. */
const layerPush = (settings: MetricsPushSettings) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../metrics/MetricsPush.ts")),
      ({ layerMetricsPush }) => layerMetricsPush(settings)
    )
  )

/** Reading the metrics of all threads, over `layerMeters` and the ports. */
export const layerMetrics = (
  configuration: Configuration,
  role: "all" | "api" | "worker",
  channel: string
) => {
  const { metrics } = configuration.telemetry
  return layerPort(configuration).pipe(
    Layer.provideMerge(metrics === null ? Layer.empty : layerPush(metrics)),
    Layer.provideMerge(
      MetricsReader.layer({
        channel,
        threads: role === "api" ? ["log"] : ["log", "delivery"],
        inboxCapacity: configuration.inboxCapacity
      })
    ),
    Layer.merge(
      Layer.effectDiscard(Effect.all([threadMeters("main"), processMeters, buildInfo(configuration, role)]))
    )
  )
}
