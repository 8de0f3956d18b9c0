/** Limits of what is under way at once, in the metrics: a store that hangs keeps all of it under way. */
import { EventLog } from "@cairn/core/log"
import { meteredValue } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { storage } from "../Storage.ts"
import { makeTenant, send, TestServer, testServerOver } from "../TestServer.ts"

/** A store whose lists and counts never end. */
const hanging = Layer.effect(
  EventLog,
  Effect.map(EventLog, (log) =>
    EventLog.of({ ...log, page: () => Effect.never, count: () => Effect.never, head: () => Effect.never })
  )
).pipe(Layer.provideMerge(storage()))

const limited = (limit: string) => meteredValue("cairn_limited_requests_total", { limit })

/** Asks, and does not wait for the answers of the most of them. */
const askMany = Effect.fnUntraced(function* (key: string, paths: ReadonlyArray<string>) {
  const { port } = yield* TestServer
  const gone = new AbortController()
  yield* Effect.addFinalizer(() => Effect.sync(() => gone.abort()))
  const statuses: Array<number> = []
  for (const path of paths)
    fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: gone.signal
    }).then(
      ({ status }) => void statuses.push(status),
      () => {}
    )
  return statuses
})

/** Waits for it, seconds at most. */
const until = Effect.fnUntraced(function* (seconds: number, is: () => boolean) {
  for (let waited = 0; waited < seconds * 20 && !is(); waited++) yield* Effect.sleep(50)
})

describe("the metrics of limits, over a store that hangs", () => {
  it.live("say of counts and of large answers that there are too many at once", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTenant()
      const counts = Array.from({ length: 5 }, (_, index) => `/api/v1/events/count?actor_id=actor${index}`)
      const counted = yield* askMany(key, counts)
      yield* until(20, () => counted.length === 3)
      assert.deepStrictEqual(counted, [429, 429, 429])
      assert.strictEqual(yield* limited("counts"), 3)

      const listed = yield* askMany(
        key,
        Array.from({ length: 60 }, () => "/api/v1/events?total=none&limit=100")
      )
      yield* until(60, () => listed.length > 0)
      assert.deepStrictEqual(new Set(listed), new Set([503]))
      yield* Effect.sleep(500)
      assert.strictEqual(yield* limited("large_answers"), listed.length)
      assert.strictEqual((yield* send({ path: "/healthz" })).status, 200)
    }).pipe(Effect.scoped, Effect.provide(testServerOver(hanging)))
  )
})
