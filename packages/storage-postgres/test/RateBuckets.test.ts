import { RateBuckets } from "@cairn/core/workspace"
import { PostgresStorage } from "@cairn/storage-postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { sharedServer } from "./support.ts"

const server = sharedServer()
const PER_MINUTE = 600
/** Tokens that a bucket gains while a test asks: the machine may be slow. */
const MEANWHILE = 100

const settle = (process: string, used: number, key = "wsp_one", perMinute = PER_MINUTE) =>
  Effect.flatMap(RateBuckets, (buckets) => buckets.settle({ key, process, used, perMinute }))

const onDatabase = <A, E>(test: (url: string) => Effect.Effect<A, E, RateBuckets>) =>
  Effect.gen(function* () {
    const url = yield* Effect.promise(() => server().newDatabase())
    yield* test(url).pipe(Effect.provide(PostgresStorage.layer({ url: Redacted.make(url) })))
  })

describe("a shared rate bucket on PostgreSQL", () => {
  it.live("begins full, and every process takes from the same one", () =>
    onDatabase(() =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* settle("a", 0), { tokens: PER_MINUTE, sharers: 1 })
        const after = yield* settle("b", 250)
        assert.strictEqual(after.sharers, 2)
        assert.isAtLeast(after.tokens, PER_MINUTE - 250)
        assert.isBelow(after.tokens, PER_MINUTE - 250 + MEANWHILE)
        // Another key is another bucket.
        assert.deepStrictEqual(yield* settle("a", 1, "wsp_two"), { tokens: PER_MINUTE - 1, sharers: 1 })
      })
    )
  )

  it.live("loses no settlement of those that come at once, and falls below zero rather than forget", () =>
    onDatabase(() =>
      Effect.gen(function* () {
        yield* settle("a", 0)
        yield* Effect.all(
          Array.from({ length: 100 }, (_, index) => settle(`p${index % 10}`, 7)),
          { concurrency: "unbounded" }
        )
        const { tokens, sharers } = yield* settle("a", 0)
        assert.strictEqual(sharers, 11)
        assert.isAtLeast(tokens, PER_MINUTE - 700)
        assert.isBelow(tokens, PER_MINUTE - 700 + MEANWHILE)
      })
    )
  )

  it.live("gains with time, up to what it holds, and forgets a process that was silent for a minute", () =>
    onDatabase((url) =>
      Effect.gen(function* () {
        /** As if everything had happened so much earlier. */
        const age = (seconds: number) =>
          Effect.promise(() =>
            server().query(
              url,
              `UPDATE rate_bucket SET at = at - $1::float8, sharers = (
                 SELECT jsonb_object_agg(name, seen::float8 - $1::float8) FROM jsonb_each(sharers) AS s (name, seen))`,
              [seconds]
            )
          )
        yield* settle("a", 400)
        yield* settle("b", 200)
        yield* age(30)
        const half = yield* settle("a", 0)
        assert.strictEqual(half.sharers, 2)
        assert.isAtLeast(half.tokens, 300)
        assert.isBelow(half.tokens, 300 + MEANWHILE)
        yield* age(40)
        assert.deepStrictEqual(yield* settle("a", 0), { tokens: PER_MINUTE, sharers: 1 })
      })
    )
  )

  it.live("takes a plan that has changed for what it is now", () =>
    onDatabase(() =>
      Effect.gen(function* () {
        yield* settle("a", 0)
        assert.deepStrictEqual(yield* settle("a", 0, "wsp_one", 60), { tokens: 60, sharers: 1 })
      })
    )
  )

  it.live("is not kept for ever: one that is full again is removed, and begins full", () =>
    onDatabase((url) =>
      Effect.gen(function* () {
        yield* settle("a", 1, "long ago")
        yield* settle("a", 1, "just now")
        const keys = Effect.map(
          Effect.promise(() => server().query(url, "SELECT key FROM rate_bucket ORDER BY key")),
          (rows) => rows.map(({ key }) => key)
        )
        yield* Effect.promise(() =>
          server().query(url, "UPDATE rate_bucket SET at = at - 3601 WHERE key = 'long ago'")
        )
        // Another process begins with removing them.
        yield* Effect.gen(function* () {
          for (let tries = 0; tries < 100 && (yield* keys).length > 1; tries++)
            yield* Effect.sleep("20 millis")
        }).pipe(Effect.provide(PostgresStorage.layer({ url: Redacted.make(url) }), { local: true }))
        assert.deepStrictEqual(yield* keys, ["just now"])
      })
    )
  )
})
