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
import { withClockByHand } from "./ClockByHand.ts"

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

/** The same buckets, and a wait until none of them is being settled any more. */
const counted = (
  buckets: typeof RateBuckets.Service,
  before: Effect.Effect<void> = Effect.void
): { readonly buckets: typeof RateBuckets.Service; readonly settled: Effect.Effect<void> } => {
  let settling = 0
  return {
    buckets: RateBuckets.of({
      settle: (usage) => {
        settling++
        return Effect.andThen(before, buckets.settle(usage)).pipe(
          Effect.ensuring(Effect.sync(() => settling--))
        )
      }
    }),
    settled: Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))).pipe(
      Effect.repeat({ until: () => settling === 0 }),
      Effect.asVoid
    )
  }
}

describe("rate limits of processes that share a PostgreSQL", () => {
  let postgres: TestDatabases
  beforeAll(async () => {
    postgres = await sharedPostgres()
  })

  const onDatabase = <A, E>(
    test: (url: string) => Effect.Effect<A, E, RateBuckets | import("effect").Scope.Scope>
  ) =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => postgres.newDatabase())
      yield* Effect.scoped(test(url)).pipe(Effect.provide(PostgresStorage.layer({ url: Redacted.make(url) })))
    })

  /**
   * The database's buckets and their limiters on a clock by hand. The database has a clock of its own: what
   * it knows is made older by as much as the one by hand has moved, whenever it is asked.
   */
  const onClockByHand = Effect.fnUntraced(function* (url: string, { clock, advance }: ManualClock) {
    const begun = performance.now()
    let aged = 0
    const age = Effect.promise(async () => {
      const seconds = clock.currentTimeMillisUnsafe() / 1_000
      const older = seconds - aged
      aged = seconds
      await postgres.query(
        url,
        `UPDATE rate_bucket SET at = at - $1::float8, sharers = (
           SELECT jsonb_object_agg(name, seen::float8 - $1::float8) FROM jsonb_each(sharers) AS s (name, seen))`,
        [older]
      )
    })
    const { buckets, settled } = counted(yield* RateBuckets, age)
    return {
      buckets,
      settled,
      one: yield* limiter(buckets),
      two: yield* limiter(buckets),
      pass: (millis: number) => advance(millis * 1_000),
      /** What a bucket has gained at most by now: a second is one that the clock by hand has not passed. */
      gained: () =>
        (LIMIT / 60) * (clock.currentTimeMillisUnsafe() / 1_000 + (performance.now() - begun) / 1_000 + 1)
    }
  })

  it.live(
    "hold over time: a burst on both at once is at most half as large again, and is paid back before there is more",
    () =>
      onDatabase((url) =>
        withClockByHand((clock) =>
          Effect.gen(function* () {
            const { one, two, buckets, settled, pass, gained } = yield* onClockByHand(url, clock)
            let allowed = 0
            const take = Effect.fnUntraced(function* (of: typeof RateLimiter.Service) {
              if ((yield* of.take(KEY, LIMIT)).allowed) allowed++
            })
            // Both have come to know of each other.
            for (const millis of [1_100, 100]) {
              yield* take(one)
              yield* take(two)
              yield* settled
              pass(millis)
            }
            for (let turn = 0; turn < 4_000; turn++) {
              yield* take(turn % 3 === 0 ? one : two)
              // Others take while the database answers, for five turns.
              if (turn % 5 === 0) yield* settled
              pass(1)
            }
            assert.isAtMost(allowed, LIMIT * 1.5 + gained())
            // And they do not hold back what may be given out.
            assert.isAtLeast(allowed, LIMIT * 0.9)
            // What was given out is what the bucket knows of, once it is settled.
            pass(1_100)
            yield* take(one)
            yield* take(two)
            yield* settled
            const { tokens } = yield* buckets.settle({ key: KEY, process: "test", used: 0, perMinute: LIMIT })
            assert.isAtMost(tokens, LIMIT - allowed + gained())
          })
        )
      )
  )

  it.live(
    "let a process that joins give out no more than its share of what others have not settled yet",
    () =>
      onDatabase(() =>
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
    onDatabase(() =>
      Effect.gen(function* () {
        const buckets = yield* RateBuckets
        const clockOfDatabase = yield* Clock.Clock
        const clock = manualClock(0)
        const settledAt: Array<number> = []
        const { buckets: watched, settled } = counted(
          RateBuckets.of({
            settle: (usage) => Effect.provideService(buckets.settle(usage), Clock.Clock, clockOfDatabase)
          }),
          Effect.sync(() => void settledAt.push(clock.clock.currentTimeMillisUnsafe()))
        )
        yield* Effect.gen(function* () {
          const { take } = yield* limiter(watched)
          for (let millis = 0; millis < 2_500; millis++) {
            yield* take(KEY, LIMIT)
            // The database answers in no time of this clock.
            yield* settled
            clock.advance(SECOND / 1_000)
          }
        }).pipe(Effect.provide(layerManualClock(clock)))
        assert.deepStrictEqual(settledAt, [0, 1_000, 2_000])
      })
    )
  )
})

describe("rate limits while the database is slow", () => {
  it.live("let the first requests of a bucket wait for what it holds, and refuse none of them", () =>
    Effect.gen(function* () {
      let asked = 0
      const slow = RateBuckets.of({
        settle: () =>
          Effect.delay(
            Effect.sync(() => {
              asked++
              return { tokens: 30, sharers: 1 }
            }),
            "20 millis"
          )
      })
      const { take } = yield* limiter(slow)
      const taken = yield* Effect.forEach(Array.from({ length: 40 }), () => take(KEY, LIMIT), {
        concurrency: "unbounded"
      })
      assert.lengthOf(
        taken.filter(({ allowed }) => allowed),
        30
      )
      assert.strictEqual(asked, 1)
    }).pipe(Effect.scoped)
  )

  it.live("begin a bucket full where it does not answer at all, and keep to it", () =>
    Effect.gen(function* () {
      const { take } = yield* limiter(RateBuckets.of({ settle: () => Effect.never }))
      const taken = yield* Effect.forEach(Array.from({ length: LIMIT + 50 }), () => take(KEY, LIMIT), {
        concurrency: "unbounded"
      })
      const { length } = taken.filter(({ allowed }) => allowed)
      assert.isAtLeast(length, LIMIT)
      assert.isAtMost(length, LIMIT + 20)
    }).pipe(Effect.scoped)
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
        const { buckets, settled } = counted(flaky)
        const one = yield* limiter(buckets)
        yield* takeAll(one, 10)
        isAway = true
        for (let second = 0; second < 5; second++) {
          advance(2 * SECOND)
          yield* takeAll(one, 10)
          // Settlements on the side have their turn.
          yield* settled
        }
        isAway = false
        advance(2 * SECOND)
        yield* one.take(KEY, LIMIT)
        yield* settled
        advance(2 * SECOND)
        yield* one.take(KEY, LIMIT)
        yield* settled
        assert.isAtLeast(
          used.reduce((sum, each) => sum + each, 0),
          10 + 50
        )
      })
    )
  )
})
