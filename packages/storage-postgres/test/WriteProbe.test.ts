import { Inbox, storeCause } from "@cairn/core/log"
import { PostgresStorage } from "@cairn/storage-postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Redacted } from "effect"
import { sharedServer } from "./support.ts"

const server = sharedServer()

describe("a write that is tried", () => {
  it.live("fails and says why on a database that takes none, and succeeds once it does", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => server().newDatabase())
      const name = new URL(url).pathname.slice(1)
      const elsewhere = url.replace(name, "postgres")
      /** For the connections to come, and there are only those. */
      const setReadOnly = (value: "on" | "off") =>
        Effect.promise(async () => {
          await server().query(
            elsewhere,
            `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`
          )
          await server().query(
            elsewhere,
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`
          )
        })
      yield* Effect.gen(function* () {
        const { probe } = yield* Inbox
        const outcome = probe.pipe(
          Effect.as("written"),
          Effect.catchTag("StorageUnavailable", ({ cause }) => Effect.succeed(storeCause(cause).name))
        )
        /** What becomes of it once no connection is left that was cut. */
        const settled = Effect.repeat(outcome, { times: 20, while: (found) => found === "no connection" })
        assert.strictEqual(yield* outcome, "written")
        yield* setReadOnly("on")
        assert.strictEqual(yield* settled, "read-only")
        yield* setReadOnly("off")
        assert.strictEqual(yield* settled, "written")
      }).pipe(
        Effect.provide(PostgresStorage.layer({ url: Redacted.make(url) })),
        Effect.provide(Logger.layer([]))
      )
    })
  )
})
