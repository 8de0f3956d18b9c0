import { Micros } from "@cairn/core/encoding"
import { Sessions } from "@cairn/core/people"
import { ApiKeys, DEFAULT_SCOPES } from "@cairn/core/workspace"
import { meteredValue } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { Draining } from "../../src/http/plumbing/Draining.ts"
import { setBroken } from "./BreakableStorage.ts"
import { accept, has, LIVE, live, liveServer, token, told } from "./LiveSteps.ts"
import type { RawAnswer } from "./RawExchange.ts"
import { signedIn } from "./SignedIn.ts"
import { makeKey, makeTenant, send } from "./TestServer.ts"

describe.concurrent("GET /api/v1/events/live", () => {
  it.live("tells how many events of its conditions were recorded since it began", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* accept(key, 3)
      const answer = yield* live(key, "?action=document.*&actor_id=ada")
      const head = answer.text().slice(0, answer.text().indexOf("\r\n\r\n")).toLowerCase()
      assert.include(head, "content-type: text/event-stream; charset=utf-8")
      assert.include(head, "cache-control: no-store, no-transform")
      assert.include(head, "x-accel-buffering: no")
      assert.notInclude(head, "content-encoding")
      yield* accept(key, 2)
      yield* has(answer, '{"new":2}')
      yield* accept(key, 5, { actor_id: "bob" })
      yield* accept(key, 1)
      yield* has(answer, '{"new":3}')
      assert.deepStrictEqual(told(answer), [2, 3])
    }).pipe(Effect.scoped, Effect.provide(liveServer()))
  )

  it.live("counts apart for workspaces that look at the same", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* makeTenant(), yield* makeTenant()]
      const streams = [
        yield* live(one.key, "?actor_id=ada"),
        yield* live(other.key, "?actor_id=ada")
      ] as const
      yield* accept(other.key, 2)
      yield* has(streams[1], '{"new":2}')
      assert.deepStrictEqual(streams.map(told), [[], [2]])
    }).pipe(Effect.scoped, Effect.provide(liveServer()))
  )

  it.live("sends a line that means nothing while there is nothing to tell", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const answer = yield* live(key)
      yield* Effect.promise(() => answer.read((text) => text.split(":\n\n").length === 4))
    }).pipe(Effect.scoped, Effect.provide(liveServer({ heartbeat: 300, check: 3_000, count: 1_000 })))
  )

  it.live("tells no more than a viewer token shows", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const own = yield* token(key, { tenant_id: "acme" })
      const answer = yield* live(own)
      const outside = yield* live(own, "?tenant_id=other")
      yield* accept(key, 2, { tenant_id: "other" })
      yield* accept(key, 1, { tenant_id: "acme" })
      yield* has(answer, '{"new":1}')
      yield* Effect.promise(() => Promise.all([answer.readFor(1_200), outside.readFor(1_200)]))
      assert.deepStrictEqual([told(answer), told(outside)], [[1], []])
    }).pipe(Effect.scoped, Effect.provide(liveServer()))
  )

  it.live("goes on while the database is away, and has missed nothing when it is back", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const answer = yield* live(key, "?actor_id=ada")
      yield* accept(key, 1)
      yield* setBroken(true)
      yield* Effect.sleep(1_500)
      yield* setBroken(false)
      yield* accept(key, 1)
      yield* has(answer, '{"new":2}')
      assert.isUndefined(answer.ended())
    }).pipe(Effect.scoped, Effect.provide(liveServer()))
  )

  it.live("is refused where the database is away when it begins, and answers HEAD without a stream", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      assert.strictEqual((yield* send({ method: "HEAD", path: LIVE, key })).status, 200)
      yield* setBroken(true)
      assert.strictEqual((yield* send({ path: LIVE, key })).status, 503)
      yield* setBroken(false)
      const wrong = yield* send({ path: `${LIVE}?limit=1`, key })
      assert.strictEqual(wrong.status, 400)
    }).pipe(Effect.scoped, Effect.provide(liveServer()))
  )

  it.live("is one of ten of what a viewer token shows, of 50 of a tenant, and of 100 of a workspace", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const other = yield* makeTenant()
      const streams: Array<RawAnswer> = []
      for (let count = 0; count < 10; count++)
        streams.push(yield* live(yield* token(key, { tenant_id: "acme", actor_id: "ada" })))
      const again = yield* token(key, { tenant_id: "acme", actor_id: "ada" })
      assert.strictEqual((yield* send({ path: LIVE, key: again })).status, 429)
      yield* live(yield* token(key, { tenant_id: "acme" }))
      for (let actor = 0; actor < 39; actor++)
        yield* live(yield* token(key, { tenant_id: "acme", actor_id: `actor ${actor}` }))
      const more = yield* token(key, { tenant_id: "acme", actor_id: "eve" })
      assert.strictEqual((yield* send({ path: LIVE, key: more })).status, 429)
      yield* live(yield* token(key, { tenant_id: "globex" }))
      for (let count = 0; count < 49; count++) yield* live(key)
      const refused = yield* send({ path: LIVE, key })
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers["retry-after"], "10")
      assert.strictEqual(yield* meteredValue("cairn_limited_requests_total", { limit: "open_answers" }), 3)
      yield* live(other.key)
      streams[0]?.socket.destroy()
      yield* Effect.sleep(200)
      // One place is free, and the tenant has 49.
      assert.strictEqual((yield* send({ path: LIVE, key: again })).status, 429)
      yield* live(key)
    }).pipe(Effect.scoped, Effect.provide(liveServer()))
  )
})

