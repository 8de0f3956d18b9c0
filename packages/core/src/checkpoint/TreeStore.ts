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
 * - `write` stores all of its tiles or none. A tile only grows: one that holds more hashes than the one given
 *   stays as it is.
 * - `leaves` counts the leaves in full tiles of level 0, which are written in order and without a gap.
 * - `read` leaves out the tiles that are not there.
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
