import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { GeoIp } from "@cairn/core/event"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { Acceptance, ClockGuard, EventLog, SearchIndexer, Sequencer } from "@cairn/core/log"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { SHORT_TERM_WINDOW } from "@cairn/storage-sql"
import { DatabaseTooNew, SqliteStorage, siblingFile } from "@cairn/storage-sqlite"
import { testWorkspace } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Option } from "effect"
import { afterAll } from "vitest"

const folder = quickFolder("cairn-append-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let databases = 0
const newFile = () => join(folder, `${databases++}`, "cairn.db")

const layer = (filename: string) =>
  Layer.mergeAll(Acceptance.layer, Sequencer.layer).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        SqliteStorage.layer({ filename }),
        Sha256.layer,
        Randomness.layer,
        ClockGuard.layer,
        GeoIp.layerNowhere
      )
    )
  )

const WORKSPACE = "wsp_test"
const makeWorkspace = Effect.flatMap(ManagedWorkspaces, ({ create }) =>
  create(testWorkspace({ id: WORKSPACE }))
)
const accept = (body: object) =>
  Effect.flatMap(Acceptance, ({ one }) =>
    one({ workspaceId: WORKSPACE, clientAddress: null, keysExpireBefore: null }, body)
  )
const drain = Effect.flatMap(Sequencer, (sequencer) => sequencer.drain)
const event = { actor_id: "ada", action: "document.created", targets: [{ type: "folder", id: "f" }] }

describe("the log on SQLite", () => {
  for (const statement of [
    "UPDATE event SET content = '{}'",
    "UPDATE event SET created_at = 0",
    "DELETE FROM event"
  ]) {
    it.live(`refuses: ${statement}`, () =>
      Effect.gen(function* () {
        const filename = newFile()
        yield* Effect.gen(function* () {
          yield* makeWorkspace
          yield* accept(event)
          yield* drain
        }).pipe(Effect.provide(layer(filename)))
        const db = new DatabaseSync(filename)
        assert.throws(() => db.exec(statement), /append-only/)
        db.close()
      })
    )
  }

  it.live("appends no row twice when a crash came between the log's commit and the inbox's", () =>
    Effect.gen(function* () {
      const filename = newFile()
      const inboxFile = siblingFile(filename, "inbox")
      yield* Effect.gen(function* () {
        yield* makeWorkspace
        yield* accept(event)
      }).pipe(Effect.provide(layer(filename)))
      const inbox = new DatabaseSync(inboxFile)
      inbox.exec("CREATE TABLE kept AS SELECT * FROM inbox")
      yield* drain.pipe(Effect.provide(layer(filename)))
      // What a crash would have left: the row is still there, and counted, though the log has it.
      inbox.exec("INSERT INTO inbox SELECT * FROM kept; UPDATE state SET waiting = 1")
      yield* Effect.gen(function* () {
        yield* drain
        const log = yield* EventLog
        assert.strictEqual((yield* log.head(WORKSPACE)).sequence, 1)
        assert.deepStrictEqual(yield* log.waiting, [])
      }).pipe(Effect.provide(layer(filename)))
      assert.strictEqual(inbox.prepare("SELECT count(*) AS n FROM inbox").get()?.n, 0)
      assert.strictEqual(inbox.prepare("SELECT waiting FROM state").get()?.waiting, 0)
      inbox.close()
    })
  )

  it.live("does not take the positions of an inbox that was made anew for those of the old one", () =>
    Effect.gen(function* () {
      const filename = newFile()
      yield* Effect.gen(function* () {
        yield* makeWorkspace
        yield* accept(event)
        yield* accept(event)
        yield* drain
      }).pipe(Effect.provide(layer(filename)))
      for (const suffix of ["", "-wal", "-shm"])
        rmSync(siblingFile(filename, "inbox") + suffix, { force: true })
      yield* Effect.gen(function* () {
        yield* accept(event)
        yield* drain
        assert.strictEqual((yield* (yield* EventLog).head(WORKSPACE)).sequence, 3)
      }).pipe(Effect.provide(layer(filename)))
    })
  )

  it.live("parks a row that cannot be appended, and goes on with the rest", () =>
    Effect.gen(function* () {
      const filename = newFile()
      yield* Effect.gen(function* () {
        yield* makeWorkspace
        yield* accept(event)
        yield* accept(event)
        yield* accept(event)
        const inbox = new DatabaseSync(siblingFile(filename, "inbox"))
        inbox.exec("UPDATE inbox SET events = replace(events, '{\"action\"', '{broken') WHERE id = 2")
        yield* drain
        assert.strictEqual((yield* (yield* EventLog).head(WORKSPACE)).sequence, 2)
        assert.strictEqual(inbox.prepare("SELECT count(*) AS n FROM parked").get()?.n, 1)
        assert.strictEqual(inbox.prepare("SELECT waiting FROM state").get()?.waiting, 0)
        inbox.close()
      }).pipe(Effect.provide(layer(filename)))
    })
  )

  it.live("refuses a database that a newer program wrote", () =>
    Effect.gen(function* () {
      const filename = newFile()
      yield* makeWorkspace.pipe(Effect.provide(layer(filename)))
      const db = new DatabaseSync(filename)
      db.exec("PRAGMA user_version = 99; UPDATE cairn_migration SET needs = 99")
      db.close()
      const exit = yield* Effect.exit(makeWorkspace.pipe(Effect.provide(layer(filename))))
      assert.isTrue(Exit.isFailure(exit))
      const error = Exit.isFailure(exit)
        ? Option.getOrUndefined(Cause.findErrorOption(exit.cause))
        : undefined
      assert.instanceOf(error, DatabaseTooNew)
    })
  )
})

describe("the search index", () => {
  const search = (term: string) =>
    Effect.flatMap(EventLog, (log) =>
      log.page(WORKSPACE, { filter: { search: term }, before: null, limit: 100 })
    )

  it.live("finds what it has indexed and what it has not reached yet", () =>
    Effect.gen(function* () {
      yield* makeWorkspace
      const index = yield* SearchIndexer
      yield* accept({ ...event, actor_name: "Grace Höpper" })
      yield* drain
      while ((yield* index.advance) > 0);
      yield* accept({ ...event, metadata: { note: "said höpper again" } })
      yield* accept(event)
      yield* drain
      assert.strictEqual((yield* search("HÖPPER")).length, 2)
      while ((yield* index.advance) > 0);
      assert.strictEqual((yield* search("HÖPPER")).length, 2)
    }).pipe(Effect.provide(layer(newFile())))
  )

  it.live("looks only at the newest events for a term without a trigram", () =>
    Effect.gen(function* () {
      yield* makeWorkspace
      yield* accept({ ...event, actor_name: "ÿz" })
      yield* drain
      assert.strictEqual((yield* search("ÿz")).length, 1)
      assert.isAtLeast(SHORT_TERM_WINDOW, 1000)
    }).pipe(Effect.provide(layer(newFile())))
  )
})
