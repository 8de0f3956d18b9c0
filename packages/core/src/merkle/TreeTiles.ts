/**
 * Tiles: a Merkle tree cut into squares of 256 hashes, so that it is stored in few rows and a proof reads few
 * of them (as in C2SP tlog-tiles).
 *
 * Tile `index` of level `level` holds, one after the other, the hashes of the complete subtrees of height
 * `8 · level` from number `256 · index` on. On level 0 those are leaf hashes. A tile only ever grows at its
 * end, and a full one never changes. The hashes between two levels are computed from the lower one.
 */
import { Result } from "effect"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { HASH_BYTES } from "../hashing/Sha256.ts"
import { MissingNode } from "./ProofError.ts"
import { nodeHashes, type TreeHash } from "./TreeHash.ts"
import type { NodeReader } from "./TreeNodes.ts"
import type { NodeAddress } from "./TreeShape.ts"

/** Levels of a tree from one tile level to the next. */
const TILE_HEIGHT = 8

/** Hashes in a full tile. */
export const TILE_WIDTH = 2 ** TILE_HEIGHT

/** Where a tile lies. */
export interface TileAddress {
  /** 0 for leaf hashes. */
  readonly level: number
  readonly index: number
}

/** A tile, full or partial. */
export interface Tile extends TileAddress {
  /** 32 bytes a hash, at most {@link TILE_WIDTH} of them. */
  readonly hashes: Uint8Array
}

/** The tile that holds a node's hash, or the hashes that it is computed from. */
const tileOf = ({ level, index }: NodeAddress): TileAddress => {
  const height = level % TILE_HEIGHT
  return { level: (level - height) / TILE_HEIGHT, index: Math.floor((index * 2 ** height) / TILE_WIDTH) }
}

const keyOf = ({ level, index }: TileAddress): string => `${level}/${index}`

/** The tiles that some nodes need, each once. */
export const tilesOf = (nodes: Iterable<NodeAddress>): ReadonlyArray<TileAddress> => {
  const tiles = new Map<string, TileAddress>()
  for (const node of nodes) {
    const tile = tileOf(node)
    tiles.set(keyOf(tile), tile)
  }
  return [...tiles.values()]
}

/** The hash of the complete subtree over `2^height` hashes from `position` on. */
const subtreeHash = (sha256: Sha256Shape, hashes: Uint8Array, position: number, height: number): TreeHash => {
  let level: Uint8Array = hashes.slice(position * HASH_BYTES, (position + 2 ** height) * HASH_BYTES)
  while (level.length > HASH_BYTES) level = nodeHashes(sha256, level)
  return level
}

/**
 * Reads nodes from tiles. Costs fewer than 256 SHA-256 a node, and none for a node that is stored in its
 * tile.
 */
export const nodesOfTiles = (sha256: Sha256Shape, tiles: Iterable<Tile>): NodeReader => {
  const known = new Map<string, Uint8Array>()
  for (const tile of tiles) known.set(keyOf(tile), tile.hashes)
  return (node) => {
    const hashes = known.get(keyOf(tileOf(node)))
    if (hashes === undefined) return undefined
    const height = node.level % TILE_HEIGHT
    const position = (node.index * 2 ** height) % TILE_WIDTH
    const end = (position + 2 ** height) * HASH_BYTES
    return end > hashes.length ? undefined : subtreeHash(sha256, hashes, position, height)
  }
}

const concat = (first: Uint8Array, second: Uint8Array): Uint8Array => {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

/**
 * The tiles that change when full tiles of leaf hashes are added: these tiles, and the tiles above that grow.
 *
 * `edge` returns the stored part of a tile above the first level, see `edgesAbove`. The result is a
 * failure if that part is too short. Costs 255 SHA-256 a full tile.
 */
export const extendTiles = (
  sha256: Sha256Shape,
  leafTiles: ReadonlyArray<Tile>,
  edge: (address: TileAddress) => Uint8Array | undefined
): Result.Result<ReadonlyArray<Tile>, MissingNode> => {
  const changed: Array<Tile> = [...leafTiles]
  for (let full = leafTiles; full.length > 0; ) {
    const grown = new Map<string, Tile>()
    for (const { level, index, hashes } of full) {
      const address = { level: level + 1, index: Math.floor(index / TILE_WIDTH) }
      const before = grown.get(keyOf(address))?.hashes ?? edge(address) ?? new Uint8Array(0)
      const end = (index % TILE_WIDTH) * HASH_BYTES
      if (before.length < end) {
        const height = address.level * TILE_HEIGHT
        return Result.fail(new MissingNode({ level: height, index: index - 1 }))
      }
      // A hash that is already there is not added again: another process may have added it.
      const root = subtreeHash(sha256, hashes, 0, TILE_HEIGHT)
      grown.set(keyOf(address), { ...address, hashes: concat(before.subarray(0, end), root) })
    }
    changed.push(...grown.values())
    full = [...grown.values()].filter(({ hashes }) => hashes.length === TILE_WIDTH * HASH_BYTES)
  }
  return Result.succeed(changed)
}

/** The tile that holds the hash of a full tile. */
export const tileAbove = ({ level, index }: TileAddress): TileAddress => ({
  level: level + 1,
  index: Math.floor(index / TILE_WIDTH)
})

/** Whether the hash of a full tile is the one stored in the tile above it. Costs 255 SHA-256. */
export const standsIn = (sha256: Sha256Shape, { index, hashes }: Tile, above: Uint8Array): boolean => {
  const begin = (index % TILE_WIDTH) * HASH_BYTES
  const root = subtreeHash(sha256, hashes, 0, TILE_HEIGHT)
  return root.every((byte, at) => byte === above[begin + at])
}

/**
 * The tiles above the first level that may grow when `count` leaf tiles are added from `first` on. {@link
 * extendTiles} needs their stored parts.
 */
export const edgesAbove = (first: number, count: number): ReadonlyArray<TileAddress> => {
  const edges: Array<TileAddress> = []
  let [from, to] = [first, first + count - 1]
  for (let level = 1; to > 0 || level === 1; level++) {
    from = Math.floor(from / TILE_WIDTH)
    to = Math.floor(to / TILE_WIDTH)
    for (let index = from; index <= to; index++) edges.push({ level, index })
  }
  return edges
}
