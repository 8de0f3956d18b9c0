/** The traces of a thread, whose code is loaded only where there are any. */
import { Effect, Layer } from "effect"
import type { ThreadConfig } from "../thread/ThreadConfig.ts"

/** Tracing; nothing where there are no traces. */
export const layerTracing = (traces: ThreadConfig["traces"]) =>
  traces === null
    ? Layer.empty
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("../trace/ThreadTracing.ts")),
          ({ layerThreadTracing }) => layerThreadTracing(traces.target, traces.channel)
        )
      )
