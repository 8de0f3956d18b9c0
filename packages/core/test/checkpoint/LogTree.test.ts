import { createHash } from "node:crypto"
import { LogTree, TreeStore } from "@cairn/core/checkpoint"
import { nativeSha256, portableSha256, Sha256 } from "@cairn/core/hashing"
import { EventLog, type EventLogShape } from "@cairn/core/log"
import {
  hashFromHex,
  leafHash,
  merkleRoot,
  TILE_WIDTH,
  verifyConsistency,
  verifyInclusion
} from "@cairn/core/merkle"
import { MemoryStorage } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { emptyRoot } from "../../src/merkle/TreeHash.ts"

const workspaceId = "wsp_1"
const sha256 = nativeSha256 ?? portableSha256

const hashOf = (sequence: number): string => createHash("sha256").update(`event ${sequence}`).digest("hex")
const dataOf = (sequence: number): Uint8Array => Result.getOrThrow(hashFromHex(hashOf(sequence), "leaf_data"))

/** How long the log is, what was read of it, and what someone changed in it. */
class Script extends Context.Service<
  Script,
  { size: number; read: number; readonly changed: Map<number, string | undefined> }
>()("Script") {}

const log = Layer.effect(
  EventLog,
  Effect.map(Script, (script) => {
    const nothing = () => Effect.die(new Error("not for a tree"))
    const shape: Partial<EventLogShape> = {
      head: () =>
        Effect.sync(() => ({
          sequence: script.size,
          eventHash: hashOf(script.size),
          eventId: String(script.size),
          createdAt: script.size,
          legacy: null
        })),
      hashes: (_, from, to) =>
        Effect.sync(() => {
          const hashes: Array<string> = []
          for (let sequence = from; sequence <= Math.min(to, script.size); sequence++) {
            const hash = script.changed.has(sequence) ? script.changed.get(sequence) : hashOf(sequence)
            if (hash === undefined) break
            hashes.push(hash)
          }
          script.read += hashes.length
          return hashes
        })
    }
    return EventLog.of({
      append: nothing,
      waiting: nothing(),
      importLegacy: nothing,
      get: nothing,
      page: nothing,
      occurrences: nothing,
      occurrenceCounts: nothing,
      entriesOf: nothing,
      moments: nothing,
      count: nothing,
      facets: nothing,
      occurrenceFacets: nothing,
      sequenceAt: nothing,
      sequenceBefore: nothing,
      head: nothing,
      newestTime: Effect.succeed(0),
      unreachable: Effect.succeed(new Set()),
      storedHead: nothing,
      entries: nothing,
      hashes: nothing,
      ...shape
    })
  })
)

const tree = (size: number) =>
  LogTree.layer.pipe(
    Layer.provideMerge(log),
    Layer.provideMerge(
      Layer.mergeAll(
        Sha256.layer,
        Layer.fresh(MemoryStorage.layerTreeStore),
        Layer.sync(Script, () => ({ size, read: 0, changed: new Map() }))
      )
    )
  )

const rootOf = (size: number): Uint8Array =>
  merkleRoot(
    sha256,
    Array.from({ length: size }, (_, index) => dataOf(index + 1))
  )

const catchUp = Effect.flatMap(LogTree, ({ advance }) =>
  Effect.repeat(advance(workspaceId), { while: (count) => count > 0 })
)

/** Sizes at and around the edges of tiles. */
const SIZES = [1, 2, 3, 255, 256, 257, 511, 512, 513, 1_000, 1_279, 1_280, 2_049]

