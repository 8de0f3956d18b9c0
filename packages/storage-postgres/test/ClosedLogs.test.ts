/** Closing a log and accepting into it, in two sessions at the same moment. */
import { EventLog, LogClosed } from "@cairn/core/log"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { PostgresClient } from "@cairn/storage-postgres"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { CLOSING, slotOf } from "../src/migrations/0033_closing_lock.ts"
import { accept, cairnOn, drain, makeWorkspace, sharedServer } from "./support.ts"

const server = sharedServer()

/** Runs an effect with another session beside the storage's own. */
const besideIt = <A, E, R>(use: (other: PgClient.PgClient) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const url = yield* Effect.promise(() => server().newDatabase())
    return yield* Effect.gen(function* () {
      yield* makeWorkspace("wsp_one")
      const other = yield* Layer.build(PostgresClient.layer({ url: Redacted.make(url) }))
      return yield* use(Context.get(other, PgClient.PgClient))
    }).pipe(Effect.provide(cairnOn(url)), Effect.scoped)
  })

const event = { actor_id: "ada", action: "document.created" }

describe("a log that one session closes", () => {
  it.live("is closed once the commits of others have ended", () =>
    besideIt((other) =>
      Effect.gen(function* () {
        const written = yield* Deferred.make<void>()
        const goOn = yield* Deferred.make<void>()
        const accepting = yield* Effect.forkChild(
          other.withTransaction(
            Effect.gen(function* () {
              yield* other`
                INSERT INTO inbox (workspace, accepted_at, event_count, events)
                SELECT number, 1, 0, '' FROM workspace WHERE cairn_not_closed(ARRAY[number])`
              yield* Deferred.succeed(written, undefined)
              yield* Deferred.await(goOn)
              yield* other`DELETE FROM inbox`
            })
          )
        )
        yield* Deferred.await(written)
        const { close } = yield* ManagedWorkspaces
        const closing = yield* Effect.forkChild(close("wsp_one", 7))
        yield* Effect.sleep("300 millis")
        assert.isUndefined(closing.pollUnsafe(), "it waits for what is being accepted")
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(accepting)
        assert.strictEqual((yield* Fiber.join(closing)).closed_at, 7)
      })
    )
  )

  it.live("takes nothing of what another began to accept before", () =>
    besideIt((other) =>
      Effect.gen(function* () {
        yield* accept("wsp_one", [event])
        const locked = yield* Deferred.make<void>()
        const goOn = yield* Deferred.make<void>()
        const closing = yield* Effect.forkChild(
          other.withTransaction(
            Effect.gen(function* () {
              yield* other.unsafe(
                `SELECT pg_advisory_xact_lock(${CLOSING}, ${slotOf("number")}) FROM workspace`
              )
              yield* Deferred.succeed(locked, undefined)
              yield* Deferred.await(goOn)
              yield* other`UPDATE workspace SET closed_at = 7`
            })
          )
        )
        yield* Deferred.await(locked)
        const late = yield* Effect.forkChild(Effect.flip(accept("wsp_one", [event])))
        yield* Effect.sleep("300 millis")
        assert.isUndefined(late.pollUnsafe(), "it waits for the closing")
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(closing)
        assert.deepStrictEqual(yield* Fiber.join(late), new LogClosed({ closedAt: 7 }))
        yield* drain
        const { head } = yield* EventLog
        assert.strictEqual((yield* head("wsp_one")).sequence, 1)
      })
    )
  )
})
