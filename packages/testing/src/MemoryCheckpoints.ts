/** Checkpoint keys and newest checkpoints in memory. */
import { type CheckpointKey, Checkpoints, type IssuedCheckpoint } from "@cairn/core"
import { Effect, Layer, Option } from "effect"

/** The store. */
export const layerCheckpoints = Layer.sync(Checkpoints, () => {
  const keys = new Map<number, CheckpointKey>()
  const newest = new Map<string, IssuedCheckpoint>()
  return Checkpoints.of({
    keys: Effect.sync(() => Array.from(keys.values()).sort((a, b) => b.number - a.number)),
    addKey: (key) =>
      Effect.sync(() => {
        if (keys.has(key.number)) return false
        keys.set(key.number, key)
        return true
      }),
    resealKey: (number, sealedSeed) =>
      Effect.sync(() => {
        const key = keys.get(number)
        if (key !== undefined) keys.set(number, { ...key, sealedSeed })
      }),
    newest: (workspaceId) => Effect.sync(() => Option.fromNullishOr(newest.get(workspaceId))),
    issue: (workspaceId, checkpoint) =>
      Effect.sync(() => {
        if ((newest.get(workspaceId)?.size ?? 0) <= checkpoint.size) newest.set(workspaceId, checkpoint)
      })
  })
})
