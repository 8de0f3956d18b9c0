/** How many answers that go on and on are open at a time. */
import { EventEmitter } from "node:events"
import type { ServerResponse } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { makeOpenStreams } from "../../../src/http/limits/OpenStreams.ts"

const LIMITS = { ofWorkspace: 2, ofViewer: 1, ofProcess: 4 }

/** A response that a test closes. */
const responseOf = (state: { readonly closed?: boolean; readonly destroyed?: boolean } = {}) =>
  Object.assign(new EventEmitter(), state) as unknown as ServerResponse

/** Streams, and what opens one; its response, or the code of the refusal. */
const opened = () => {
  const streams = makeOpenStreams("counts", LIMITS)
  const open = (workspaceId: string, tenantId: string | null = null, response = responseOf()) => {
    const viewer = tenantId === null ? null : { tenantId, actorId: null }
    return Effect.as(streams.open({ identity: { workspaceId }, viewer, response }), response)
  }
  const refusal = (workspaceId: string, tenantId: string | null = null) =>
    Effect.map(Effect.flip(open(workspaceId, tenantId)), ({ code, headers }) => [
      code,
      headers?.["retry-after"]
    ])
  return { streams, open, refusal }
}

describe("open streams", () => {
  it.effect("are so many of a workspace, of a viewer and of the process, until they close", () =>
    Effect.gen(function* () {
      const { streams, open, refusal } = opened()
      const first = yield* open("wsp_1", "acme")
      assert.deepStrictEqual(yield* refusal("wsp_1", "acme"), ["rate_limited", "10"])
      yield* open("wsp_1", "globex")
      assert.deepStrictEqual(yield* refusal("wsp_1"), ["rate_limited", "10"])
      yield* open("wsp_2", "acme")
      yield* open("wsp_2")
      assert.strictEqual(streams.size(), LIMITS.ofProcess)
      assert.deepStrictEqual(yield* refusal("wsp_3"), ["unavailable", "10"])
      first.emit("close")
      assert.strictEqual(streams.size(), LIMITS.ofProcess - 1)
      yield* open("wsp_1", "acme")
      assert.deepStrictEqual(yield* refusal("wsp_3"), ["unavailable", "10"])
    })
  )

  it.effect("leave places to other tenants and to the workspace, however many readers a tenant has", () =>
    Effect.gen(function* () {
      const streams = makeOpenStreams("counts", { ofWorkspace: 100, ofViewer: 10, ofProcess: 1_000 })
      /** Opens as many as there can be, of many actors of a tenant, or of none. */
      const fill = Effect.fnUntraced(function* (tenantId: string | null, actors: ReadonlyArray<string>) {
        const responses: Array<ServerResponse> = []
        for (const actorId of actors) {
          const response = responseOf()
          const asking = { identity: { workspaceId: "wsp_1" }, viewer: { tenantId, actorId }, response }
          const exit = yield* Effect.exit(streams.open(asking))
          if (Exit.isSuccess(exit)) responses.push(response)
        }
        return responses
      })
      const actors = Array.from({ length: 200 }, (_, index) => `actor ${index}`)
      const first = yield* fill("acme", actors)
      assert.lengthOf(first, 50)
      assert.lengthOf(yield* fill("globex", actors), 25)
      // Each is one of its own.
      assert.lengthOf(yield* fill(null, ["ada", "bob"]), 2)
      const own = { identity: { workspaceId: "wsp_1" }, viewer: null }
      for (let count = 0; count < 5; count++) yield* streams.open({ ...own, response: responseOf() })
      const refused = yield* Effect.flip(
        streams.open({ ...own, viewer: { tenantId: "acme", actorId: null }, response: responseOf() })
      )
      assert.strictEqual(
        refused.message,
        "The viewers of this tenant have 50 counts open, and no more may be at once"
      )
      // What a tenant gives up is there for those who have fewer.
      for (const response of first.slice(0, 30)) response.emit("close")
      assert.lengthOf(yield* fill("initech", actors), 24)
      assert.lengthOf(yield* fill("acme", actors), 2)
    })
  )

  it.effect("do not count a client that has gone while it was looked at", () =>
    Effect.gen(function* () {
      const { streams, open } = opened()
      for (const state of [{ closed: true }, { destroyed: true }]) {
        const exit = yield* Effect.exit(open("wsp_1", null, responseOf(state)))
        assert.isTrue(Exit.hasInterrupts(exit))
      }
      assert.strictEqual(streams.size(), 0)
    })
  )
})
