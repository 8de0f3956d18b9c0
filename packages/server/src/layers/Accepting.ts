/** Accepting events, and managing workspaces and their keys. */

import { AnchorReader } from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import { Acceptance } from "@cairn/core/log"
import { ApiKeyManagement, ManagementEvents, UsageReader, WorkspaceManagement } from "@cairn/core/management"
import { VerificationStatus } from "@cairn/core/verification"
import { Layer } from "effect"
import * as WriteHealth from "../http/plumbing/WriteHealth.ts"
import { layerApiKeyHasher } from "../secret/ApiKeyHasher.ts"
import { layerStorage, type StorageConfig } from "./Storage.ts"

/** Of retention, how long until a shorter one takes effect; and how logs are named. */
export interface RetentionConfig {
  readonly retentionDelayDays: number
  /** What the logs of new workspaces are named after; null for `cairn`. */
  readonly logOrigin?: string | null
}

/** Accepting and managing: the main thread, or a command. */
export const layerAccepting = (config: StorageConfig & RetentionConfig) =>
  Layer.mergeAll(
    WorkspaceManagement.layer({
      retentionDelay: config.retentionDelayDays * Micros.DAY,
      logOrigin: config.logOrigin ?? null
    }),
    ApiKeyManagement.layer,
    AnchorReader.layer,
    UsageReader.layer,
    VerificationStatus.layer
  ).pipe(
    Layer.provide([ManagementEvents.layer, layerApiKeyHasher]),
    Layer.provideMerge(Acceptance.layer),
    Layer.provideMerge(WriteHealth.layer),
    Layer.provideMerge(layerStorage(config))
  )
