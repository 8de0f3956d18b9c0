import { distributeDatabase } from "@cairn/storage-postgres"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { sharedServer } from "./support.ts"

const server = sharedServer()

it.live("a database without Citus is not spread, and says what it lacks", () =>
  Effect.gen(function* () {
    const url = yield* Effect.promise(() => server().newDatabase())
    const error = yield* Effect.flip(distributeDatabase(Redacted.make(url)))
    assert.strictEqual(error._tag, "NotDistributable")
    assert.match(error.message, /^the database cannot be distributed: it lacks the extension citus/)
  })
)
