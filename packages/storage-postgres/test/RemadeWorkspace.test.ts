/** A workspace whose row somebody has removed and made again: its id is the same, and its number another. */
import { Checkpoints, type IssuedCheckpoint } from "@cairn/core/checkpoint"
import { PostgresStorage } from "@cairn/storage-postgres"
import { layerSeededRandomness, makeWorkspace } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { sharedServer } from "./support.ts"

const server = sharedServer()

const issued = (size: number): IssuedCheckpoint => ({
  size,
  root: `r${size}`,
  keyNumber: 1,
  note: `n${size}`
})

describe("a workspace that is made again under its id", () => {
  it.live("keeps its checkpoint, gets the next, and never one of less than was signed", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => server().newDatabase())
      const query = (statement: string) => Effect.promise(() => server().query(url, statement))
      yield* Effect.gen(function* () {
        const id = yield* makeWorkspace
        yield* (yield* Checkpoints).issue(id, issued(5))
        // What removing the row and making it again comes to: every other table keeps the former number.
        yield* query(
          `DO $$ BEGIN
             SET LOCAL session_replication_role = replica;
             UPDATE workspace SET number = DEFAULT WHERE id = '${id}';
           END $$`
        )
        // As a process that starts: one that runs knows the former number.
        yield* Effect.gen(function* () {
          const { newest, issue } = yield* Checkpoints
          assert.deepStrictEqual(yield* newest(id), Option.some(issued(5)))
          assert.strictEqual((yield* Effect.flip(issue(id, issued(4))))._tag, "StorageUnavailable")
          assert.deepStrictEqual(yield* newest(id), Option.some(issued(5)))
          yield* issue(id, issued(6))
          assert.deepStrictEqual(yield* newest(id), Option.some(issued(6)))
          yield* issue(id, issued(7))
          assert.deepStrictEqual(yield* newest(id), Option.some(issued(7)))
          const rows = yield* query("SELECT workspace_id, size::int FROM checkpoint")
          assert.deepStrictEqual(rows, [{ workspace_id: id, size: 7 }])
        }).pipe(Effect.provide(PostgresStorage.layer({ url: Redacted.make(url) }), { local: true }))
      }).pipe(Effect.provide([PostgresStorage.layer({ url: Redacted.make(url) }), layerSeededRandomness(1)]))
    })
  )
})
