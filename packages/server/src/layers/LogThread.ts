/** What the log thread does its work with. */
import { SentExports } from "@cairn/core/export"
import { RangeCounts } from "@cairn/core/log"
import { Layer } from "effect"
import { EventAnswers } from "../thread/EventAnswers.ts"
import type { ThreadConfig } from "../thread/ThreadConfig.ts"
import { layerReporting } from "../thread/ThreadReports.ts"
import * as TurnWatch from "../thread/TurnWatch.ts"
import { layerAnchoring } from "./Anchoring.ts"
import { layerLog } from "./Log.ts"
import { layerLogging } from "./Logging.ts"
import { layerProofs } from "./Proofs.ts"
import { layerReading } from "./Reading.ts"
import { layerTracing } from "./Tracing.ts"

/** The services of the log thread. */
export const layerLogThread = (config: ThreadConfig) =>
  Layer.mergeAll(layerAnchoring(config), EventAnswers.layer, SentExports.layer, RangeCounts.layer).pipe(
    Layer.provideMerge(layerProofs(config)),
    Layer.provideMerge(layerReading),
    Layer.provideMerge(layerLog(config)),
    Layer.provideMerge(TurnWatch.layer("log")),
    Layer.provideMerge(layerTracing(config.traces)),
    Layer.provideMerge(layerReporting("log", config.metrics)),
    Layer.provideMerge(layerLogging(config.logLevel))
  )
