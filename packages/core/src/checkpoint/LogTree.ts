/**
 * A workspace's log as one Merkle tree (RFC 9162): leaf `i` is the event of sequence `i + 1`, its data the 32
 * bytes of the event's hash.
 *
 * The tree is a consumer of the log: full tiles are stored as the log grows, and the leaves of an incomplete
 * tile are read from the log.
 */
import { Context, Effect, Layer, Result } from "effect"
import { HASH_BYTES, Sha256 } from "../hashing/Sha256.ts"
import { EventLog } from "../log/EventLog.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { type ConsistencyProof, consistencyNodes, proveConsistency } from "../merkle/ConsistencyProof.ts"
import { frontierFromNodes } from "../merkle/FrontierProof.ts"
import { type InclusionProof, inclusionNodes, proveInclusion } from "../merkle/InclusionProof.ts"
import {
  type LeafOutOfRange,
  MissingNode,
  type SizesOutOfRange,
  type TreeSizeOutOfRange
} from "../merkle/ProofError.ts"
import { leafHashes, MalformedHash, type TreeHash, writeHex } from "../merkle/TreeHash.ts"
import { rootFromNodes } from "../merkle/TreeNodes.ts"
import { completeSubtrees, type NodeAddress } from "../merkle/TreeShape.ts"
import {
  edgesAbove,
  extendTiles,
  nodesOfTiles,
  standsIn,
  TILE_WIDTH,
  type Tile,
  type TileAddress,
  tileAbove,
  tilesOf
} from "../merkle/TreeTiles.ts"
import { TreeStore } from "./TreeStore.ts"

/** Full tiles stored in one step: about four thousand events. */
const TILES_A_STEP = 16

/** Most leaves to request from {@link LogTreeShape.leaves} at once: half a megabyte. */
export const LEAVES_A_STEP = 64 * TILE_WIDTH

/** No tree can be made of the log or of its stored tiles: somebody changed them. */
export type DamagedTree = MissingNode | MalformedHash

/** The use case of this module. Every size is one the log has reached. */
export interface LogTreeShape {
  /** Stores the next full tiles and returns how many events they hold; 0 if there are no more. */
  readonly advance: (workspaceId: string) => Effect.Effect<number, StorageUnavailable | DamagedTree>
  /**
   * The leaf hashes of the events from sequence `from`, at least 1, to `to`, one after the other. Stored
   * tiles are read instead of events, so changes to the log since then are not included. Costs one SHA-256 a
   * leaf, to check that no tile was changed.
   */
  readonly leaves: (
    workspaceId: string,
    from: number,
    to: number
  ) => Effect.Effect<Uint8Array, StorageUnavailable | DamagedTree>
  /** The root at a size. Costs a few reads of 8 KiB. */
  readonly root: (
    workspaceId: string,
    size: number
  ) => Effect.Effect<TreeHash, TreeSizeOutOfRange | StorageUnavailable | DamagedTree>
  /** The compact frontier at a size, largest subtree first; empty for size 0 or less. */
  readonly frontier: (
    workspaceId: string,
    size: number
  ) => Effect.Effect<ReadonlyArray<TreeHash>, StorageUnavailable | DamagedTree>
  /** Proves that the event with a sequence is in the tree of a size. */
  readonly inclusion: (
    workspaceId: string,
    sequence: number,
    size: number
  ) => Effect.Effect<InclusionProof, LeafOutOfRange | StorageUnavailable | DamagedTree>
  /** Proves that the tree of one size begins with the tree of an earlier size. */
  readonly consistency: (
    workspaceId: string,
    firstSize: number,
    secondSize: number
  ) => Effect.Effect<ConsistencyProof, SizesOutOfRange | StorageUnavailable | DamagedTree>
}

/** What the tree needs. */
interface LogTreeContext {
  readonly log: EventLog["Service"]
  readonly store: TreeStore["Service"]
  readonly sha256: Sha256["Service"]
}

