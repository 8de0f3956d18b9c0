/**
 * A workspace's log as one Merkle tree (RFC 9162): leaf `i` is the event of sequence `i + 1`, its data the 32 bytes of the event's hash.
 *
 * The tree is a consumer of the log: full tiles are stored as the log grows, and what has not filled one is read from the log.
 */
import { Context, Effect, Layer, Result } from "effect"
import { type ConsistencyProof, consistencyNodes, proveConsistency } from "./ConsistencyProof.ts"
import { EventLog } from "./EventLog.ts"
import { frontierFromNodes } from "./FrontierProof.ts"
import { type InclusionProof, inclusionNodes, proveInclusion } from "./InclusionProof.ts"
import {
  type LeafOutOfRange,
  MissingNode,
  type SizesOutOfRange,
  type TreeSizeOutOfRange
} from "./ProofError.ts"
import { Sha256 } from "./Sha256.ts"
import type { StorageUnavailable } from "./Storage.ts"
import { HASH_BYTES, leafHashes, MalformedHash, type TreeHash, writeHex } from "./TreeHash.ts"
import { rootFromNodes } from "./TreeNodes.ts"
import { completeSubtrees, type NodeAddress } from "./TreeShape.ts"
import { TreeStore } from "./TreeStore.ts"
import { edgesAbove, extendTiles, nodesOfTiles, TILE_WIDTH, type Tile, tilesOf } from "./TreeTiles.ts"

/** Full tiles stored in one step: about a thousand events. */
const TILES_A_STEP = 4

/** The log, or what is stored of its tree, is not what a tree can be made of: someone changed it. */
export type DamagedTree = MissingNode | MalformedHash

/** The use case. Every size is one the log has reached. */
export interface LogTreeShape {
  /** Stores the next full tiles; answers how many events they hold, 0 when there are no more. */
  readonly advance: (workspaceId: string) => Effect.Effect<number, StorageUnavailable | DamagedTree>
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
  /** That the event of a sequence stands in the tree of a size. */
  readonly inclusion: (
    workspaceId: string,
    sequence: number,
    size: number
  ) => Effect.Effect<InclusionProof, LeafOutOfRange | StorageUnavailable | DamagedTree>
  /** That the tree of one size begins with the tree of an earlier one. */
  readonly consistency: (
    workspaceId: string,
    firstSize: number,
    secondSize: number
  ) => Effect.Effect<ConsistencyProof, SizesOutOfRange | StorageUnavailable | DamagedTree>
}

/** The tree over a log and its tiles. */
export class LogTree extends Context.Service<LogTree, LogTreeShape>()("@cairn/core/LogTree") {
  static readonly layer = Layer.effect(
    LogTree,
    Effect.gen(function* () {
      const log = yield* EventLog
      const store = yield* TreeStore
      const sha256 = yield* Sha256

      /** The leaf hashes of the events from leaf `from` on, at most `count`, one after the other. */
      const leavesFrom = Effect.fnUntraced(function* (workspaceId: string, from: number, count: number) {
        const events = yield* log.entries(workspaceId, from + 1, count)
        const data = new Uint8Array(events.length * HASH_BYTES)
        for (const [at, { sequence, eventHash }] of events.entries()) {
          if (sequence !== from + 1 + at) return yield* new MissingNode({ level: 0, index: from + at })
          const text = eventHash ?? ""
          if (writeHex(text, data, at * HASH_BYTES)) continue
          return yield* new MalformedHash({ part: "leaf_data", position: from + at, length: text.length })
        }
        return leafHashes(sha256, data)
      })

      const advance = Effect.fnUntraced(function* (workspaceId: string) {
        const { sequence } = yield* log.head(workspaceId)
        const stored = yield* store.leaves(workspaceId)
        const count = Math.min(TILES_A_STEP, Math.floor((sequence - stored) / TILE_WIDTH))
        if (count <= 0) return 0
        const hashes = yield* leavesFrom(workspaceId, stored, count * TILE_WIDTH)
        const first = stored / TILE_WIDTH
        const full = Math.floor(hashes.length / HASH_BYTES / TILE_WIDTH)
        const leafTiles = Array.from({ length: full }, (_, at): Tile => {
          const begin = at * TILE_WIDTH * HASH_BYTES
          return { level: 0, index: first + at, hashes: hashes.slice(begin, begin + TILE_WIDTH * HASH_BYTES) }
        })
        if (full === 0) return 0
        const edges = yield* store.read(workspaceId, edgesAbove(first, full))
        const edge = (address: { readonly level: number; readonly index: number }) =>
          edges.find(({ level, index }) => level === address.level && index === address.index)?.hashes
        yield* store.write(workspaceId, yield* Effect.fromResult(extendTiles(sha256, leafTiles, edge)))
        return full * TILE_WIDTH
      })

      /** A reader of the nodes. Those over leaves that have not filled a tile, or whose tile is not stored yet, come from the log. */
      const readNodes = Effect.fnUntraced(function* (workspaceId: string, nodes: ReadonlyArray<NodeAddress>) {
        const wanted = tilesOf(nodes)
        // A node of an upper level is made from stored tiles only: rereading all that it covers could take minutes.
        if (wanted.some(({ level }) => level > 0)) {
          while ((yield* advance(workspaceId)) > 0) yield* Effect.yieldNow
        }
        const tiles = [...(yield* store.read(workspaceId, wanted))]
        const stored = new Set(tiles.filter(({ level }) => level === 0).map(({ index }) => index))
        for (const { level, index } of wanted) {
          if (level > 0 || stored.has(index)) continue
          tiles.push({
            level,
            index,
            hashes: yield* leavesFrom(workspaceId, index * TILE_WIDTH, TILE_WIDTH)
          })
        }
        return nodesOfTiles(sha256, tiles)
      })

      const root = Effect.fnUntraced(function* (workspaceId: string, size: number) {
        const nodes = Number.isSafeInteger(size) && size > 0 ? completeSubtrees({ start: 0, end: size }) : []
        const read = yield* readNodes(workspaceId, nodes)
        return yield* Effect.fromResult(rootFromNodes(sha256, read, size))
      })

      const frontier = Effect.fnUntraced(
        function* (workspaceId: string, size: number) {
          if (size <= 0) return []
          const read = yield* readNodes(workspaceId, completeSubtrees({ start: 0, end: size }))
          return (yield* Effect.fromResult(frontierFromNodes(read, size))).hashes
        },
        Effect.catchTag(["TreeSizeOutOfRange", "FrontierMismatch"], Effect.die)
      )

      const inclusion = Effect.fnUntraced(function* (workspaceId: string, sequence: number, size: number) {
        const nodes = Result.getOrElse(inclusionNodes(sequence - 1, size), () => [])
        const read = yield* readNodes(workspaceId, nodes)
        return yield* Effect.fromResult(proveInclusion(sha256, read, sequence - 1, size))
      })

      const consistency = Effect.fnUntraced(function* (
        workspaceId: string,
        firstSize: number,
        secondSize: number
      ) {
        const nodes = Result.getOrElse(consistencyNodes(firstSize, secondSize), () => [])
        const read = yield* readNodes(workspaceId, nodes)
        return yield* Effect.fromResult(proveConsistency(sha256, read, firstSize, secondSize))
      })

      return LogTree.of({ advance, root, frontier, inclusion, consistency })
    })
  )
}
