/**
 * The log thread notifies the delivery thread of logs that have grown, so that an alert does not wait for the
 * next look at all of them.
 */
import { Effect, Latch, Schema } from "effect"
import { processChannel } from "./ProcessChannel.ts"

/** Sends the ids, through a channel of the process. */
export const announceGrowth = (name: string) =>
  Effect.map(
    processChannel(name),
    (channel) =>
      (workspaceIds: ReadonlyArray<string>): Effect.Effect<void> =>
        workspaceIds.length === 0 ? Effect.void : Effect.sync(() => channel.postMessage(workspaceIds))
  )

const isIds = Schema.is(Schema.Struct({ data: Schema.Array(Schema.String) }))

/** Receives the ids. */
export const hearGrowth = Effect.fnUntraced(function* (name: string) {
  const channel = yield* processChannel(name)
  const latch = yield* Latch.make()
  const grown = new Set<string>()
  channel.onmessage = (message: unknown) => {
    if (!isIds(message)) return
    for (const id of message.data) grown.add(id)
    latch.openUnsafe()
  }
  return {
    /** The logs that have grown since the last call. */
    take: Effect.andThen(
      latch.close,
      Effect.sync(() => {
        const ids = [...grown]
        grown.clear()
        return ids
      })
    ),
    /** Notes one that is to be taken next time. */
    note: (workspaceId: string): Effect.Effect<void> =>
      Effect.sync(() => {
        grown.add(workspaceId)
        latch.openUnsafe()
      }),
    /** Waits until there is something to take. */
    wait: latch.await
  }
})

/** The logs that have grown. */
export type Growth = Effect.Success<ReturnType<typeof hearGrowth>>
