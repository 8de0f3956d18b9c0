import { Micros } from "@cairn/core/encoding"
import { EventLog } from "@cairn/core/log"
import { ApiKeys, DEFAULT_SCOPES } from "@cairn/core/workspace"
import { meteredValue } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ExportPace } from "../../../src/http/endpoints/EventExportEndpoint.ts"
import { StreamPatience } from "../../../src/http/plumbing/SentStream.ts"
import { breakableStorage, STORAGE_SECRET, setBroken } from "../BreakableStorage.ts"
import { accept, EXPORT, LARGE, many, token } from "../ExportSteps.ts"
import { rawRequest, until } from "../RawExchange.ts"
import { storage } from "../Storage.ts"
import { makeKey, makeTenant, send, testServerOver } from "../TestServer.ts"

/** A server whose log counts what is read of it, and can be made to fail. */
const reads = { entries: 0, millis: 0 }
const countedServer = (patience?: { millis: number; bytes: number }) => {
  const counted = Layer.effect(
    EventLog,
    Effect.map(EventLog, (log) =>
      EventLog.of({
        ...log,
        entries: (...given) => {
          reads.entries++
          return Effect.delay(log.entries(...given), reads.millis)
        }
      })
    )
  )
  const server = testServerOver(
    counted.pipe(Layer.provideMerge(breakableStorage), Layer.provideMerge(storage()))
  )
  return patience === undefined ? server : server.pipe(Layer.provide(Layer.succeed(StreamPatience, patience)))
}

const hasBody = (text: string) => text.length > 2_000

/** Whether nothing has been read of the log for a while. */
const isStill = Effect.gen(function* () {
  const before = reads.entries
  yield* Effect.sleep(300)
  return reads.entries === before
})

describe("an export whose client is slow or leaves", () => {
  it.live("is read no faster than it is taken, and not at all once the client has gone", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* accept(key, LARGE)
      reads.entries = 0
      const answer = yield* rawRequest({ path: EXPORT, key })
      yield* Effect.promise(() => answer.read(hasBody))
      while (!(yield* isStill));
      const held = reads.entries
      assert.isBelow(held, 8)
      answer.socket.destroy()
      assert.isTrue(yield* isStill)
      assert.isAtMost(reads.entries, held + 1)
    }).pipe(Effect.scoped, Effect.provide(countedServer()))
  )

  it.live("is cut off once the client takes next to nothing, and not as if it were whole", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* accept(key, LARGE)
      const answer = yield* rawRequest({ path: EXPORT, key })
      yield* Effect.sleep(2_000)
      yield* Effect.promise(() => answer.read())
      assert.isFalse(answer.text().endsWith("0\r\n\r\n"))
      assert.isAbove(answer.text().length, 2_000)
    }).pipe(Effect.scoped, Effect.provide(countedServer({ millis: 300, bytes: 65_536 })))
  )

  it.live("is not cut off where the client waits for its server", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* accept(key, many(600))
      reads.millis = 1_000
      const sent = yield* Effect.ensuring(
        send({ path: `${EXPORT}?format=ndjson`, key }),
        Effect.sync(() => {
          reads.millis = 0
        })
      )
      assert.isAtLeast(sent.text.trimEnd().split("\n").length, 600)
    }).pipe(Effect.scoped, Effect.provide(countedServer({ millis: 300, bytes: 65_536 })))
  )

  it.live("is sent whole to a client that is slow but takes it, and takes turns with others", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* accept(key, LARGE)
      const answer = yield* rawRequest({ path: EXPORT, key, headers: { connection: "close" } })
      let wanted = 0
      while (answer.ended() === undefined) {
        wanted += 2_000_000
        yield* Effect.promise(() => answer.read((text) => text.length >= wanted))
        yield* Effect.sleep(50)
      }
      assert.isTrue(answer.text().endsWith("0\r\n\r\n"))
      assert.isAbove(answer.text().length, 16_000_000)
    }).pipe(Effect.scoped, Effect.provide(countedServer({ millis: 1_000, bytes: 65_536 })))
  )

  it.live("is one of five of a workspace and two of what a viewer token shows", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* accept(key, LARGE)
      const other = yield* makeTenant()
      const begun = (key: string) =>
        Effect.tap(rawRequest({ path: EXPORT, key }), (answer) => Effect.promise(() => answer.read(hasBody)))
      const own = yield* token(key, { tenant_id: "other", export: true })
      yield* begun(own)
      yield* begun(own)
      const again = yield* token(key, { tenant_id: "other", export: true })
      const third = yield* send({ path: EXPORT, key: again })
      assert.strictEqual(third.status, 429)
      assert.strictEqual(third.headers["retry-after"], "10")
      const open = yield* begun(key)
      yield* begun(key)
      yield* begun(key)
      const sixth = yield* send({ path: EXPORT, key })
      assert.strictEqual(sixth.status, 429)
      assert.strictEqual(yield* meteredValue("cairn_open_answers", { kind: "exports" }), 5)
      assert.strictEqual(sixth.json().message, "The workspace has 5 exports open, and no more may be at once")
      assert.strictEqual((yield* send({ path: EXPORT, key: other.key })).status, 200)
      open.socket.destroy()
      yield* until(() => open.socket.destroyed)
      yield* Effect.sleep(100)
      yield* begun(key)
    }).pipe(Effect.scoped, Effect.provide(countedServer()))
  )
})

