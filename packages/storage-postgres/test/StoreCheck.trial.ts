import { EventLog, SearchIndexer } from "@cairn/core/log"
import { StoreCheck } from "@cairn/core/verification"
import { PostgresStorage } from "@cairn/storage-postgres"
import { FrameEvents } from "@cairn/storage-sql"
import { searchCheckContract } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import {
  accept,
  cairnOn,
  copiedDatabase,
  drain,
  makeWorkspace,
  sharedServer,
  verifyChain
} from "./support.ts"

const server = sharedServer()
const WORKSPACE = "wsp_one"
const EVENTS = 260
const INDEXED = 33

const append = (from: number, to: number) =>
  Effect.gen(function* () {
    const events = Array.from({ length: to - from }, (_, at) => ({
      actor_id: `actor-${from + at}`,
      action: "document.read",
      metadata: { note: `quarterly figures of ${from + at}` }
    }))
    for (let at = 0; at < events.length; at += 100) yield* accept(WORKSPACE, events.slice(at, at + 100))
    yield* drain
    const { advance } = yield* SearchIndexer
    while ((yield* advance) > 0) yield* Effect.yieldNow
  })

/** How many events a list has, where the planner reads the index, as it does for a larger log. */
const listed = (url: string) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const page = yield* log.page(WORKSPACE, { filter: {}, before: null, limit: 1_000 })
    return page.length
  }).pipe(Effect.provide(cairnOn(url)))

describe("the check of PostgreSQL's indexes", { timeout: 60_000 }, () => {
  it.live("finds an index, and words, that lack events, with amcheck and without it", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => server().newDatabase())
      const query = (statement: string) => Effect.promise(() => server().query(url, statement))
      yield* Effect.gen(function* () {
        const check = Effect.flatMap(StoreCheck, (store) => store.check)
        const words = "the search index"
        yield* makeWorkspace(WORKSPACE)
        // Once it has counted the rows, the planner may read so few by another index.
        yield* query("ALTER TABLE event SET (autovacuum_enabled = false)")
        yield* append(0, INDEXED)
        // As an index is that its server failed to write to.
        const ready = (is: boolean) =>
          query(`UPDATE pg_index SET indisready = ${is} WHERE indexrelid = 'event_created_at'::regclass`)
        yield* ready(false)
        yield* append(INDEXED, EVENTS)
        const unready = yield* check
        assert.deepStrictEqual(
          unready.damages.map(({ where }) => where),
          ["index event_created_at"]
        )
        yield* ready(true)
        const database = new URL(url).pathname.slice(1)
        yield* query(`ALTER DATABASE "${database}" SET enable_seqscan = off`)
        yield* query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'event_pkey'::regclass")
        assert.strictEqual(yield* listed(url), INDEXED)
        yield* query("UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'event_pkey'::regclass")

        for (const how of [/by comparison/, /by amcheck/]) {
          const found = yield* check
          // The planner may read the log by the damaged index, and then the search index has more than that.
          assert.deepStrictEqual(
            found.damages.map(({ where }) => where).filter((where) => where !== words),
            ["index event_created_at"],
            String(how)
          )
          assert.match(found.checked.join("\n"), how)
          assert.deepStrictEqual(found.not_checked, [])
          yield* query("CREATE EXTENSION IF NOT EXISTS amcheck")
        }
        assert.isTrue((yield* verifyChain(WORKSPACE)).valid)
        yield* query("REINDEX INDEX event_created_at")
        assert.deepStrictEqual((yield* check).damages, [])

        yield* query(
          "UPDATE search_frame SET signature = overlay(signature placing '\\x00' from 4000 for 90)"
        )
        const [unsigned, ...others] = (yield* check).damages
        assert.deepInclude(unsigned, { where: words })
        assert.match(
          String(unsigned?.what),
          /^\d+ of \d+ events of wsp_one are not found by their words and values$/
        )
        assert.isEmpty(others)
        yield* query("UPDATE search_frame SET texts = overlay(texts placing '\\x00' from 1 for 1)")
        assert.deepStrictEqual((yield* check).damages, [
          { where: words, what: "a frame of wsp_one cannot be read" }
        ])
      }).pipe(Effect.provide(cairnOn(url)))
    })
  )
})

searchCheckContract("PostgreSQL", () => {
  const url = Effect.runSync(Effect.cached(Effect.promise(copiedDatabase)))
  const layer = Layer.unwrap(Effect.map(url, (text) => PostgresStorage.layer({ url: Redacted.make(text) })))
  return {
    layer,
    smallFrames: layer.pipe(Layer.provide(Layer.succeed(FrameEvents, 2))),
    change: async (statement) => server().query(await Effect.runPromise(url), statement)
  }
})
