import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { GeoIp } from "@cairn/core/event"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { Acceptance, ClockGuard, EventLog, SearchIndexer, Sequencer } from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import { ChainVerifier, StoreCheck } from "@cairn/core/verification"
import { checkFrames, FrameEvents, frameRows } from "@cairn/storage-sql"
import { SqliteStorage, siblingFile } from "@cairn/storage-sqlite"
import { manualClock, newWorkspace, searchCheckContract } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import { afterAll } from "vitest"
import { checkFiles } from "../src/FileChecks.ts"
import { make } from "../src/SqliteClient.ts"
import { disturbed } from "./DisturbedFrames.ts"

const EVENTS = 260
const INDEXED = 33

const folder = quickFolder("cairn-store-check-")
const filename = join(folder, "cairn.db")
const search = siblingFile(filename, "search")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const cairn = Layer.mergeAll(Acceptance.layer, Sequencer.layer, ChainVerifier.layer).pipe(
  Layer.provide(GeoIp.layerNowhere),
  Layer.provideMerge(ClockGuard.layer),
  Layer.provideMerge(Layer.mergeAll(SqliteStorage.layer({ filename }), Sha256.layer, Randomness.layer))
)
const opened = <A, E>(use: Effect.Effect<A, E, Layer.Success<typeof cairn>>): Promise<A> =>
  Effect.runPromise(Effect.provide(use, cairn, { local: true }) as Effect.Effect<A, E>)

const inFile = <A>(file: string, use: (db: DatabaseSync) => A): A => {
  const db = new DatabaseSync(file, { defensive: false })
  try {
    return use(db)
  } finally {
    db.close()
  }
}

/** Takes an index from the schema, and gives what puts it back as it was: without what was written since. */
const hideIndex = (name: string) =>
  inFile(filename, (db) => {
    db.exec("PRAGMA writable_schema = ON")
    const row = db
      .prepare("SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema WHERE name = ?")
      .get(name)
    db.prepare("DELETE FROM sqlite_schema WHERE name = ?").run(name)
    return () =>
      inFile(filename, (again) => {
        again.exec("PRAGMA writable_schema = ON")
        again.prepare("INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)").run(...Object.values(row ?? {}))
      })
  })

const accept = (workspaceId: string, from: number, to: number) =>
  Effect.gen(function* () {
    const { batch } = yield* Acceptance
    const events = Array.from({ length: to - from }, (_, at) => ({
      actor_id: `actor-${from + at}`,
      action: "document.read",
      metadata: { note: `quarterly figures of ${from + at}` }
    }))
    yield* batch({ workspaceId, clientAddress: null, keysExpireBefore: null }, { events })
    yield* (yield* Sequencer).drain
    const { advance } = yield* SearchIndexer
    while ((yield* advance) > 0) yield* Effect.yieldNow
  })

const look = (workspaceId: string, filter: object) =>
  Effect.gen(function* () {
    const page = yield* (yield* EventLog).page(workspaceId, { filter, before: null, limit: 1_000 })
    const { valid } = yield* (yield* ChainVerifier).verify({ workspaceId, limit: 1_000_000 })
    const found = yield* (yield* StoreCheck).check
    return { listed: page.length, valid, found }
  })

const removeAll = (workspaceId: string) =>
  Effect.gen(function* () {
    const rows = yield* (yield* EventLog).entries(workspaceId, 1, EVENTS)
    const events = rows.map(({ sequence, id, content, contentHash }) => ({
      sequence,
      id,
      content: content ?? "",
      contentHash: contentHash ?? ""
    }))
    yield* (yield* ContentRemoval).remove(workspaceId, events, null)
  })

/** The check, with something that happens before one of its reads of the index; how many there were. */
const checkBeside = (workspaceId: string, at: number, disturb: Effect.Effect<void, unknown>) =>
  Effect.gen(function* () {
    const log = yield* make({ filename, readonly: true })
    const [row] = yield* log<{ readonly number: number }>`
      SELECT number FROM workspace WHERE id = ${workspaceId}`
    const disturbance = { workspace: row?.number ?? 0, at, disturb }
    const { reads, calls } = disturbed(
      frameRows(yield* make({ filename: search, readonly: true })),
      disturbance
    )
    const { damages } = yield* checkFrames({ log, store: reads, looks: 5 })
    return { damages, calls: calls() }
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

describe("the check of SQLite's files", { timeout: 60_000 }, () => {
  it("finds no damage where contents are removed between two of its reads", async () => {
    let reads = 1
    for (let at = 0; at < reads; at++) {
      const workspaceId = await opened(Effect.tap(newWorkspace, (id) => accept(id, 0, 100)))
      await opened(accept(workspaceId, 100, 200))
      await opened(accept(workspaceId, 200, EVENTS))
      const { damages, calls } = await opened(
        Effect.flatMap(Effect.context<Layer.Success<typeof cairn>>(), (context) =>
          checkBeside(workspaceId, at, Effect.provide(removeAll(workspaceId), context))
        )
      )
      assert.deepStrictEqual(damages, [], `contents were removed before read ${at}`)
      reads = Math.max(reads, calls)
    }
    assert.isAbove(reads, 4)
  })

  it("finds an index, and words, that lack events, which no hash shows", async () => {
    const workspaceId = await opened(Effect.tap(newWorkspace, (id) => accept(id, 0, INDEXED)))
    const putBack = hideIndex("event_created_at")
    await opened(accept(workspaceId, INDEXED, 100))
    await opened(accept(workspaceId, 100, 200))
    await opened(accept(workspaceId, 200, EVENTS))
    const sound = await opened(look(workspaceId, {}))
    assert.deepStrictEqual([sound.listed, sound.valid, sound.found.damages], [EVENTS, true, []])
    assert.deepStrictEqual([sound.found.sound, sound.found.not_checked], [true, []])
    assert.strictEqual(sound.found.checked.length, 5)

    putBack()
    const short = await opened(look(workspaceId, {}))
    assert.deepStrictEqual([short.listed, short.valid, short.found.sound], [INDEXED, true, false])
    assert.deepStrictEqual(short.found.damages, [
      { where: "cairn.db, index event_created_at", what: "at least 99 rows of its table are not in it" }
    ])
    inFile(filename, (db) => db.exec("REINDEX"))

    inFile(search, (db) => db.exec("UPDATE search_frame SET signature = zeroblob(length(signature))"))
    const words = await opened(look(workspaceId, {}))
    assert.deepStrictEqual([words.listed, words.valid], [EVENTS, true])
    assert.isAbove(words.found.damages.filter(({ where }) => /search/.test(where)).length, 0)
  })
})

let databases = 0

/** What the process of a check does, here, without pauses before it looks again at what is damaged. */
const checkedHere = (file: string) =>
  Layer.succeed(
    StoreCheck,
    StoreCheck.of({ check: Effect.provideService(checkFiles(file), Clock.Clock, manualClock(0).clock) })
  )

searchCheckContract("SQLite", () => {
  const file = join(folder, `${databases++}`, "cairn.db")
  const storage = SqliteStorage.layer({ filename: file })
  return {
    layer: Layer.merge(storage, checkedHere(file)),
    smallFrames: Layer.merge(storage.pipe(Layer.provide(Layer.succeed(FrameEvents, 2))), checkedHere(file)),
    change: async (statement) => inFile(siblingFile(file, "search"), (db) => db.exec(statement))
  }
})
