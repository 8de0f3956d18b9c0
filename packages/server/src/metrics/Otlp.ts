/** How metrics and traces go to a collector: OTLP over HTTP. */
import { ConfigProvider, Effect, Layer } from "effect"
import type { OtlpTarget } from "../settings/TelemetrySettings.ts"
import { version } from "../Version.ts"
import { layerCollectorClient } from "./CollectorClient.ts"

/** How long a thread that stops waits for the last push. */
const LAST_PUSH_MILLIS = 1_000

/** What every exporter is made with. */
export const otlpOptions = ({ url, headers, serviceName, resource }: OtlpTarget) => ({
  url,
  headers,
  shutdownTimeout: LAST_PUSH_MILLIS,
  resource: { serviceName, serviceVersion: version, attributes: { ...resource } }
})

/** What the exporter of a signal pushes with; loaded only where there is a collector. */
export const layerOtlp = (signal: "metrics" | "traces", { protocol, timeoutMillis }: OtlpTarget) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("effect/observability")),
      ({ OtlpSerialization }) =>
        Layer.mergeAll(
          protocol === "http/json" ? OtlpSerialization.layerJson : OtlpSerialization.layerProtobuf,
          layerCollectorClient(signal, timeoutMillis),
          // What there is to read of the environment was read with the other settings.
          Layer.succeed(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({}))
        )
    )
  )