/** The leaf hashes of the events from `from` to `to`, read from the log itself; fewer if one is missing. */
const leavesOfLog = Effect.fnUntraced(function* (
  { log, sha256 }: LogTreeContext,
  workspaceId: string,
  from: number,
  to: number
) {
  const hashes = yield* log.hashes(workspaceId, from, to)
  const data = new Uint8Array(hashes.length * HASH_BYTES)
  for (const [at, hash] of hashes.entries()) {
    if (writeHex(hash, data, at * HASH_BYTES)) continue
    return yield* new MalformedHash({ part: "leaf_data", position: from - 1 + at, length: hash.length })
  }
  return leafHashes(sha256, data)
})

/**
 * The full tiles of the events from `from` to `to`, in order, up to the first that is not stored or does not
 * match the hash in the tile above it. The log is read from there on.
 */
const fullTiles = Effect.fnUntraced(function* (
  { store, sha256 }: LogTreeContext,
  workspaceId: string,
  from: number,
  to: number
) {
  const first = Math.floor((from - 1) / TILE_WIDTH)
  const count = Math.floor((to - 1) / TILE_WIDTH) - first + 1
  const addresses = Array.from({ length: count }, (_, at) => ({ level: 0, index: first + at }))
  const above = new Set(addresses.map((address) => tileAbove(address).index))
  const upper = Array.from(above, (index) => ({ level: 1, index }))
  const found = yield* store.read(workspaceId, [...addresses, ...upper])
  const stored = ({ level, index }: TileAddress) =>
    found.find((tile) => tile.level === level && tile.index === index)
  const tiles: Array<Uint8Array> = []
  for (const address of addresses) {
    const [tile, upperTile] = [stored(address), stored(tileAbove(address))]
    if (tile === undefined || upperTile === undefined) break
    if (tile.hashes.length !== TILE_WIDTH * HASH_BYTES || !standsIn(sha256, tile, upperTile.hashes)) break
    tiles.push(tile.hashes)
  }
  return { first: first * TILE_WIDTH + 1, tiles }
})

const leaves = Effect.fnUntraced(function* (
  context: LogTreeContext,
  workspaceId: string,
  from: number,
  to: number
) {
  const all = new Uint8Array((to - from + 1) * HASH_BYTES)
  const { first, tiles } = yield* fullTiles(context, workspaceId, from, to)
  let next = from
  for (const [at, tile] of tiles.entries()) {
    const begin = first + at * TILE_WIDTH
    const end = Math.min(begin + TILE_WIDTH - 1, to)
    const held = tile.subarray((next - begin) * HASH_BYTES, (end - begin + 1) * HASH_BYTES)
    all.set(held, (next - from) * HASH_BYTES)
    next = end + 1
  }
  if (next > to) return all
  const rest = yield* leavesOfLog(context, workspaceId, next, to)
  const count = rest.length / HASH_BYTES
  if (next + count <= to) return yield* new MissingNode({ level: 0, index: next - 1 + count })
  all.set(rest, (next - from) * HASH_BYTES)
  return all
})

const advance = Effect.fnUntraced(function* (context: LogTreeContext, workspaceId: string) {
  const { log, store, sha256 } = context
  const { sequence } = yield* log.head(workspaceId)
  const stored = yield* store.leaves(workspaceId)
  const count = Math.min(TILES_A_STEP, Math.floor((sequence - stored) / TILE_WIDTH))
  if (count <= 0) return 0
  const hashes = yield* leavesOfLog(context, workspaceId, stored + 1, stored + count * TILE_WIDTH)
  const missing = stored + hashes.length / HASH_BYTES
  if (missing < stored + count * TILE_WIDTH) return yield* new MissingNode({ level: 0, index: missing })
  const first = stored / TILE_WIDTH
  const leafTiles = Array.from({ length: count }, (_, at): Tile => {
    const begin = at * TILE_WIDTH * HASH_BYTES
    return { level: 0, index: first + at, hashes: hashes.slice(begin, begin + TILE_WIDTH * HASH_BYTES) }
  })
  const edges = yield* store.read(workspaceId, edgesAbove(first, count))
  const edge = (address: { readonly level: number; readonly index: number }) =>
    edges.find(({ level, index }) => level === address.level && index === address.index)?.hashes
  yield* store.write(workspaceId, yield* Effect.fromResult(extendTiles(sha256, leafTiles, edge)))
  return count * TILE_WIDTH
})

