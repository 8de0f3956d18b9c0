import { InboxSignal } from "@cairn/core/log"
import { PostgresStorage } from "@cairn/storage-postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { accept, cairnOn, makeWorkspace, postgresServer } from "./support.ts"

const server = postgresServer()
const WORKSPACE = "wsp_one"

/** How long a waiter waits when nothing comes, in milliseconds: a little less than what it says itself. */
const IDLE = 900
/** How soon it is woken, on a busy machine. */
const SOON = 600
/** How long the database is away. */
const AWAY = 3_000

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const begun = performance.now()
    return Effect.map(effect, () => performance.now() - begun)
  })

/** Waits until waiting alone takes its time: whoever does not listen asks ten times as often. */
const untilListening = (wait: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const until = performance.now() + 20_000
    while ((yield* timed(wait)) < IDLE) assert.isBelow(performance.now(), until, "nobody listens")
  })

describe("the signal of the inbox on PostgreSQL", () => {
  it.live("wakes a waiter of another process at once, also after the database was restarted", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => server().newDatabase())
      yield* Effect.gen(function* () {
        yield* makeWorkspace(WORKSPACE)
        // A pool of its own, as another process would have.
        yield* Effect.gen(function* () {
          const wait = (yield* InboxSignal).wait(0)
          const wakes = Effect.gen(function* () {
            yield* untilListening(wait)
            let soonest = Number.POSITIVE_INFINITY
            for (let round = 0; round < 5; round++) {
              const [took] = yield* Effect.all(
                [timed(wait), accept(WORKSPACE, [{ actor_id: "a", action: "signal.sent" }])],
                { concurrency: "unbounded" }
              )
              soonest = Math.min(soonest, took)
            }
            assert.isBelow(soonest, SOON)
          })
          yield* wakes
          yield* Effect.promise(() => server().restart(500))
          yield* wakes
        }).pipe(Effect.provide(PostgresStorage.layer({ url: Redacted.make(url) })))
      }).pipe(Effect.provide(cairnOn(url)))
    })
  )

  it.live("never fails and never waits for long while the database is away", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => server().newDatabase())
      yield* Effect.gen(function* () {
        const wait = (yield* InboxSignal).wait(0)
        yield* wait
        let away = true
        const restart = yield* Effect.promise(() => server().restart(AWAY)).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              away = false
            })
          ),
          Effect.forkChild
        )
        // Who waited for the database would wait for as long as it is away.
        let longest = 0
        while (away) longest = Math.max(longest, yield* timed(wait))
        assert.isBelow(longest, AWAY)
        yield* Fiber.join(restart)
      }).pipe(Effect.provide(PostgresStorage.layer({ url: Redacted.make(url) })))
    })
  )
})
