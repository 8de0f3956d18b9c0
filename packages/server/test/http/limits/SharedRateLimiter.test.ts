import type { Micros } from "@cairn/core/encoding"
import { Randomness } from "@cairn/core/hashing"
import { StorageUnavailable } from "@cairn/core/log"
import { RateBuckets } from "@cairn/core/workspace"
import { PostgresStorage } from "@cairn/storage-postgres"
import { layerManualClock, type ManualClock, manualClock } from "@cairn/testing"
import type { TestDatabases } from "@cairn/testing/EmbeddedPostgres"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import { RateLimiter } from "../../../src/http/limits/RateLimiter.ts"
import * as SharedRateLimiter from "../../../src/http/limits/SharedRateLimiter.ts"

const LIMIT = 600
const KEY = "wsp_one"
const SECOND: Micros.Micros = 1_000_000

const limiter = (buckets: typeof RateBuckets.Service) =>
  Effect.map(
    Layer.build(
      Layer.fresh(SharedRateLimiter.layer).pipe(
        Layer.provide([Layer.succeed(RateBuckets, buckets), Randomness.layer])
      )
    ),
    (context) => RateLimiter.pipe(Effect.provideContext(context))
  ).pipe(Effect.flatten)

/** Asks until it is refused, at most so often; gives how often it was allowed. */
const takeAll = Effect.fnUntraced(function* ({ take }: typeof RateLimiter.Service, most = 10 * LIMIT) {
  for (let taken = 0; taken < most; taken++) if (!(yield* take(KEY, LIMIT)).allowed) return taken
  return most
})

describe("rate limits of processes that share a PostgreSQL", () => {
  let postgres: TestDatabases
  beforeAll(async () => {
    postgres = await sharedPostgres()
  })

  const onDatabase = <A, E>(test: Effect.Effect<A, E, RateBuckets | import("effect").Scope.Scope>) =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => postgres.newDatabase())
      yield* Effect.scoped(test).pipe(Effect.provide(PostgresStorage.layer({ url: Redacted.make(url) })))
    })

  it.live(
    "hold over time: a burst on both at once is at most half as large again, and is paid back before there is more",
    () =>
      onDatabase(
        Effect.gen(function* () {
          const buckets = yield* RateBuckets
          const one = yield* limiter(buckets)
          const two = yield* limiter(buckets)
          // Both have come to know of each other.
          yield* one.take(KEY, LIMIT)
          yield* two.take(KEY, LIMIT)
          yield* Effect.sleep("1100 millis")
          yield* one.take(KEY, LIMIT)
          yield* two.take(KEY, LIMIT)
          yield* Effect.sleep("100 millis")
          const begun = performance.now()
          const gained = () => (LIMIT / 60) * ((performance.now() - begun) / 1_000 + 3)
          let allowed = 4
          let turn = 0
          while (performance.now() - begun < 4_000) {
            const { take } = turn++ % 3 === 0 ? one : two
            if ((yield* take(KEY, LIMIT)).allowed) allowed++
            else yield* Effect.sleep("5 millis")
          }
          assert.isAtMost(allowed, LIMIT * 1.5 + gained())
          // And they do not hold back what may be given out.
          assert.isAtLeast(allowed, LIMIT * 0.9)
          // What was given out is what the bucket knows of, once it is settled.
          yield* Effect.sleep("1100 millis")
          for (const { take } of [one, two]) if ((yield* take(KEY, LIMIT)).allowed) allowed++
          yield* Effect.sleep("200 millis")
          const { tokens } = yield* buckets.settle({ key: KEY, process: "test", used: 0, perMinute: LIMIT })
          assert.isAtMost(tokens, LIMIT - allowed + gained())
        })
      )
  )

  it.live(
    "let a process that joins give out no more than its share of what others have not settled yet",
    () =>
      onDatabase(
        Effect.gen(function* () {
          const buckets = yield* RateBuckets
          const one = yield* limiter(buckets)
          const begun = performance.now()
          const first = yield* takeAll(one)
          const joined = yield* takeAll(yield* limiter(buckets))
          const gained = (LIMIT / 60) * ((performance.now() - begun) / 1_000) + 1
          assert.isAtMost(first, LIMIT + gained)
          assert.isAtMost(joined, LIMIT / 2 + gained)
        })
      )
  )

  it.live("settle at most once a second, whatever the load", () =>
    onDatabase(
      Effect.gen(function* () {
        const buckets = yield* RateBuckets
        const clockOfDatabase = yield* Clock.Clock
        const clock = manualClock(0)
        const settledAt: Array<number> = []
        let settling = 0
        const counted = RateBuckets.of({
          settle: (usage) => {
            settledAt.push(clock.clock.currentTimeMillisUnsafe())
            settling++
            return buckets
              .settle(usage)
              .pipe(
                Effect.provideService(Clock.Clock, clockOfDatabase),
                Effect.ensuring(Effect.sync(() => settling--))
              )
          }
        })
        yield* Effect.gen(function* () {
          const { take } = yield* limiter(counted)
          for (let millis = 0; millis < 2_500; millis++) {
            yield* take(KEY, LIMIT)
            // The database answers in no time of this clock.
            while (settling > 0) yield* Effect.promise(() => new Promise(setImmediate))
            clock.advance(SECOND / 1_000)
          }
        }).pipe(Effect.provide(layerManualClock(clock)))
        assert.deepStrictEqual(settledAt, [0, 1_000, 2_000])
      })
    )
  )
})

describe("rate limits while the database is away", () => {
  const away = RateBuckets.of({
    settle: () => Effect.fail(new StorageUnavailable({ operation: "settle a rate limit", cause: "away" }))
  })
  const withClock = <A, E>(
    test: (clock: ManualClock) => Effect.Effect<A, E, import("effect").Scope.Scope>
  ) => {
    const clock = manualClock(0)
    return Effect.scoped(test(clock)).pipe(Effect.provide(layerManualClock(clock)))
  }

  it.live("are those of the process alone: a full bucket, and its refill", () =>
    withClock(({ advance }) =>
      Effect.gen(function* () {
        const one = yield* limiter(away)
        assert.strictEqual(yield* takeAll(one), LIMIT)
        advance(3 * SECOND)
        assert.strictEqual(yield* takeAll(one), (LIMIT / 60) * 3)
      })
    )
  )

  it.live("forget nothing of what was given out: it is settled when the database is back", () =>
    withClock(({ advance }) =>
      Effect.gen(function* () {
        const used: Array<number> = []
        let isAway = false
        const flaky = RateBuckets.of({
          settle: (usage) =>
            isAway
              ? away.settle(usage)
              : Effect.sync(() => {
                  used.push(usage.used)
                  return { tokens: LIMIT - used.reduce((sum, each) => sum + each, 0), sharers: 1 }
                })
        })
        const one = yield* limiter(flaky)
        yield* takeAll(one, 10)
        isAway = true
        for (let second = 0; second < 5; second++) {
          advance(2 * SECOND)
          yield* takeAll(one, 10)
          // Settlements on the side have their turn.
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
        }
        isAway = false
        advance(2 * SECOND)
        yield* one.take(KEY, LIMIT)
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
        advance(2 * SECOND)
        yield* one.take(KEY, LIMIT)
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
        assert.isAtLeast(
          used.reduce((sum, each) => sum + each, 0),
          10 + 50
        )
      })
    )
  )
})
