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
