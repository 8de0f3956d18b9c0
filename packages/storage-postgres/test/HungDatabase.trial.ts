import { Inbox, StorageUnavailable } from "@cairn/core/log"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { PostgresClient, PostgresStorage } from "@cairn/storage-postgres"
import { testWorkspace } from "@cairn/testing"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Redacted, Schedule, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { postgresServer } from "./support.ts"

/** More than ten times the sessions of a client. */
const READS = 110

const server = postgresServer()

const accept = (key: string) =>
  Effect.flatMap(Inbox, (inbox) =>
    inbox.accept({
      workspaceId: "wsp_1",
      acceptedAt: 1,
      keysExpireBefore: null,
      events: [{ id: key, idempotencyKey: key, clientAddress: null, content: { head: "{", tail: "}" } }]
    })
  )

describe("a database that answers nothing any more", () => {
  it.live(
    "fails what is accepted and what is read within seconds, and goes on once the database does",
    () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => server().newDatabase())
        const client = yield* Layer.build(PostgresClient.layerQuiet({ url: Redacted.make(url) }))
        const { unsafe } = Context.get(client, SqlClient.SqlClient)
        const other = yield* Scope.make()
        const { listen } = Context.get(
          yield* Layer.buildWithScope(PostgresClient.layerQuiet({ url: Redacted.make(url) }), other),
          PgClient.PgClient
        )
        yield* Scope.provide(listen("said"), other)
        yield* Effect.gen(function* () {
          const workspaces = yield* ManagedWorkspaces
          yield* workspaces.create(testWorkspace({ id: "wsp_1" }))
          yield* accept("before")
          const long = yield* Effect.forkChild(Effect.flip(unsafe("SELECT pg_sleep(60)")))
          yield* Effect.sleep("200 millis")
          server().freeze()
          const reads = yield* Effect.forkChild(
            Effect.all(
              Array.from({ length: READS }, () => Effect.flip(unsafe("SELECT 1"))),
              { concurrency: READS }
            )
          )
          const closing = yield* Effect.forkChild(Scope.close(other, Exit.void))
          const [notAccepted, notRead] = yield* Effect.flip(accept("during")).pipe(
            Effect.timeout("20 seconds"),
            Effect.zip(Effect.timeout(Fiber.join(long), "40 seconds")),
            // Also who waits for a free session there, and who listens.
            Effect.tap(Effect.timeout(Effect.all([Fiber.join(reads), Fiber.join(closing)]), "50 seconds")),
            Effect.ensuring(Effect.sync(() => server().thaw()))
          )
          assert.instanceOf(notAccepted, StorageUnavailable)
          assert.strictEqual(notRead.reason._tag, "ConnectionError")
          // Whoever asks soon after it was silent is answered as those before.
          const soon = Effect.retry(Schedule.spaced("100 millis"))
          assert.deepStrictEqual(yield* soon(unsafe("SELECT 1 AS one")), [{ one: 1 }])
          // The same key finds out whether it was stored after all.
          const [retried] = yield* soon(accept("during"))
          assert.deepInclude(retried, { id: "during" })
          const [after] = yield* accept("after")
          assert.deepStrictEqual(after, { id: "after", duplicate: false })
        }).pipe(Effect.provide(PostgresStorage.layer({ url: Redacted.make(url) })))
      }),
    180_000
  )
})
