import { EventLog, SearchIndexer } from "@cairn/core/log"
import { ContentRemoval } from "@cairn/core/retention"
import { StoreCheck } from "@cairn/core/verification"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { accept, cairnOn, drain, makeWorkspace, sharedServer } from "./support.ts"

const server = sharedServer()
const WORKSPACE = "wsp_one"
const ALL = { from: 1, to: Number.MAX_SAFE_INTEGER }
/** Events of two frames, and those that are removed. */
const [EVENTS, REMOVED] = [600, 10]

const advance = Effect.flatMap(SearchIndexer, (index) => index.advance)

const append = Effect.gen(function* () {
  yield* makeWorkspace(WORKSPACE)
  for (let at = 0; at < EVENTS; at += 100) {
    const events = Array.from({ length: 100 }, (_, index) => ({
      actor_id: "ada",
      action: "document.read",
      resource_name: `figures of ${at + index}`
    }))
    yield* accept(WORKSPACE, events)
  }
  yield* drain
})

/** Removes the contents of the events from a sequence on. */
const remove = Effect.fnUntraced(function* (from: number) {
  const rows = yield* (yield* EventLog).entries(WORKSPACE, from, REMOVED)
  const events = rows.map(({ sequence, id, content, contentHash }) => ({
    sequence,
    id,
    content: content ?? "",
    contentHash: contentHash ?? ""
  }))
  yield* (yield* ContentRemoval).remove(WORKSPACE, events, null)
})

describe("a removal beside a process that indexes", { timeout: 60_000 }, () => {
  // Before the first frame, no position is there that could be locked.
  for (const indexed of [0, 1]) {
    it.live(`leaves nothing in the index, which had ${indexed} frames before`, () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => server().newDatabase())
        const sessionsThatWait = (count: number) =>
          Effect.gen(function* () {
            for (;;) {
              const waiting = yield* Effect.promise(() =>
                server().query(
                  url,
                  "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
                )
              )
              if (waiting.length >= count) return
              yield* Effect.sleep("20 millis")
            }
          })
        yield* Effect.gen(function* () {
          yield* append
          for (let frame = 0; frame < indexed; frame++) yield* advance
          const isHeld = yield* Deferred.make<void>()
          const release = yield* Deferred.make<void>()
          // The process that indexes has read the contents, and cannot write their frame yet.
          const holder = yield* Effect.flatMap(PgClient.PgClient, (sql) =>
            sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`LOCK TABLE search_frame IN EXCLUSIVE MODE`
                yield* Deferred.succeed(isHeld, undefined)
                yield* Deferred.await(release)
              })
            )
          ).pipe(
            Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })),
            Effect.forkChild
          )
          yield* Deferred.await(isHeld)
          const indexing = yield* Effect.forkChild(advance)
          yield* sessionsThatWait(1)
          const removal = yield* Effect.forkChild(remove(indexed * 256 + 1))
          yield* Effect.race(Fiber.await(removal), sessionsThatWait(2))
          yield* Deferred.succeed(release, undefined)
          yield* Fiber.join(holder)
          yield* Fiber.join(removal)
          assert.isAbove(yield* Fiber.join(indexing), 0)

          const log = yield* EventLog
          assert.strictEqual(yield* log.count(WORKSPACE, { search: "figures of" }, ALL), EVENTS - REMOVED)
          assert.deepStrictEqual((yield* (yield* StoreCheck).check).damages, [])
        }).pipe(Effect.provide(cairnOn(url)))
      }).pipe(Effect.scoped)
    )
  }
})
