/** A channel on which the threads of a process speak. */
import { BroadcastChannel } from "node:worker_threads"
import { Effect } from "effect"

/** Opens the channel of this name for as long as the scope lasts. */
export const processChannel = (name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new BroadcastChannel(name)),
    (channel) => Effect.sync(() => channel.close())
  )
