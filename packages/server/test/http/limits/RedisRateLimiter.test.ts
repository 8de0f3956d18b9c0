import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { isTrial } from "@cairn/testing/TrialCases"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { RateLimiter } from "../../../src/http/limits/RateLimiter.ts"
import * as RedisRateLimiter from "../../../src/http/limits/RedisRateLimiter.ts"
import { withClockByHand } from "./ClockByHand.ts"

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Debian's redis-server, if it is installed; it keeps nothing on disk. */
const startRedis = async (port: number): Promise<ChildProcess | undefined> => {
  const child = spawn("redis-server", ["--port", String(port), "--save", "", "--appendonly", "no"])
  const started = await new Promise<boolean>((resolve) => {
    child.on("error", () => resolve(false))
    child.stdout.on("data", (text) => {
      if (String(text).includes("Ready to accept connections")) resolve(true)
    })
  })
  return started ? child : undefined
}

const port = await freePort()
let redis = await startRedis(port)
afterAll(() => redis?.kill("SIGKILL"))

/** Two processes, as far as the limiter can tell: each has its own client. */
const two = <A, E>(
  test: (one: RateLimiter["Service"], other: RateLimiter["Service"]) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const layer = () => Layer.fresh(RedisRateLimiter.layer(`redis://127.0.0.1:${port}`))
    const one = yield* Layer.build(layer())
    const other = yield* Layer.build(layer())
    const limiterOf = (context: typeof one) => Effect.provide(RateLimiter, context)
    return yield* test(yield* limiterOf(one), yield* limiterOf(other))
  }).pipe(Effect.scoped, Effect.provide(Logger.layer([])))

if (isTrial())
  describe("a Redis that takes the connection and is mute", () => {
    it.live("is an error at the start, and nothing is left of it", () =>
      Effect.gen(function* () {
        const mute = createServer((socket) => socket.resume().on("error", () => undefined))
        yield* Effect.promise(() => new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve)))
        const address = mute.address()
        const at = typeof address === "object" && address !== null ? address.port : 0
        const built = Layer.build(RedisRateLimiter.layer(`redis://user:secret@127.0.0.1:${at}`))
        const error = yield* Effect.flip(Effect.scoped(built)).pipe(Effect.timeout("20 seconds"))
        assert.strictEqual(
          String("message" in error ? error.message : error),
          `Redis does not answer: 127.0.0.1:${at} of CAIRN_REDIS_URL has said nothing for 5 seconds`
        )
        // It ends once every connection to it has ended.
        yield* Effect.promise(() => new Promise((resolve) => mute.close(resolve)))
      })
    )
  })

const title = redis === undefined ? " (skipped: there is no redis-server)" : ""

describe.skipIf(redis === undefined)(`rate limits in Redis${title}`, () => {
  it.live("hold across processes", () =>
    two((one, other) =>
      Effect.gen(function* () {
        let allowed = 0
        for (let count = 0; count < 40; count++) {
          const limiter = count % 2 === 0 ? one : other
          const state = yield* limiter.take("shared", 30)
          if (state.allowed) allowed++
          assert.strictEqual(state.remaining, Math.max(0, 29 - count))
        }
        assert.strictEqual(allowed, 30)
      })
    )
  )

  it.live("say when there is more, and let one more through then", () =>
    withClockByHand(({ advance }) =>
      two((one, other) =>
        Effect.gen(function* () {
          for (let count = 0; count < 60; count++) yield* one.take("refill", 60)
          const refused = yield* other.take("refill", 60)
          assert.isFalse(refused.allowed)
          assert.strictEqual(refused.nextSeconds, 1)
          advance(1_100_000)
          assert.isTrue((yield* other.take("refill", 60)).allowed)
          assert.isFalse((yield* one.take("refill", 60)).allowed)
        })
      )
    )
  )

  it.live("can be looked at without taking", () =>
    two((one) =>
      Effect.gen(function* () {
        yield* one.take("look", 2)
        for (let count = 0; count < 5; count++) {
          const state = yield* one.look("look", 2)
          assert.deepStrictEqual([state.allowed, state.remaining, state.limit], [true, 1, 2])
        }
        yield* one.take("look", 2)
        assert.isFalse((yield* one.look("look", 2)).allowed)
      })
    )
  )

  it.live("keep workspaces apart", () =>
    two((one) =>
      Effect.gen(function* () {
        assert.isTrue((yield* one.take("wsp_1", 1)).allowed)
        assert.isFalse((yield* one.take("wsp_1", 1)).allowed)
        assert.isTrue((yield* one.take("wsp_2", 1)).allowed)
      })
    )
  )

  it.live("hold for each process alone while Redis hangs or is gone, and for all again once it is back", () =>
    two((one, other) =>
      Effect.gen(function* () {
        redis?.kill("SIGSTOP")
        const begun = performance.now()
        assert.isTrue((yield* one.take("outage", 2)).allowed)
        assert.isBelow(performance.now() - begun, 2_000, "a request does not wait for a limiter that hangs")
        yield* Effect.promise(async () => {
          if (redis === undefined) return
          const ended = once(redis, "exit")
          redis.kill("SIGKILL")
          await ended
        })
        assert.isTrue((yield* one.take("outage", 2)).allowed)
        assert.isFalse((yield* one.take("outage", 2)).allowed)
        assert.isTrue((yield* other.take("outage", 2)).allowed)
        redis = yield* Effect.promise(() => startRedis(port))
        // The clients come back by themselves.
        for (let tries = 0; tries < 100; tries++) {
          yield* Effect.sleep("100 millis")
          yield* one.take(`back-${tries}`, 1)
          if (!(yield* other.take(`back-${tries}`, 1)).allowed) return
        }
        assert.fail("the limits are not shared again")
      })
    )
  )
})

describe.skipIf(redis === undefined)(`without Redis${title}`, () => {
  it.live("a server does not start", () =>
    Effect.gen(function* () {
      const nowhere = yield* Effect.promise(freePort)
      const exit = yield* Effect.exit(
        Effect.scoped(Layer.build(RedisRateLimiter.layer(`redis://127.0.0.1:${nowhere}`)))
      )
      assert.strictEqual(exit._tag, "Failure")
    })
  )
})
