import { EventLog, SearchIndexer } from "@cairn/core/log"
import { SHORT_TERM_WINDOW } from "@cairn/storage-sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accept, cairnOn, drain, makeWorkspace, sharedServer } from "./support.ts"

const server = sharedServer()
const WORKSPACE = "wsp_one"
const query = (url: string, statement: string) => Effect.promise(() => server().query(url, statement))

/** A database, and the URL of a role in it that may make tables and no extensions. */
const makeLimited = Effect.gen(function* () {
  const url = yield* Effect.promise(() => server().newDatabase())
  yield* query(url, "CREATE ROLE limited LOGIN PASSWORD 'limited'")
  yield* query(url, "GRANT USAGE, CREATE ON SCHEMA public TO limited")
  return { url, limited: url.replace(/\/\/[^@]*@/, "//limited:limited@") }
})

const all = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER }

const find = Effect.fnUntraced(function* (search: string) {
  const log = yield* EventLog
  const page = yield* log.page(WORKSPACE, { filter: { search }, before: null, limit: 10 })
  assert.strictEqual(yield* log.count(WORKSPACE, { search }, all), page.length)
  return page.map(({ sequence }) => sequence)
})

describe("search where extensions cannot be made", () => {
  it.live(
    "looks at the newest events only, and at all of them once somebody has made the extensions",
    () =>
      Effect.gen(function* () {
        const { url, limited } = yield* makeLimited
        yield* Effect.gen(function* () {
          yield* makeWorkspace(WORKSPACE)
          const { advance } = yield* SearchIndexer
          yield* accept(WORKSPACE, [{ actor_id: "a", action: "needle.old" }])
          yield* drain
          // Straight into the table: a search looks at nothing else, and ten thousand requests would take
          // their time.
          yield* query(
            url,
            `INSERT INTO event SELECT workspace, n, created_at + n, 'hay-' || n, replace(content, 'needle.old', 'hay.stack'), salt,
             content_hash, previous_event_hash, event_hash, 'hay.stack', actor_id
           FROM event, generate_series(2, ${SHORT_TERM_WINDOW}) n`
          )
          // The oldest event is the last one of the window.
          assert.deepStrictEqual(yield* find("needle"), [1])
          yield* query(
            url,
            `INSERT INTO event SELECT workspace, sequence + 1, created_at + 1, 'new', replace(content, 'hay.stack', 'needle.new'), salt,
             content_hash, previous_event_hash, event_hash, 'needle.new', actor_id
           FROM event WHERE sequence = ${SHORT_TERM_WINDOW}`
          )
          yield* query(url, `UPDATE head SET sequence = ${SHORT_TERM_WINDOW + 1}`)
          assert.deepStrictEqual(yield* find("needle"), [SHORT_TERM_WINDOW + 1])
          assert.strictEqual(yield* advance, 0)
        }).pipe(Effect.provide(cairnOn(limited)))

        yield* query(url, "CREATE EXTENSION pg_trgm")
        yield* query(url, "CREATE EXTENSION btree_gin")
        yield* Effect.gen(function* () {
          const { advance } = yield* SearchIndexer
          yield* Effect.repeat(advance, { while: (count) => count > 0 })
          assert.deepStrictEqual(yield* find("needle"), [SHORT_TERM_WINDOW + 1, 1])
        }).pipe(Effect.provide(cairnOn(limited)))
      }),
    60_000
  )
})
