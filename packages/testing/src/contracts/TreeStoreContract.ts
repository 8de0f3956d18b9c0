/** What every adapter's `TreeStore` must do. */

import { TreeStore } from "@cairn/core/checkpoint"
import { TILE_WIDTH, type Tile } from "@cairn/core/merkle"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { makeWorkspace, type StorageLayer, storageTest } from "./StorageSteps.ts"

/** A tile of `count` hashes, whose bytes depend on the tile's place. */
const makeTile = (level: number, index: number, count = TILE_WIDTH): Tile => {
  const hashes = new Uint8Array(count * 32)
  for (let at = 0; at < count; at++) hashes.fill((level * 91 + index * 31 + at) % 256, at * 32, (at + 1) * 32)
  return { level, index, hashes }
}

const byPlace = (tiles: ReadonlyArray<Tile>): ReadonlyArray<Tile> =>
  tiles
    .map(({ level, index, hashes }) => ({ level, index, hashes: new Uint8Array(hashes) }))
    .sort((a, b) => a.level - b.level || a.index - b.index)

/** Registers the contract of `TreeStore` for the storage called `name`. */
export const treeStoreContract = (name: string, storage: StorageLayer): void => {
  const test = storageTest(storage)
  describe(`${name}: TreeStore`, () => {
    test(
      "an empty one has no leaves and no tiles",
      Effect.gen(function* () {
        const store = yield* TreeStore
        const workspaceId = yield* makeWorkspace
        assert.strictEqual(yield* store.leaves(workspaceId), 0)
        assert.deepStrictEqual(yield* store.read(workspaceId, [{ level: 0, index: 0 }]), [])
        assert.deepStrictEqual(yield* store.read(workspaceId, []), [])
      })
    )

    test(
      "tiles come back byte for byte, those that are asked for and no others",
      Effect.gen(function* () {
        const store = yield* TreeStore
        const workspaceId = yield* makeWorkspace
        const tiles = [makeTile(0, 0), makeTile(0, 1), makeTile(1, 0, 2), makeTile(3, 7, 1)]
        yield* store.write(workspaceId, tiles)
        assert.deepStrictEqual(
          byPlace(
            yield* store.read(workspaceId, [
              { level: 3, index: 7 },
              { level: 0, index: 1 },
              { level: 1, index: 1 }
            ])
          ),
          [makeTile(0, 1), makeTile(3, 7, 1)]
        )
        assert.strictEqual(yield* store.leaves(workspaceId), 2 * TILE_WIDTH)
      })
    )

    test(
      "a tile grows, and never shrinks or changes",
      Effect.gen(function* () {
        const store = yield* TreeStore
        const workspaceId = yield* makeWorkspace
        const place = { level: 1, index: 0 }
        yield* store.write(workspaceId, [makeTile(1, 0, 3)])
        yield* store.write(workspaceId, [makeTile(1, 0, 2)])
        assert.deepStrictEqual(byPlace(yield* store.read(workspaceId, [place])), [makeTile(1, 0, 3)])
        yield* store.write(workspaceId, [{ ...place, hashes: new Uint8Array(3 * 32) }])
        assert.deepStrictEqual(byPlace(yield* store.read(workspaceId, [place])), [makeTile(1, 0, 3)])
        yield* store.write(workspaceId, [makeTile(1, 0, 4)])
        assert.deepStrictEqual(byPlace(yield* store.read(workspaceId, [place])), [makeTile(1, 0, 4)])
      })
    )

    test(
      "workspaces have trees of their own",
      Effect.gen(function* () {
        const store = yield* TreeStore
        const [one, other] = [yield* makeWorkspace, yield* makeWorkspace]
        yield* store.write(one, [makeTile(0, 0)])
        assert.strictEqual(yield* store.leaves(other), 0)
        assert.deepStrictEqual(yield* store.read(other, [{ level: 0, index: 0 }]), [])
        yield* store.write(other, [makeTile(0, 0), makeTile(0, 1)])
        assert.strictEqual(yield* store.leaves(one), TILE_WIDTH)
        assert.strictEqual(yield* store.leaves(other), 2 * TILE_WIDTH)
      })
    )

    test(
      "two that write the same tiles at once leave them as each would have",
      Effect.gen(function* () {
        const store = yield* TreeStore
        const workspaceId = yield* makeWorkspace
        const tiles = [makeTile(0, 0), makeTile(1, 0, 1)]
        yield* Effect.all(
          Array.from({ length: 8 }, () => store.write(workspaceId, tiles)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          byPlace(
            yield* store.read(workspaceId, [
              { level: 0, index: 0 },
              { level: 1, index: 0 }
            ])
          ),
          tiles
        )
      })
    )
  })
}
