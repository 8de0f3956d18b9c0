import { DatabaseSync } from "node:sqlite"
import { zstdDecompressSync } from "node:zlib"
import { FRAME_EVENTS, type OccurrenceOrder, withoutPlaces, withoutSequences } from "@cairn/core/log"
import { checkFrames, compressOrder, compressPostings, frameRows, openOrder } from "@cairn/storage-sql"
import { siblingFile } from "@cairn/storage-sqlite"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { make } from "../src/SqliteClient.ts"
import { assertExact, blobsOf, EVENTS, onDamaged, remove } from "./DamagedIndex.ts"
import { assertExactIndex } from "./ExactIndex.ts"

/** Bits of a blob that are flipped, one after another. */
const FLIPS = isEndurance() ? 40 : 10

const flipped = (blob: Uint8Array, bit: number): Uint8Array => {
  const changed = blob.slice()
  changed[bit >>> 3] = (changed[bit >>> 3] ?? 0) ^ (1 << (bit & 7))
  return changed
}

/** Half of a blob, nothing, and it with one of some bits flipped. */
const damagesOf = (blob: Uint8Array): ReadonlyArray<readonly [what: string, damaged: Uint8Array]> => [
  ["half of it", blob.subarray(0, blob.length >> 1)],
  ["nothing of it", new Uint8Array()],
  ...Array.from({ length: FLIPS }, (_, at) => {
    const bit = Math.floor((at * 8 * blob.length) / FLIPS) + (at % 8)
    return [`without bit ${bit}`, flipped(blob, bit)] as const
  })
]

/** Whether the check finds something within so many of its looks at a few frames, and what. */
const checked = Effect.fnUntraced(
  function* (filename: string, times: number) {
    const log = yield* make({ filename, readonly: true })
    const store = frameRows(yield* make({ filename: siblingFile(filename, "search"), readonly: true }))
    for (let left = times; left > 0; left--) {
      const { damages } = yield* checkFrames({ log, store, looks: 1 })
      if (damages.length > 0) return damages
    }
    return []
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

/** Looks at four of some seventy frames at a time, of which one is wrong: fails once in a million runs. */
const MANY = 300

describe("an index of which a blob is damaged", { timeout: 240_000 }, () => {
  for (const [table, column] of [
    ["search_frame", "texts"],
    ["search_frame", "columns"],
    ["search_posting", "blob"],
    ["search_order", "blob"]
  ] as const)
    it.live(`answers exactly, whichever bit of ${column} of ${table}, and its removals write them anew`, () =>
      onDamaged((filename, workspaceId) =>
        Effect.gen(function* () {
          const blobs = blobsOf(filename, table, column)
          const removed = new Set<number>()
          yield* assertExact(workspaceId, removed, "nothing is damaged")
          const ends = [blobs.all[0], blobs.all.at(-1)].filter((one) => one !== undefined)
          for (const { id, blob } of ends)
            for (const [what, damaged] of damagesOf(blob)) {
              blobs.write(id, damaged)
              yield* assertExact(workspaceId, removed, what)
              blobs.write(id, blob)
            }
          for (const { id, blob } of blobs.all) blobs.write(id, blob.subarray(0, blob.length >> 1))
          yield* assertExact(workspaceId, removed, "all are damaged")
          // One of each frame.
          for (let sequence = 1; sequence <= EVENTS; sequence += 2) {
            yield* remove(workspaceId, sequence)
            removed.add(sequence)
          }
          blobs.close()
          yield* assertExact(workspaceId, removed, "all were written anew")
          yield* assertExactIndex(filename, 1)
        })
      )
    )

  it.live("or hides an event, or has one in excess, is found by the check", () =>
    onDamaged((filename, workspaceId) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* checked(filename, 10), [])
        const blobs = blobsOf(filename, "search_posting", "blob")
        // The second event of the fourth frame.
        const place = 3 * FRAME_EVENTS + 1
        const havingIt = blobs.all.flatMap(({ id, blob }) => {
          const postings = zstdDecompressSync(blob)
          const left = withoutPlaces(postings, new Set([place]))
          return left === undefined || left === postings ? [] : [{ id, blob, left }]
        })
        // In the short form every fourth.
        const withIt = havingIt.filter((_, at) => isEndurance() || at % 4 === 0)
        assert.isNotEmpty(withIt)
        for (const { id, blob, left } of withIt) {
          blobs.write(id, compressPostings(left))
          const [damage] = yield* checked(filename, MANY)
          assert.match(`${damage}`, /^1 of \d+ events of \S+ are not found by their words and values$/)
          blobs.write(id, blob)
        }
        assert.deepStrictEqual(yield* checked(filename, 10), [])
        // The event is removed, and what the postings had of it comes back.
        yield* remove(workspaceId, 2 * 4)
        for (const { id, blob } of withIt) {
          const now = blobs.read(id)
          blobs.write(id, blob)
          const [damage] = yield* checked(filename, MANY)
          assert.match(`${damage}`, /^1 of \d+ events of \S+ are not found by their words and values$/)
          blobs.write(id, now)
        }
        assert.deepStrictEqual(yield* checked(filename, 10), [])
        blobs.close()
      })
    )
  )

  it.live("or says of an event that it occurred at another time, is found by the check", () =>
    onDamaged((filename, workspaceId) =>
      Effect.gen(function* () {
        const blobs = blobsOf(filename, "search_order", "blob")
        const [order] = blobs.all
        const { moments, sequences } = openOrder(order?.blob ?? new Uint8Array()) ?? assert.fail("no order")
        const write = (id: number, changed: OccurrenceOrder) => blobs.write(id, compressOrder(changed))
        const middle = moments.length >> 1
        const wrong = [
          { moments: moments.map((moment, at) => (at === middle ? moment - 1 : moment)), sequences },
          withoutSequences({ moments, sequences }, new Set([sequences[middle] ?? 0]))
        ]
        for (const changed of wrong) {
          write(order?.id ?? 0, changed)
          const [damage] = yield* checked(filename, MANY)
          assert.match(`${damage}`, /^1 of \d+ events of \S+ are not found by their words and values$/)
        }
        blobs.write(order?.id ?? 0, order?.blob ?? new Uint8Array())
        assert.deepStrictEqual(yield* checked(filename, 10), [])
        // Such an order hides all before a time.
        for (const [table, column] of [
          ["search_order", "earliest"],
          ["search_frame", "latest"]
        ] as const) {
          const db = new DatabaseSync(siblingFile(filename, "search"))
          db.exec(`UPDATE ${table} SET ${column} = ${column} + 1`)
          const [damage] = yield* checked(filename, MANY)
          assert.strictEqual(damage, `a frame of ${workspaceId} cannot be read`)
          db.exec(`UPDATE ${table} SET ${column} = ${column} - 1`)
          db.close()
        }
        assert.deepStrictEqual(yield* checked(filename, 10), [])
        blobs.close()
      })
    )
  )
})
