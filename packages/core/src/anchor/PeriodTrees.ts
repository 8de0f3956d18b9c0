/**
 * Proofs within the Merkle tree of an anchor's period. A period begins anywhere in the log, so the log's own
 * tiles cannot be used: the tiles above the leaves are computed the first time a period is requested, and
 * kept for the periods that were requested last.
 */
import { Effect, Result } from "effect"
import { type DamagedTree, LEAVES_A_STEP, type LogTreeShape } from "../checkpoint/LogTree.ts"
import { BoundedMap } from "../encoding/BoundedMap.ts"
import type { Sha256Shape } from "../hashing/Sha256.ts"
import { HASH_BYTES } from "../hashing/Sha256.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { type InclusionProof, inclusionNodes, proveInclusion } from "../merkle/InclusionProof.ts"
import {
  edgesAbove,
  extendTiles,
  nodesOfTiles,
  TILE_WIDTH,
  type Tile,
  type TileAddress,
  tilesOf
} from "../merkle/TreeTiles.ts"
import type { StoredAnchor } from "./Anchors.ts"

/** Periods whose tiles are kept. One of a million events takes an eighth of a megabyte. */
const KEPT = 16

/** Full tiles made in one step. */
const TILES_A_STEP = LEAVES_A_STEP / TILE_WIDTH

/** Proofs within periods. */
export interface PeriodTrees {
  /**
   * Proves that an event of a period is in the tree of its anchor. Costs a few reads of 256 hashes and, the
   * first time for a period, one pass over its leaf hashes.
   */
  readonly inclusion: (
    anchor: StoredAnchor,
    sequence: number
  ) => Effect.Effect<InclusionProof, StorageUnavailable | DamagedTree>
}

const keyOf = ({ level, index }: TileAddress): string => `${level}/${index}`

/** The trees over the periods of a log's anchors. */
export const makePeriodTrees = (tree: LogTreeShape, sha256: Sha256Shape): PeriodTrees => {
  const kept = new BoundedMap<string, ReadonlyMap<string, Tile>>(KEPT)

  /** The leaf hashes from leaf `from` on, at most `count`, one after the other. */
  const leaves = (anchor: StoredAnchor, from: number, count: number) => {
    const first = anchor.firstSequence + from
    return tree.leaves(anchor.workspaceId, first, Math.min(first + count - 1, anchor.lastSequence))
  }

  const makeUpper = Effect.fnUntraced(function* (anchor: StoredAnchor) {
    const tiles = new Map<string, Tile>()
    const full = Math.floor((anchor.lastSequence - anchor.firstSequence + 1) / TILE_WIDTH)
    for (let first = 0; first < full; first += TILES_A_STEP) {
      const count = Math.min(TILES_A_STEP, full - first)
      const hashes = yield* leaves(anchor, first * TILE_WIDTH, count * TILE_WIDTH)
      const leafTiles = Array.from({ length: count }, (_, at): Tile => {
        const begin = at * TILE_WIDTH * HASH_BYTES
        return { level: 0, index: first + at, hashes: hashes.slice(begin, begin + TILE_WIDTH * HASH_BYTES) }
      })
      const edges = new Map(
        edgesAbove(first, count).map((address) => [keyOf(address), tiles.get(keyOf(address))])
      )
      const grown = extendTiles(sha256, leafTiles, (address) => edges.get(keyOf(address))?.hashes)
      for (const tile of yield* Effect.fromResult(grown)) if (tile.level > 0) tiles.set(keyOf(tile), tile)
      yield* Effect.yieldNow
    }
    return tiles
  })

  const upper = Effect.fnUntraced(function* (anchor: StoredAnchor) {
    const known = kept.get(anchor.id)
    if (known !== undefined) return known
    const made = yield* makeUpper(anchor)
    kept.set(anchor.id, made)
    return made
  })

  const inclusion = Effect.fnUntraced(
    function* (anchor: StoredAnchor, sequence: number) {
      const size = anchor.lastSequence - anchor.firstSequence + 1
      const index = sequence - anchor.firstSequence
      const tiles: Array<Tile> = []
      for (const address of tilesOf(Result.getOrElse(inclusionNodes(index, size), () => []))) {
        const tile =
          address.level === 0
            ? { ...address, hashes: yield* leaves(anchor, address.index * TILE_WIDTH, TILE_WIDTH) }
            : (yield* upper(anchor)).get(keyOf(address))
        if (tile !== undefined) tiles.push(tile)
      }
      return yield* Effect.fromResult(proveInclusion(sha256, nodesOfTiles(sha256, tiles), index, size))
    },
    Effect.catchTag("LeafOutOfRange", Effect.die)
  )

  return { inclusion }
}
