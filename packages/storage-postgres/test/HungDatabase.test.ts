import { Inbox, StorageUnavailable } from "@cairn/core/log"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { PostgresStorage } from "@cairn/storage-postgres"
import { testWorkspace } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { postgresServer } from "./support.ts"

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
    "fails what is accepted within seconds, and takes it again once it goes on",
    () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => server().newDatabase())
        yield* Effect.gen(function* () {
          const workspaces = yield* ManagedWorkspaces
          yield* workspaces.create(testWorkspace({ id: "wsp_1" }))
          yield* accept("before")
          server().freeze()
          const failed = yield* Effect.flip(accept("during")).pipe(
            Effect.timeout("20 seconds"),
            Effect.ensuring(Effect.sync(() => server().thaw()))
          )
          assert.instanceOf(failed, StorageUnavailable)
          // The same key finds out whether it was stored after all.
          const [retried] = yield* accept("during")
          assert.deepInclude(retried, { id: "during" })
          const [after] = yield* accept("after")
          assert.deepStrictEqual(after, { id: "after", duplicate: false })
        }).pipe(Effect.provide(PostgresStorage.layer({ url: Redacted.make(url) })))
      }),
    90_000
  )
})