describe.concurrent("an export whose reader is let in no more", () => {
  const server = () => countedServer().pipe(Layer.provide(Layer.succeed(ExportPace, 50)))

  /** What a client has of an export that something happened in the middle of. */
  const during = Effect.fnUntraced(function* <E, R>(key: string, happening: Effect.Effect<unknown, E, R>) {
    const answer = yield* rawRequest({ path: EXPORT, key, headers: { connection: "close" } })
    yield* Effect.promise(() => answer.read(hasBody))
    yield* happening
    yield* Effect.sleep(300)
    yield* Effect.promise(() => answer.read())
    return answer
  })

  it.live("is cut when its key is revoked, and when the key that signs its viewer token is", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      yield* accept(key, LARGE)
      const { key: other, stored } = yield* makeKey(workspace.id)
      const revoke = Effect.flatMap(ApiKeys, (keys) =>
        Effect.flatMap(Micros.now, (now) => keys.revoke(workspace.id, stored.id, now))
      )
      const rotate = send({ path: "/api/v1/workspace/viewer-key/rotate", key, body: { revoke: true } })
      const own = yield* token(key, { export: true })
      const answers = [
        yield* during(other, Effect.andThen(revoke, Effect.sleep(1_500))),
        yield* during(own, Effect.andThen(rotate, Effect.sleep(1_500)))
      ]
      for (const answer of answers) {
        assert.isFalse(answer.text().endsWith("0\r\n\r\n"))
        assert.isBelow(answer.text().length, 12_000_000)
      }
    }).pipe(Effect.scoped, Effect.provide(server()))
  )

  it.live("goes on to its end though the time of its key is over", () =>
    Effect.gen(function* () {
      const { workspace, key } = yield* makeTenant()
      yield* accept(key, LARGE.slice(0, 1_200))
      const { key: brief } = yield* makeKey(workspace.id, DEFAULT_SCOPES, {
        expires_at: (yield* Micros.now) + 2 * Micros.SECOND
      })
      const answer = yield* during(brief, Effect.sleep(2_500))
      assert.strictEqual((yield* send({ path: EXPORT, key: brief })).status, 401)
      assert.isTrue(answer.text().endsWith("0\r\n\r\n"))
    }).pipe(Effect.scoped, Effect.provide(server()))
  )
})

describe("an export while the database goes away", () => {
  /** What a client has of an export in the middle of which the database went away. */
  const interrupted = Effect.fnUntraced(function* (version: "1.0" | "1.1", query = "") {
    const { key } = yield* makeTenant()
    yield* accept(key, LARGE)
    const answer = yield* rawRequest({ path: `${EXPORT}?format=ndjson${query}`, key }, version)
    yield* Effect.promise(() => answer.read(hasBody))
    yield* setBroken(true)
    yield* Effect.promise(() => answer.read())
    yield* setBroken(false)
    // The server goes on, and so does what is exported next.
    const next = yield* send({ path: `${EXPORT}?format=ndjson&tenant_id=acme`, key })
    assert.deepStrictEqual([next.status, next.text.trimEnd().split("\n").length], [200, LARGE.length / 5])
    return answer
  })

  it.live.each(["", "&time=occurred"])("is cut, without the chunk that says that it is whole (%j)", (query) =>
    Effect.gen(function* () {
      const answer = yield* interrupted("1.1", query)
      assert.isFalse(answer.text().endsWith("0\r\n\r\n"))
      assert.notInclude(answer.text(), STORAGE_SECRET)
      assert.isBelow(answer.text().length, 16_000_000)
    }).pipe(Effect.scoped, Effect.provide(countedServer()))
  )

  it.live("is reset for a client of HTTP/1.0, to which an end would say that it is whole", () =>
    Effect.gen(function* () {
      const answer = yield* interrupted("1.0")
      assert.strictEqual(answer.ended(), "reset")
    }).pipe(Effect.scoped, Effect.provide(countedServer()))
  )

  it.live("does not begin", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      yield* send({ path: "/api/v1/events", key })
      yield* setBroken(true)
      const refused = yield* send({ path: EXPORT, key })
      assert.strictEqual(refused.status, 503)
    }).pipe(Effect.scoped, Effect.provide(countedServer()))
  )
})
