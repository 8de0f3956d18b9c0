/** Sequencing, reading and verifying the log. */

import { LogTree } from "@cairn/core/checkpoint"
import { EventCounts, EventFacets, EventHistogram, EventReader, Sequencer } from "@cairn/core/log"
import { ChainVerifier } from "@cairn/core/verification"
import { MaxmindGeoIp } from "@cairn/geo"
import { Layer } from "effect"
import type { ThreadConfig } from "../thread/ThreadConfig.ts"
import { layerStorage, type StorageConfig } from "./Storage.ts"

/** Sequencing, reading and verifying: the log thread, or a command that opens the database itself. */
export const layerLog = (config: StorageConfig & Pick<ThreadConfig, "geoipFiles">) =>
  Layer.mergeAll(
    Sequencer.layer,
    Layer.merge(EventReader.layer, EventHistogram.layer).pipe(Layer.provide(EventCounts.layer)),
    EventFacets.layer,
    ChainVerifier.layer,
    LogTree.layer
  ).pipe(
    Layer.provideMerge(MaxmindGeoIp.layer({ files: config.geoipFiles })),
    Layer.provideMerge(layerStorage({ ...config, watchesReplicas: true }))
  )
