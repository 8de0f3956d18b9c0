/** An index to damage, and what holds its answers against what the log has. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Micros } from "@cairn/core/encoding"
import type { EventFilter } from "@cairn/core/event"
import { EventLog, FacetMillis, GROUP_FRAMES, SearchIndexer } from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import { FacetCacheBytes, FrameEvents } from "@cairn/storage-sql"
import { SqliteStorage, siblingFile } from "@cairn/storage-sqlite"
import { acceptEvents, contentOf, countFacets, makeWorkspace, sequenceAll, useCases } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { afterAll } from "vitest"

const folder = quickFolder("cairn-damaged-frames-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let databases = 0

/** Events of frames of two: a group that is complete, and some frames of the next. */
export const EVENTS = 2 * (GROUP_FRAMES + 4)
const ALL = { from: 1, to: Number.MAX_SAFE_INTEGER }
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

/** Runs over a database of its own with a log of {@link EVENTS}, all indexed; each search tells of damage. */
export const onDamaged = <A, E>(
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
export const blobsOf = (filename: string, table: string, column: string) => {
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
export const assertExact = Effect.fnUntraced(function* (
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

/** Removes the content of an event. */
export const remove = Effect.fnUntraced(function* (workspaceId: string, sequence: number) {
  const [row] = yield* (yield* EventLog).entries(workspaceId, sequence, 1)
  const { id, content, contentHash } = row ?? assert.fail("there is no such event")
  const event = { sequence, id, content: content ?? "", contentHash: contentHash ?? "" }
  yield* (yield* ContentRemoval).remove(workspaceId, [event], null)
})
