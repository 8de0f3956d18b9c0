import { EventLog } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accept, cairnOn, drain, makeWorkspace, sharedServer, verifyChain } from "./support.ts"

const WORKSPACE = "wsp_test"
const event = { actor_id: "ada", action: "document.created", targets: [{ type: "folder", id: "f" }] }

const server = sharedServer()
const newDatabase = Effect.promise(() => server().newDatabase())
const query = (url: string, statement: string) => Effect.promise(() => server().query(url, statement))

describe("the log on PostgreSQL", () => {
  for (const statement of [
    "UPDATE event SET content = '{}'",
    "UPDATE event SET created_at = 0",
    "DELETE FROM event",
    "TRUNCATE event",
    "TRUNCATE event CASCADE",
    "INSERT INTO event SELECT * FROM event ON CONFLICT (workspace, sequence) DO UPDATE SET salt = ''",
    "MERGE INTO event e USING (SELECT 1) x ON true WHEN MATCHED THEN DELETE"
  ]) {
    it.live(`refuses: ${statement}`, () =>
      Effect.gen(function* () {
        const url = yield* newDatabase
        yield* Effect.gen(function* () {
          yield* makeWorkspace(WORKSPACE)
          yield* accept(WORKSPACE, [event])
          yield* drain
          const failure = yield* Effect.promise(() =>
            server()
              .query(url, statement)
              .then(() => "it was done", String)
          )
          assert.match(failure, /the log is append-only/)
          assert.deepInclude(yield* verifyChain(WORKSPACE), { valid: true, events_checked: 1 })
        }).pipe(Effect.provide(cairnOn(url)))
      })
    )
  }

  it.live("parks a row that cannot be appended, and goes on with the rest", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* Effect.gen(function* () {
        yield* makeWorkspace(WORKSPACE)
        for (let request = 0; request < 9; request++) yield* accept(WORKSPACE, [event, event])
        // One that cannot be read, and one whose event has an id that the log has already.
        yield* query(url, "UPDATE inbox SET events = replace(events, '{\"action\"', '{broken') WHERE id = 4")
        yield* query(url, `UPDATE inbox SET events = (SELECT events FROM inbox WHERE id = 1) WHERE id = 7`)
        yield* drain
        assert.strictEqual((yield* (yield* EventLog).head(WORKSPACE)).sequence, 14)
        assert.deepInclude(yield* verifyChain(WORKSPACE), { valid: true, events_checked: 14 })
        const parked = yield* query(url, "SELECT id::int, event_count, reason FROM parked ORDER BY id")
        assert.deepStrictEqual(
          parked.map(({ id, event_count }) => [id, event_count]),
          [
            [4, 2],
            [7, 2]
          ]
        )
        assert.match(String(parked[1]?.reason), /event_id/)
        assert.deepStrictEqual(yield* query(url, "SELECT * FROM inbox"), [])
      }).pipe(Effect.provide(cairnOn(url)))
    })
  )
})
