/** A request that waits, and of which somebody cut something off. */
import { EventLog } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accept, cairnOn, drain, makeWorkspace, sharedServer, verifyChain } from "./support.ts"

const server = sharedServer()
const WORKSPACE = "wsp_one"

describe("a waiting request on PostgreSQL", () => {
  it.live("that was cut short is parked, and none of its events is taken for all of them", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => server().newDatabase())
      const query = (statement: string) => Effect.promise(() => server().query(url, statement))
      yield* Effect.gen(function* () {
        yield* makeWorkspace(WORKSPACE)
        const events = ["one", "two"].map((action) => ({ actor_id: "ada", action }))
        for (let request = 0; request < 5; request++) yield* accept(WORKSPACE, events)
        const ids = (yield* query("SELECT id FROM inbox ORDER BY id")).map(({ id }) => Number(id))
        // Within an event, after one, and all of it.
        for (const [at, lines] of [
          [1, 3],
          [2, 5],
          [3, 0]
        ] as const)
          yield* query(`
            UPDATE inbox SET events = array_to_string((string_to_array(events, chr(10)))[1:${lines}], chr(10))
            WHERE id = ${ids[at]}`)
        yield* drain
        assert.deepStrictEqual(
          (yield* query("SELECT id FROM parked ORDER BY id")).map(({ id }) => Number(id)),
          ids.slice(1, 4)
        )
        assert.lengthOf(yield* (yield* EventLog).entries(WORKSPACE, 1, 100), 4)
        assert.isTrue((yield* verifyChain(WORKSPACE)).valid)
      }).pipe(Effect.provide(cairnOn(url)))
    })
  )
})
