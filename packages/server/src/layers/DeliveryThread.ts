/**
 * What the delivery thread does its work with; in a file of its own, so that only that thread loads what
 * sends.
 */
import { LogTree } from "@cairn/core/checkpoint"
import { EventCounts } from "@cairn/core/log"
import { Retention, RetentionNotices } from "@cairn/core/retention"
import { Layer } from "effect"
import type { DeliveryThreadConfig } from "../thread/DeliveryThreadConfig.ts"
import { layerReporting } from "../thread/ThreadReports.ts"
import * as TurnWatch from "../thread/TurnWatch.ts"
import { layerArchive } from "./Archive.ts"
import { layerExportMaking } from "./Exports.ts"
import { layerLogging } from "./Logging.ts"
import { layerEvidence } from "./Proofs.ts"
import { layerScheduledCheckpoints } from "./ScheduledCheckpoints.ts"
import { layerSelfVerification } from "./SelfVerification.ts"
import { layerSending } from "./Sending.ts"
import { layerTracing } from "./Tracing.ts"

/** The services of the delivery thread. */
export const layerDeliveryThread = (config: DeliveryThreadConfig) =>
  Layer.mergeAll(
    layerSelfVerification(config),
    layerScheduledCheckpoints(config),
    layerExportMaking({ ...config, store: config.exportStore }).pipe(
      Layer.provide(layerEvidence(config)),
      Layer.provide(LogTree.layer)
    ),
    RetentionNotices.layer({ mail: config.outbound.mail !== null }),
    Retention.layer.pipe(Layer.provide([EventCounts.layer, layerArchive(config.archiveStore)]))
  ).pipe(
    Layer.provideMerge(layerSending(config)),
    Layer.provideMerge(TurnWatch.layer("delivery")),
    Layer.provideMerge(layerTracing(config.traces)),
    Layer.provideMerge(layerReporting("delivery", config.metrics)),
    Layer.provideMerge(layerLogging(config.logLevel))
  )