/**
 * A reader of the nodes. Nodes over leaves of an incomplete tile, or of a tile that is not stored yet, are
 * computed from the log.
 */
const readNodes = Effect.fnUntraced(function* (
  context: LogTreeContext,
  workspaceId: string,
  nodes: ReadonlyArray<NodeAddress>
) {
  const { store, sha256 } = context
  const wanted = tilesOf(nodes)
  // A node of an upper level is computed from stored tiles only: reading all events that it covers could take
  // minutes. Nothing is written for nodes that are stored: a database that is behind takes no writes.
  const upper = nodes.filter(({ level }) => 2 ** level >= TILE_WIDTH)
  const needed = upper.reduce((most, { level, index }) => Math.max(most, (index + 1) * 2 ** level), 0)
  if (needed > 0 && (yield* store.leaves(workspaceId)) < needed) {
    while ((yield* advance(context, workspaceId)) > 0) yield* Effect.yieldNow
  }
  const tiles = [...(yield* store.read(workspaceId, wanted))]
  const stored = new Set(tiles.filter(({ level }) => level === 0).map(({ index }) => index))
  for (const { level, index } of wanted) {
    if (level > 0 || stored.has(index)) continue
    tiles.push({
      level,
      index,
      hashes: yield* leavesOfLog(context, workspaceId, index * TILE_WIDTH + 1, (index + 1) * TILE_WIDTH)
    })
  }
  return nodesOfTiles(sha256, tiles)
})

const root = Effect.fnUntraced(function* (context: LogTreeContext, workspaceId: string, size: number) {
  const { sha256 } = context
  const nodes = Number.isSafeInteger(size) && size > 0 ? completeSubtrees({ start: 0, end: size }) : []
  const read = yield* readNodes(context, workspaceId, nodes)
  return yield* Effect.fromResult(rootFromNodes(sha256, read, size))
})

const frontier = Effect.fnUntraced(
  function* (context: LogTreeContext, workspaceId: string, size: number) {
    if (size <= 0) return []
    const read = yield* readNodes(context, workspaceId, completeSubtrees({ start: 0, end: size }))
    return (yield* Effect.fromResult(frontierFromNodes(read, size))).hashes
  },
  Effect.catchTag(["TreeSizeOutOfRange", "FrontierMismatch"], Effect.die)
)

const inclusion = Effect.fnUntraced(function* (
  context: LogTreeContext,
  workspaceId: string,
  sequence: number,
  size: number
) {
  const { sha256 } = context
  const nodes = Result.getOrElse(inclusionNodes(sequence - 1, size), () => [])
  const read = yield* readNodes(context, workspaceId, nodes)
  return yield* Effect.fromResult(proveInclusion(sha256, read, sequence - 1, size))
})

const consistency = Effect.fnUntraced(function* (
  context: LogTreeContext,
  workspaceId: string,
  firstSize: number,
  secondSize: number
) {
  const { sha256 } = context
  const nodes = Result.getOrElse(consistencyNodes(firstSize, secondSize), () => [])
  const read = yield* readNodes(context, workspaceId, nodes)
  return yield* Effect.fromResult(proveConsistency(sha256, read, firstSize, secondSize))
})

/** The tree, from a log and its tiles. */
export class LogTree extends Context.Service<LogTree, LogTreeShape>()("@cairn/core/LogTree") {
  static readonly layer = Layer.effect(
    LogTree,
    Effect.gen(function* () {
      const context: LogTreeContext = { log: yield* EventLog, store: yield* TreeStore, sha256: yield* Sha256 }
      return LogTree.of({
        advance: (workspaceId) => advance(context, workspaceId),
        leaves: (workspaceId, from, to) => leaves(context, workspaceId, from, to),
        root: (workspaceId, size) => root(context, workspaceId, size),
        frontier: (workspaceId, size) => frontier(context, workspaceId, size),
        inclusion: (workspaceId, sequence, size) => inclusion(context, workspaceId, sequence, size),
        consistency: (workspaceId, firstSize, secondSize) =>
          consistency(context, workspaceId, firstSize, secondSize)
      })
    })
  )
}