/** The end of a stream, which is a whole body. */
const endOf = Effect.fnUntraced(function* (answer: RawAnswer) {
  yield* has(answer, "event: end\n")
  yield* Effect.promise(() => answer.read((text) => text.endsWith("0\r\n\r\n")))
  return /event: end\ndata: (.*)\n\n/.exec(answer.text())?.[1]
})

describe.concurrent("a stream of counts ends", () => {
  it.live("when its viewer token expires, or its key", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { key } = yield* makeKey(workspace.id, DEFAULT_SCOPES, {
        expires_at: (yield* Micros.now) + 3 * Micros.SECOND
      })
      const answers = [yield* live(yield* token(key, { tenant_id: "acme" })), yield* live(key)]
      for (const answer of answers) assert.strictEqual(yield* endOf(answer), '{"reason":"expired"}')
    }).pipe(Effect.scoped, Effect.provide(liveServer()))
  )

  it.live("when its key is revoked, and when the key that signs its viewer token is", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const { key: other, stored } = yield* makeKey(workspace.id)
      const byKey = yield* live(other)
      const byToken = yield* live(yield* token(key, { tenant_id: "acme" }))
      yield* (yield* ApiKeys).revoke(workspace.id, stored.id, yield* Micros.now)
      assert.strictEqual(yield* endOf(byKey), '{"reason":"revoked"}')
      yield* Effect.promise(() => byToken.readFor(600))
      assert.isUndefined(byToken.ended())
      yield* send({ path: "/api/v1/workspace/viewer-key/rotate", key, body: { revoke: true } })
      assert.strictEqual(yield* endOf(byToken), '{"reason":"revoked"}')
    }).pipe(Effect.scoped, Effect.provide(liveServer()))
  )

  it.live("when the session of its member is ended, or the member leaves the workspace", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      const one = yield* signedIn(workspace.id, "auditor")
      const other = yield* signedIn(workspace.id, "member")
      const streams = {
        one: yield* live(undefined, "", one.headers),
        other: yield* live(undefined, "", other.headers)
      }
      yield* (yield* Sessions).end(one.session.person_id, one.session.id, yield* Micros.now)
      assert.strictEqual(yield* endOf(streams.one), '{"reason":"revoked"}')
      yield* Effect.promise(() => streams.other.readFor(600))
      assert.isUndefined(streams.other.ended())
      const removed = yield* send({ method: "DELETE", path: `/api/v1/members/${other.member.id}`, key })
      assert.isBelow(removed.status, 300)
      assert.strictEqual(yield* endOf(streams.other), '{"reason":"revoked"}')
    }).pipe(Effect.scoped, Effect.provide(liveServer()))
  )

  it.live("not while the database cannot say whether its member may read", () =>
    Effect.gen(function* () {
      const { workspace } = yield* makeTenant()
      const { headers } = yield* signedIn(workspace.id, "auditor")
      const answer = yield* live(undefined, "", headers)
      yield* setBroken(true)
      yield* Effect.promise(() => answer.readFor(1_000))
      assert.isUndefined(answer.ended())
      yield* setBroken(false)
      yield* Effect.promise(() => answer.readFor(500))
      assert.isUndefined(answer.ended())
    }).pipe(Effect.scoped, Effect.provide(liveServer()))
  )

  it.live("when the server begins to stop, at once", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const answer = yield* live(key)
      const began = performance.now()
      yield* Ref.set(yield* Draining, "leaving")
      assert.strictEqual(yield* endOf(answer), '{"reason":"stopping"}')
      assert.isBelow(performance.now() - began, 1_000)
    }).pipe(Effect.scoped, Effect.provide(liveServer({ heartbeat: 15_000, check: 15_000, count: 1_000 })))
  )
})
