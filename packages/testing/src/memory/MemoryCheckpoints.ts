/** Checkpoint keys, newest and published checkpoints in memory. */
import {
  type CheckpointKey,
  Checkpoints,
  type IssuedCheckpoint,
  type PublishedCheckpoint
} from "@cairn/core/checkpoint"
import { Effect, Layer, Option } from "effect"

/** The store. */
export const layerCheckpoints = Layer.sync(Checkpoints, () => {
  const keys = new Map<number, CheckpointKey>()
  const newest = new Map<string, IssuedCheckpoint>()
  const published = new Map<string, ReadonlyArray<PublishedCheckpoint>>()
  /** By size. */
  const publishedOf = (workspaceId: string) => published.get(workspaceId) ?? []
  return Checkpoints.of({
    keys: Effect.sync(() => Array.from(keys.values()).sort((a, b) => b.number - a.number)),
    lastSigningKey: Effect.sync(() => Math.max(0, ...Array.from(newest.values(), (one) => one.keyNumber))),
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
      }),
    publish: (workspaceId, checkpoint) =>
      Effect.sync(() => {
        const all = publishedOf(workspaceId)
        if (all.some(({ size }) => size === checkpoint.size)) return
        published.set(
          workspaceId,
          [...all, checkpoint].sort((a, b) => a.size - b.size)
        )
      }),
    publishedAfter: (workspaceId, after, limit) =>
      Effect.sync(() =>
        publishedOf(workspaceId)
          .filter(({ size }) => size > after)
          .slice(0, limit)
      ),
    publishedPage: (workspaceId, { before, limit }) =>
      Effect.sync(() =>
        publishedOf(workspaceId)
          .filter(({ size }) => before === null || size < before)
          .toReversed()
          .slice(0, limit)
      ),
    publishedCount: (workspaceId) => Effect.sync(() => publishedOf(workspaceId).length)
  })
})