describe("the tree of a log", () => {
  for (const size of SIZES) {
    it.effect(`has the root of RFC 9162 at ${size} events, and at every earlier size of those`, () =>
      Effect.gen(function* () {
        const { root } = yield* LogTree
        yield* catchUp
        for (const earlier of SIZES.filter((other) => other <= size)) {
          assert.deepStrictEqual(yield* root(workspaceId, earlier), rootOf(earlier), `at ${earlier}`)
        }
      }).pipe(Effect.provide(tree(size)))
    )
  }

  it.effect("is read at a size whose tiles are stored without a write, though the log has grown", () =>
    Effect.gen(function* () {
      const { root } = yield* LogTree
      yield* catchUp
      const script = yield* Script
      script.size = 2_000
      assert.deepStrictEqual(yield* root(workspaceId, 1_100), rootOf(1_100))
      assert.strictEqual(yield* (yield* TreeStore).leaves(workspaceId), 1_024)
      assert.deepStrictEqual(yield* root(workspaceId, 2_000), rootOf(2_000))
      assert.strictEqual(yield* (yield* TreeStore).leaves(workspaceId), 1_792)
    }).pipe(Effect.provide(tree(1_100)))
  )

  it.effect("of no events is the empty tree", () =>
    Effect.gen(function* () {
      const { root } = yield* LogTree
      assert.deepStrictEqual(yield* root(workspaceId, 0), emptyRoot(sha256))
    }).pipe(Effect.provide(tree(0)))
  )

  it.effect("proves each of some events at each of some sizes", () =>
    Effect.gen(function* () {
      const { inclusion, root } = yield* LogTree
      for (const size of [1, 256, 700, 1_500]) {
        const expected = yield* root(workspaceId, size)
        for (const sequence of [1, 2, 200, 256, 257, 512, 699, 700, 1_281, 1_500]) {
          if (sequence > size) continue
          const proof = yield* inclusion(workspaceId, sequence, size)
          const leaf = leafHash(sha256, dataOf(sequence))
          assert.isTrue(
            Result.isSuccess(verifyInclusion(sha256, leaf, proof, expected)),
            `${sequence}/${size}`
          )
        }
      }
    }).pipe(Effect.provide(tree(1_500)))
  )

  it.effect("proves that each size continues an earlier one", () =>
    Effect.gen(function* () {
      const { consistency, root } = yield* LogTree
      for (const [first, second] of [
        [1, 2],
        [255, 256],
        [256, 257],
        [300, 1_500],
        [512, 1_024],
        [1_500, 1_500]
      ] as const) {
        const proof = yield* consistency(workspaceId, first, second)
        const [one, other] = [yield* root(workspaceId, first), yield* root(workspaceId, second)]
        assert.isTrue(Result.isSuccess(verifyConsistency(sha256, one, other, proof)), `${first} in ${second}`)
      }
    }).pipe(Effect.provide(tree(1_500)))
  )

  it.effect("grows with the log, each event read once", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const store = yield* TreeStore
      for (const size of [100, 256, 300, 5_000, 5_001, 70_000]) {
        script.size = size
        yield* catchUp
        assert.strictEqual(yield* store.leaves(workspaceId), size - (size % TILE_WIDTH))
      }
      assert.strictEqual(script.read, 70_000 - (70_000 % TILE_WIDTH))
      assert.deepStrictEqual(yield* (yield* LogTree).root(workspaceId, 70_000), rootOf(70_000))
    }).pipe(Effect.provide(tree(0)))
  )

  it.effect("answers from a few tiles, and no more of the log than has not filled one", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { inclusion, consistency } = yield* LogTree
      yield* catchUp
      script.read = 0
      yield* inclusion(workspaceId, 12_345, 66_000)
      yield* consistency(workspaceId, 40_000, 66_000)
      assert.isAtMost(script.read, 3 * TILE_WIDTH)
    }).pipe(Effect.provide(tree(66_000)))
  )

  it.effect("answers before anything of it was stored", () =>
    Effect.gen(function* () {
      const { root } = yield* LogTree
      assert.deepStrictEqual(yield* root(workspaceId, 3_000), rootOf(3_000))
    }).pipe(Effect.provide(tree(3_000)))
  )

  it.effect("is the same when two processes store it at once", () =>
    Effect.gen(function* () {
      const { advance, root } = yield* LogTree
      const all = Effect.repeat(advance(workspaceId), { while: (count) => count > 0 })
      yield* Effect.all([all, all, all], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* root(workspaceId, 3_000), rootOf(3_000))
    }).pipe(Effect.provide(tree(3_000)))
  )

  it.effect("is not made of a log with a gap, nor of an event without a hash", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { root, advance } = yield* LogTree
      script.changed.set(100, undefined)
      const gap = yield* Effect.flip(root(workspaceId, 200))
      assert.strictEqual(gap._tag, "MissingNode")
      assert.strictEqual((yield* Effect.flip(advance(workspaceId)))._tag, "MissingNode")
      script.changed.set(100, "")
      assert.strictEqual((yield* Effect.flip(root(workspaceId, 200)))._tag, "MalformedHash")
      assert.strictEqual(yield* (yield* TreeStore).leaves(workspaceId), 0)
    }).pipe(Effect.provide(tree(300)))
  )

  it.effect("gives the leaf hashes of any range, stored or not", () =>
    Effect.gen(function* () {
      const { leaves, advance } = yield* LogTree
      const expected = (from: number, to: number) =>
        Buffer.concat(
          Array.from({ length: to - from + 1 }, (_, at) => leafHash(sha256, dataOf(from + at)))
        ).toString("hex")
      const ranges = [
        [1, 1],
        [1, 1_300],
        [1, 256],
        [2, 257],
        [256, 257],
        [257, 512],
        [300, 1_024],
        [1_000, 1_025],
        [1_024, 1_300],
        [1_025, 1_300]
      ] as const
      for (const when of ["before", "after"]) {
        for (const [from, to] of ranges) {
          const found = Buffer.from(yield* leaves(workspaceId, from, to)).toString("hex")
          assert.strictEqual(found, expected(from, to), `${from} to ${to} ${when} they are stored`)
        }
        yield* advance(workspaceId)
      }
      const beyond = yield* Effect.flip(leaves(workspaceId, 1_200, 1_301))
      assert.deepInclude(beyond, { _tag: "MissingNode", level: 0, index: 1_300 })
    }).pipe(Effect.provide(tree(1_300)))
  )

  it.effect("keeps the leaves that it has stored, whatever is done to the log", () =>
    Effect.gen(function* () {
      const script = yield* Script
      const { leaves } = yield* LogTree
      yield* catchUp
      const before = yield* leaves(workspaceId, 1, 512)
      script.read = 0
      script.changed.set(100, hashOf(7)).set(300, undefined)
      assert.deepStrictEqual(yield* leaves(workspaceId, 1, 512), before)
      assert.strictEqual(script.read, 0)
    }).pipe(Effect.provide(tree(600)))
  )

  it.effect("takes leaves from the log where somebody changed a tile, or its hash in the one above", () =>
    Effect.gen(function* () {
      const store = yield* TreeStore
      yield* catchUp
      const honest = yield* (yield* LogTree).leaves(workspaceId, 1, 1_300)
      for (const damage of [
        { level: 0, index: 2, at: 0 },
        { level: 0, index: 0, at: TILE_WIDTH * 32 - 1 },
        { level: 1, index: 0, at: 3 * 32 }
      ]) {
        const read: typeof store.read = (workspace, addresses) =>
          Effect.map(store.read(workspace, addresses), (tiles) =>
            tiles.map((tile) =>
              tile.level === damage.level && tile.index === damage.index
                ? { ...tile, hashes: tile.hashes.map((byte, at) => (at === damage.at ? byte ^ 1 : byte)) }
                : tile
            )
          )
        const damaged = LogTree.layer.pipe(Layer.provide(Layer.succeed(TreeStore, { ...store, read })))
        const { leaves } = yield* LogTree.pipe(Effect.provide(damaged, { local: true }))
        assert.deepStrictEqual(yield* leaves(workspaceId, 1, 1_300), honest)
      }
    }).pipe(Effect.provide(tree(1_300)))
  )

  it.effect("refuses a size that is none, and an event beyond it", () =>
    Effect.gen(function* () {
      const { root, inclusion, consistency } = yield* LogTree
      assert.strictEqual((yield* Effect.flip(root(workspaceId, -1)))._tag, "TreeSizeOutOfRange")
      assert.strictEqual((yield* Effect.flip(inclusion(workspaceId, 4, 3)))._tag, "LeafOutOfRange")
      assert.strictEqual((yield* Effect.flip(inclusion(workspaceId, 0, 3)))._tag, "LeafOutOfRange")
      assert.strictEqual((yield* Effect.flip(consistency(workspaceId, 3, 2)))._tag, "SizesOutOfRange")
      // The log has not come that far.
      assert.strictEqual((yield* Effect.flip(root(workspaceId, 400)))._tag, "MissingNode")
    }).pipe(Effect.provide(tree(300)))
  )
})
