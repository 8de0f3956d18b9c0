/**
 * Port: the tiles of each workspace's log as one Merkle tree. They are derived from the log and hold nothing
 * of its content.
 */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import type { Tile, TileAddress } from "../merkle/TreeTiles.ts"

/**
 * Contract:
 *
 * - `write` stores all of its tiles or none. A tile only grows: a stored tile with more hashes than the given
 *   one is not changed.
 * - `leaves` counts the leaves in full tiles of level 0, which are written in order and without a gap.
 * - `read` leaves out missing tiles.
 */
interface TreeStoreShape {
  readonly leaves: (workspaceId: string) => Effect.Effect<number, StorageUnavailable>
  readonly read: (
    workspaceId: string,
    tiles: ReadonlyArray<TileAddress>
  ) => Effect.Effect<ReadonlyArray<Tile>, StorageUnavailable>
  readonly write: (workspaceId: string, tiles: ReadonlyArray<Tile>) => Effect.Effect<void, StorageUnavailable>
}

/** The tiles. */
export class TreeStore extends Context.Service<TreeStore, TreeStoreShape>()("@cairn/core/TreeStore") {}
