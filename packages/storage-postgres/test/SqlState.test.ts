/** Which errors a server has said itself. */
import { PostgresClient } from "@cairn/storage-postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { commitUnknown, isAnswer, noConnection } from "../src/SqlState.ts"
import { sharedServer } from "./support.ts"

const server = sharedServer()

const failing = (cause: unknown) =>
  new SqlError({ reason: new ConnectionError({ cause, message: "failed", operation: "execute" }) })

describe("an error", () => {
  it.live("of a statement is the server's answer", () =>
    Effect.gen(function* () {
      const url = Redacted.make(yield* Effect.promise(() => server().newDatabase()))
      yield* Effect.gen(function* () {
        const { unsafe } = yield* SqlClient.SqlClient
        for (const statement of [
          "SELECT FROM nowhere",
          "SELECT 1 / 0",
          "DO $$ BEGIN RAISE 'no'; END $$",
          "SELECT pg_cancel_backend(pg_backend_pid()), pg_sleep(10)"
        ])
          assert.isTrue(isAnswer(yield* Effect.flip(unsafe(statement))), statement)
        // What PgBouncer says that has no session to spare.
        assert.isTrue(isAnswer(failing(Object.assign(new Error("no more connections"), { code: "08P01" }))))
      }).pipe(Effect.provide(PostgresClient.layerQuiet({ url })))
    })
  )

  it("of ours or of the system's is none", () => {
    assert.isFalse(isAnswer(noConnection("the server was left for another")))
    assert.isFalse(isAnswer(commitUnknown("the server does not answer")))
    for (const code of ["EPIPE", "ECONNRESET", "ETIMEDOUT", "ERR_STREAM_DESTROYED"])
      assert.isFalse(isAnswer(failing(Object.assign(new Error("closed"), { code }))), code)
    assert.isFalse(isAnswer(failing(new Error("no code"))))
  })
})
