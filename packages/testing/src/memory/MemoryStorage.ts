/**
 * All ports of the core in memory: for tests, and for reading what the ports ask in the fewest words.
 *
 * Nothing outlives the layer. Every call is one synchronous step, so that nothing can come between its parts.
 */

import { TreeStore } from "@cairn/core/checkpoint"
import { TILE_WIDTH, type Tile } from "@cairn/core/merkle"
import { layerWorkspaces } from "@cairn/core/workspace"
import { Effect, Layer } from "effect"
import { layerAlerts } from "./MemoryAlerts.ts"
import { layerCheckpoints } from "./MemoryCheckpoints.ts"
import { layerCollections } from "./MemoryCollections.ts"
import { layerConsumers } from "./MemoryConsumers.ts"
import { ConsumptionTables } from "./MemoryConsumptionTables.ts"
import { layerContentRemoval, layerEventLog } from "./MemoryEventLog.ts"
import { layerExports } from "./MemoryExports.ts"
import { layerEventUsage, layerInbox } from "./MemoryInbox.ts"
import { layerOutbox } from "./MemoryOutbox.ts"
import { layerPeople } from "./MemoryPeople.ts"
import { MemoryTables } from "./MemoryTables.ts"
import { layerApiKeys, layerManagedWorkspaces } from "./MemoryWorkspaces.ts"

export { type MemoryLog, MemoryTables } from "./MemoryTables.ts"

/** Settings of the storage. */
export interface MemoryStorageOptions {
  /** Most events that may wait to be sequenced; unlimited unless set. */
  readonly inboxCapacity?: number
}

/** The tiles alone. */
export const layerTreeStore = Layer.sync(TreeStore, () => {
  const trees = new Map<string, Map<string, Tile>>()
  const treeOf = (workspaceId: string) => trees.get(workspaceId) ?? new Map<string, Tile>()
  const keyOf = (level: number, index: number) => `${level}/${index}`
  return TreeStore.of({
    leaves: (workspaceId) =>
      Effect.sync(
        () => Array.from(treeOf(workspaceId).values()).filter(({ level }) => level === 0).length * TILE_WIDTH
      ),
    read: (workspaceId, tiles) =>
      Effect.sync(() =>
        tiles.flatMap(({ level, index }) => treeOf(workspaceId).get(keyOf(level, index)) ?? [])
      ),
    write: (workspaceId, tiles) =>
      Effect.sync(() => {
        const tree = treeOf(workspaceId)
        for (const tile of tiles) {
          const key = keyOf(tile.level, tile.index)
          if ((tree.get(key)?.hashes.length ?? 0) < tile.hashes.length) tree.set(key, tile)
        }
        trees.set(workspaceId, tree)
      })
  })
})

/** The ports, and the tables beneath them. */
export const layer = (options: MemoryStorageOptions = {}) =>
  Layer.mergeAll(
    layerInbox(options.inboxCapacity ?? Number.POSITIVE_INFINITY),
    layerEventUsage,
    layerEventLog,
    layerContentRemoval,
    layerWorkspaces.pipe(Layer.provideMerge(layerManagedWorkspaces)),
    layerApiKeys,
    layerTreeStore,
    layerCheckpoints,
    Layer.mergeAll(layerConsumers, layerAlerts, layerOutbox).pipe(Layer.provide(ConsumptionTables.layer)),
    layerCollections,
    layerPeople,
    layerExports
  ).pipe(Layer.provideMerge(MemoryTables.layer))
