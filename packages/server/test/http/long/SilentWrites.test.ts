/** Sessions over a store that takes no writes. */
import { Micros } from "@cairn/core/encoding"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accepting } from "../AcceptingStorage.ts"
import { signedIn } from "../SignedIn.ts"
import { makeTenant, send, testServerOver } from "../TestServer.ts"

const EVENTS = "/api/v1/events"

describe("A store that takes no writes and says nothing", () => {
  it.live("holds up who reads with a new session for seconds, and no further", () => {
    const state = { hangs: false }
    const hanging = accepting((accepted) => (state.hangs ? Effect.never : accepted))
    return Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { headers } = yield* signedIn(workspace.id, "member")
      state.hangs = true
      const took = Effect.gen(function* () {
        const began = yield* Micros.now
        assert.strictEqual((yield* send({ path: EVENTS, headers })).status, 200)
        return ((yield* Micros.now) - began) / Micros.SECOND
      })
      // Two for the session, and two for the read.
      assert.isBelow(yield* took, 5)
      assert.isBelow(yield* took, 3)
      state.hangs = false
      assert.isBelow(yield* took, 1)
    }).pipe(Effect.provide(testServerOver(hanging)))
  })
})
