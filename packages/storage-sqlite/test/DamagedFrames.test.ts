import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { zstdDecompressSync } from "node:zlib"
import { Micros } from "@cairn/core/encoding"
import type { EventFilter } from "@cairn/core/event"
import {
  EventLog,
  FacetMillis,
  FRAME_EVENTS,
  GROUP_FRAMES,
  type OccurrenceOrder,
  SearchIndexer,
  withoutPlaces,
  withoutSequences
} from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import {
  checkFrames,
  compressOrder,
  compressPostings,
  FacetCacheBytes,
  FrameEvents,
  frameRows,
  openOrder
} from "@cairn/storage-sql"
import { SqliteStorage, siblingFile } from "@cairn/storage-sqlite"
import { acceptEvents, contentOf, countFacets, makeWorkspace, sequenceAll, useCases } from "@cairn/testing"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { Reactivity } from "effect/reactivity"
import { afterAll } from "vitest"
import { make } from "../src/SqliteClient.ts"
import { assertExactIndex } from "./ExactIndex.ts"

const folder = quickFolder("cairn-damaged-frames-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let databases = 0

/** Events of frames of two: a group that is complete, and some frames of the next. */
const EVENTS = 2 * (GROUP_FRAMES + 4)
const ALL = { from: 1, to: Number.MAX_SAFE_INTEGER }
/** Bits of a blob that are flipped, one after another. */
const FLIPS = isEndurance() ? 40 : 10

/** What is asked, and the events that have it. */
const questions: ReadonlyArray<readonly [filter: EventFilter, has: (sequence: number) => boolean]> = [
  [{ search: "A NOTE OF 1" }, (sequence) => String(sequence).startsWith("1")],
  [{ actorId: "actor-1" }, (sequence) => sequence % 3 === 1],
  [{ action: "document.*", targetType: "folder", targetId: "f" }, (sequence) => sequence % 2 === 0],
  [{ actorId: "actor-1", search: "note of 1" }, (sequence) => sequence % 3 === 1 && /^1/.test(`${sequence}`)]
]

/** When an event occurred: in another order than that of the sequences. */
const occurredAt = (sequence: number) =>
  Micros.fromMillis(Date.UTC(2024, 0, 1)) + ((sequence * 37) % EVENTS) * Micros.MINUTE

const eventOf = (sequence: number) => ({
  occurred_at: Micros.format(occurredAt(sequence)),
  actor_id: `actor-${sequence % 3}`,
  actor_name: `Actor ${sequence % 5}`,
  resource_id: `resource-${sequence % 7}`,
  action: "document.read",
  metadata: { note: `a note of ${sequence}` },
  targets: [{ type: "folder", id: sequence % 2 === 0 ? "f" : "g" }]
})

const onDamaged = <A, E>(
  body: (
    filename: string,
    workspaceId: string
  ) => Effect.Effect<A, E, EventLog | ContentRemoval | SearchIndexer>
) =>
  Effect.suspend(() => {
    const filename = join(folder, `${databases++}`, "cairn.db")
    return Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace
      yield* acceptEvents(
        workspaceId,
        Array.from({ length: EVENTS }, (_, index) => eventOf(index + 1))
      )
      yield* sequenceAll
      yield* Effect.repeat((yield* SearchIndexer).advance, { while: (count) => count > 0 })
      return yield* body(filename, workspaceId)
    }).pipe(
      Effect.provide(
        useCases<SearchIndexer | ContentRemoval>(
          SqliteStorage.layer({ filename }).pipe(
            // Each search tells of the damage.
            Layer.provide([
              Layer.succeed(FrameEvents, 2),
              // What is damaged is read.
              Layer.succeed(FacetCacheBytes, 0),
              Logger.layer([])
            ])
          )
        )
      )
    )
  })

