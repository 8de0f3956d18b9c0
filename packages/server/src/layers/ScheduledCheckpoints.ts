/** The checkpoints that the service signs on its own schedule. */

import { LogTree } from "@cairn/core/checkpoint"
import { Micros } from "@cairn/core/encoding"
import { Announcer, ScheduledCheckpoints } from "@cairn/core/outbound"
import { Layer } from "effect"
import type { ThreadConfig } from "../thread/ThreadConfig.ts"
import { layerProofs } from "./Proofs.ts"

/** Signs checkpoints and announces them, over the ports. No mail is sent for a checkpoint. */
export const layerScheduledCheckpoints = ({
  checkpointEverySeconds,
  secretKeys
}: Pick<ThreadConfig, "secretKeys"> & { readonly checkpointEverySeconds: number }) =>
  ScheduledCheckpoints.layer({ every: Math.max(1, checkpointEverySeconds) * Micros.SECOND }).pipe(
    Layer.provide(Announcer.layer({ mail: false })),
    Layer.provide(layerProofs({ secretKeys })),
    Layer.provide(LogTree.layer)
  )
