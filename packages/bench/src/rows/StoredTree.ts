/** Row 7, stored: an inclusion proof in a tree of ten million leaves, read from its tiles. */

import { LogTree, TreeStore } from "@cairn/core/checkpoint"
import { HASH_BYTES, Sha256, type Sha256Shape } from "@cairn/core/hashing"
import { extendTiles, TILE_WIDTH, type Tile, type TileAddress, verifyInclusion } from "@cairn/core/merkle"
import { Effect, Layer, ManagedRuntime, Result } from "effect"
import type { Bench } from "../Bench.ts"
import { boundedRow, type Row } from "../Row.ts"
import { newTenant } from "../ServerUnderTest.ts"
import { durations, quantile } from "../Timing.ts"

/** Leaves for each event that lists are measured on. */
const LEAVES_AN_EVENT = 10
/** Full tiles written in one transaction. */
const TILES_A_STEP = TILE_WIDTH
const PROOFS = 1_000

/** The leaf hash of an index: its number, which nothing but its place in the tree needs to be. */
const leafOf = (index: number): Uint8Array => {
  const hash = new Uint8Array(HASH_BYTES)
  new DataView(hash.buffer).setUint32(0, index)
  return hash
}

const leafTile = (index: number): Tile => {
  const hashes = new Uint8Array(TILE_WIDTH * HASH_BYTES)
  const view = new DataView(hashes.buffer)
  for (let leaf = 0; leaf < TILE_WIDTH; leaf++) view.setUint32(leaf * HASH_BYTES, index * TILE_WIDTH + leaf)
  return { level: 0, index, hashes }
}

/** Stores a tree of this many full tiles of leaves. */
const store = Effect.fnUntraced(function* (workspaceId: string, tiles: number, sha256: Sha256Shape) {
  const { write } = yield* TreeStore
  const edges = new Map<string, Uint8Array>()
  const nameOf = ({ level, index }: TileAddress) => `${level}/${index}`
  for (let first = 0; first < tiles; first += TILES_A_STEP) {
    const count = Math.min(TILES_A_STEP, tiles - first)
    const full = Array.from({ length: count }, (_, at) => leafTile(first + at))
    const changed = Result.getOrThrow(extendTiles(sha256, full, (edge) => edges.get(nameOf(edge))))
    for (const tile of changed) if (tile.level > 0) edges.set(nameOf(tile), tile.hashes)
    yield* write(workspaceId, changed)
  }
})

/** Measures it. */
export const storedTree = async ({ server, settings }: Bench): Promise<ReadonlyArray<Row>> => {
  const database = await server.newDatabase()
  const { workspaceId } = newTenant(database)
  const tiles = Math.ceil((settings.events * LEAVES_AN_EVENT) / TILE_WIDTH)
  const size = tiles * TILE_WIDTH
  const runtime = ManagedRuntime.make(
    LogTree.layer.pipe(Layer.provideMerge(Layer.merge(database.storage, Sha256.layer)))
  )
  const sha256 = await runtime.runPromise(Sha256)
  await runtime.runPromise(store(workspaceId, tiles, sha256))
  await database.settle()
  const { inclusion, root } = await runtime.runPromise(LogTree)
  const prove = (index: number) => runtime.runPromise(inclusion(workspaceId, index + 1, size))
  const samples = await durations(PROOFS, () => prove(Math.floor(Math.random() * size)), 50)
  const proof = await prove(size - 2)
  const expected = await runtime.runPromise(root(workspaceId, size))
  const proven = verifyInclusion(sha256, leafOf(size - 2), proof, expected)
  await runtime.dispose()
  await database.remove()
  const p99 = quantile(samples, 0.99)
  return [
    {
      ...boundedRow({
        number: "7",
        what: `one inclusion proof at ${size} leaves, from stored tiles, p99`,
        database: server.product,
        measured: p99,
        unit: "ms",
        atMost: 5,
        note: `p50 ${quantile(samples, 0.5).toFixed(2)} ms, ${proof.hashes.length} hashes`
      }),
      met: p99 <= 5 && Result.isSuccess(proven)
    }
  ]
}