/** The blobs of one column of a table of the index. */
const blobsOf = (filename: string, table: string, column: string) => {
  const db = new DatabaseSync(siblingFile(filename, "search"))
  const read = db.prepare(`SELECT rowid AS id, ${column} AS blob FROM ${table} WHERE ${column} IS NOT NULL`)
  const one = db.prepare(`SELECT ${column} AS blob FROM ${table} WHERE rowid = ?`)
  const write = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`)
  return {
    all: read.all().map(({ id, blob }) => ({ id: Number(id), blob: blob as Uint8Array })),
    read: (id: number) => one.get(id)?.blob as Uint8Array,
    write: (id: number, blob: Uint8Array) => write.run(blob, id),
    close: () => db.close()
  }
}

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

/** The counts of actors and targets are what the log has. */
const assertExactFacets = Effect.fnUntraced(function* (
  workspaceId: string,
  removed: ReadonlySet<number>,
  what: string
) {
  const log = yield* EventLog
  const rows = yield* log.entries(workspaceId, 1, EVENTS)
  const contents = rows.flatMap((row) => contentOf(row) ?? []).toReversed()
  assert.lengthOf(contents, EVENTS - removed.size)
  for (const field of ["actor", "target", "resource_id"] as const) {
    const query = { field, prefix: "", most: 120 }
    assert.deepStrictEqual(
      yield* log
        .facets(workspaceId, {}, query)
        .pipe(Effect.provideService(FacetMillis, Number.POSITIVE_INFINITY)),
      countFacets(contents, query),
      `${field}, ${what}`
    )
    assert.deepStrictEqual(
      yield* log
        .occurrenceFacets(workspaceId, { filter: {}, range: ALL, ...query, most: EVENTS })
        .pipe(Effect.provideService(FacetMillis, Number.POSITIVE_INFINITY)),
      countFacets(contents, { ...query, most: EVENTS }),
      `${field} by occurrence, ${what}`
    )
  }
})

/** Every answer is what the log has, without some events. */
const assertExact = Effect.fnUntraced(function* (
  workspaceId: string,
  removed: ReadonlySet<number>,
  what: string
) {
  const log = yield* EventLog
  yield* assertExactFacets(workspaceId, removed, what)
  for (const [filter, has] of questions) {
    const expected = Array.from({ length: EVENTS }, (_, at) => EVENTS - at).filter(
      (sequence) => has(sequence) && !removed.has(sequence)
    )
    const told = `${JSON.stringify(filter)}, ${what}`
    const page = yield* log.page(workspaceId, { filter, before: null, limit: 1_000 })
    assert.deepStrictEqual(
      page.map(({ sequence }) => sequence),
      expected,
      told
    )
    assert.strictEqual(yield* log.count(workspaceId, filter, ALL), expected.length, told)
    assert.lengthOf(
      yield* log.moments(workspaceId, { filter, before: null, limit: 1_000 }),
      expected.length,
      told
    )
  }
  for (const [filter, has] of [...questions, [{}, () => true] as const]) {
    const expected = Array.from({ length: EVENTS }, (_, at) => at + 1)
      .filter((sequence) => has(sequence) && !removed.has(sequence))
      .sort((one, other) => occurredAt(other) - occurredAt(one))
    const request = { filter, range: ALL, first: "newest", beyond: null, limit: 1_000 } as const
    const told = `${JSON.stringify(filter)} by occurrence, ${what}`
    assert.deepStrictEqual(
      (yield* log.occurrences(workspaceId, request)).map(({ sequence }) => sequence),
      expected,
      told
    )
    const counts = yield* log.occurrenceCounts(workspaceId, { filter, range: ALL, bucket: null })
    assert.strictEqual(counts.get(0), expected.length, told)
  }
})

const remove = Effect.fnUntraced(function* (workspaceId: string, sequence: number) {
  const [row] = yield* (yield* EventLog).entries(workspaceId, sequence, 1)
  const { id, content, contentHash } = row ?? assert.fail("there is no such event")
  const event = { sequence, id, content: content ?? "", contentHash: contentHash ?? "" }
  yield* (yield* ContentRemoval).remove(workspaceId, [event], null)
})

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

  for (const [table, column] of [
    ["search_part", "cells"],
    ["search_frame", "signature"]
  ] as const)
    it.live(`answers exactly without ${column} of ${table}, also after a removal`, () =>
      onDamaged((filename, workspaceId) =>
        Effect.gen(function* () {
          const blobs = blobsOf(filename, table, column)
          for (const { id, blob } of blobs.all)
            blobs.write(id, blob.subarray(0, (blob.length >> 1) * (id % 2)))
          blobs.close()
          yield* assertExact(workspaceId, new Set(), "all are cut short")
          yield* remove(workspaceId, 1)
          yield* assertExact(workspaceId, new Set([1]), "one event is removed")
          const db = new DatabaseSync(siblingFile(filename, "search"))
          db.exec("DELETE FROM search_part WHERE part % 3 < 2")
          db.close()
          yield* assertExact(workspaceId, new Set([1]), "parts are missing")
          yield* remove(workspaceId, 11)
          yield* assertExact(workspaceId, new Set([1, 11]), "another event is removed")
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
