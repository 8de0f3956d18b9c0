import { zstdDecompressSync } from "node:zlib"
import {
  GROUP_FRAMES,
  groupParts,
  groupPostings,
  NO_GRAMS,
  type PlacedColumns,
  valuesAt
} from "@cairn/core/log"
import {
  compressOrder,
  contentsOf,
  frameEventsOf,
  frameRows,
  newFrame,
  openColumns,
  orderOf
} from "@cairn/storage-sql"
import { siblingFile } from "@cairn/storage-sqlite"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { make } from "../src/SqliteClient.ts"

interface FrameRow {
  readonly number: number
  readonly first: number
  readonly since: number
  readonly earliest: number
  readonly latest: number
  readonly texts: Uint8Array
  readonly columns: Uint8Array | null
  readonly signature: Uint8Array | null
}

interface OrderRow {
  readonly frame_group: number
  readonly first: number
  readonly last: number
  readonly earliest: number
  readonly latest: number
  readonly events: number
  readonly blob: Uint8Array
}

interface BlobRow {
  readonly name: string
  readonly blob: Uint8Array
}

const hex = (bytes: Uint8Array | null | undefined): string | null =>
  bytes ? Buffer.from(bytes).toString("hex") : null

/** Every value of a blob of postings with a place that has it. */
const pairsOf = (name: string, postings: Uint8Array): ReadonlyArray<string> =>
  Array.from(
    valuesAt(postings, 0, Number.MAX_SAFE_INTEGER),
    ({ value, place }) => `${name}: ${hex(value)} at ${place}`
  ).toSorted()

/**
 * Holds the index of a log, to the byte, against what the log has: as if it had been made of what is left
 * there. Returns how many frames it has in groups that are complete, and in all.
 */
export const assertExactIndex = Effect.fnUntraced(
  function* (filename: string, workspace: number) {
    const log = yield* make({ filename, readonly: true })
    const search = yield* make({ filename: siblingFile(filename, "search"), readonly: true })
    const { sequence, frames } = yield* frameRows(search).position(workspace)
    const rows = yield* search<FrameRow>`
      SELECT * FROM search_frame WHERE workspace = ${workspace} ORDER BY number`
    const complete = Math.floor(frames / GROUP_FRAMES)
    const placed: Array<PlacedColumns> = []
    const signatures = new Map<number, Uint8Array>()
    const covered = new Set<number>()
    for (const [index, row] of rows.entries()) {
      const { number, first } = row
      const to = (rows[index + 1]?.first ?? sequence + 1) - 1
      const events = frameEventsOf(yield* contentsOf(log)(workspace, { from: first, to }, 10_000))
      assert.isNotEmpty(events, `frame ${number} has an event`)
      for (const event of events) covered.add(event.sequence)
      const wanted = newFrame({ number, first }, events)
      assert.strictEqual(hex(row.texts), hex(wanted.texts), `the texts of frame ${number}`)
      assert.deepInclude(wanted, { earliest: row.earliest, latest: row.latest }, `moments of frame ${number}`)
      const isComplete = number < complete * GROUP_FRAMES
      assert.strictEqual(hex(row.columns), isComplete ? null : hex(wanted.columns), `columns of ${number}`)
      assert.strictEqual(
        hex(row.signature),
        isComplete ? null : hex(wanted.signature),
        `signature of ${number}`
      )
      signatures.set(number, wanted.signature ?? NO_GRAMS)
      const columns = openColumns(wanted)
      if (columns !== undefined) placed.push({ place: (number % GROUP_FRAMES) * 256, first, columns })
    }
    const framed = frameEventsOf(
      yield* contentsOf(log)(workspace, { from: Number.MIN_SAFE_INTEGER, to: sequence }, 1_000_000)
    )
    assert.deepStrictEqual(
      [...covered],
      framed.map((event) => event.sequence),
      "each event is in one frame"
    )
    const parts = yield* search<BlobRow>`
      SELECT frame_group || '.' || part AS name, cells AS blob FROM search_part
      WHERE workspace = ${workspace} ORDER BY frame_group, part`
    const postings = yield* search<BlobRow>`
      SELECT frame_group || '.' || number AS name, blob FROM search_posting WHERE workspace = ${workspace}`
    const groups = Array.from({ length: complete }, (_, group) => group)
    assert.deepStrictEqual(
      parts.map(({ name, blob }) => `${name}: ${hex(blob)}`),
      groups.flatMap((group) =>
        groupParts(
          Array.from(
            { length: GROUP_FRAMES },
            (_, frame) => signatures.get(group * GROUP_FRAMES + frame) ?? NO_GRAMS
          )
        ).map((cells, part) => `${group}.${part}: ${hex(cells)}`)
      ),
      "the parts of signatures"
    )
    const ofGroup = (group: number) =>
      placed.filter((_, index) => Math.floor((rows[index]?.number ?? 0) / GROUP_FRAMES) === group)
    assert.deepStrictEqual(
      postings.flatMap(({ name, blob }) => pairsOf(name, zstdDecompressSync(blob))).toSorted(),
      groups
        .flatMap((group) =>
          [...groupPostings(ofGroup(group))]
            .flat()
            .flatMap(({ number, blob }) => pairsOf(`${group}.${number}`, blob))
        )
        .toSorted(),
      "the postings"
    )
    const orders = yield* search<OrderRow>`
      SELECT * FROM search_order WHERE workspace = ${workspace} ORDER BY frame_group`
    const told = orders.map(({ frame_group, first, last, earliest, latest, events, blob }) =>
      [frame_group, first, last, earliest, latest, events, hex(blob)].join(" ")
    )
    const expected = groups.flatMap((group) => {
      const order = orderOf(ofGroup(group))
      const { moments, sequences } = order
      if (moments.length === 0) return []
      const span = [Math.min(...sequences), Math.max(...sequences), moments.at(0), moments.at(-1)]
      return [[group, ...span, moments.length, hex(compressOrder(order))].join(" ")]
    })
    assert.deepStrictEqual(told, expected, "the orders of occurrence")
    return { complete: complete * GROUP_FRAMES, frames }
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)
