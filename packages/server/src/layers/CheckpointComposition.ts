/** Which layers make up the signing that the service does unasked. */
import { Announcer, LogTree, Micros, ScheduledCheckpoints } from "@cairn/core"
import { Layer } from "effect"
import type { ThreadConfig } from "../thread/ThreadConfig.ts"
import * as Composition from "./Composition.ts"

/** What signs unasked and tells of it, over the ports. Of a checkpoint no mail is sent. */
export const checkpointSide = ({
  checkpointEverySeconds,
  secretKeys
}: Pick<ThreadConfig, "secretKeys"> & { readonly checkpointEverySeconds: number }) =>
  ScheduledCheckpoints.layer({ every: Math.max(1, checkpointEverySeconds) * Micros.SECOND }).pipe(
    Layer.provide(Announcer.layer({ mail: false })),
    Layer.provide(Composition.proofSide({ secretKeys })),
    Layer.provide(LogTree.layer)
  )
