import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import type { AuthorizedRequest } from "../../../src/http/gate/Endpoint.ts"
import { run } from "../../../src/http/gate/Guard.ts"
import { jsonAnswer } from "../../../src/http/plumbing/Answer.ts"
import { match } from "../../../src/http/plumbing/Routes.ts"

const routeOf = (method: string, path: string) => {
  const found = match(method, `/api/v1${path}`)
  return found.kind === "route" ? found.route : assert.fail(`there is nothing at ${path}`)
}

describe("a client that goes away between the event of a change and the change", () => {
  it.effect.each([
    ["PATCH", "/workspace", true],
    ["DELETE", "/alert-rules/rul_1", true],
    ["POST", "/workspace/viewer-key/rotate", true],
    ["POST", "/anchors", true],
    ["GET", "/verify", false],
    ["POST", "/alert-rules/rul_1/backtest", false],
    ["POST", "/alert-rules/backtest", false]
  ] as const)("does not stop it, but stops a read: %s %s", ([method, path, isCarriedOut]) =>
    Effect.gen(function* () {
      const recorded = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      let changed = false
      const endpoint = () =>
        Effect.gen(function* () {
          yield* Deferred.succeed(recorded, undefined)
          yield* Deferred.await(goOn)
          changed = true
          return jsonAnswer({})
        })
      const access = { note: () => Effect.void }
      const wanted = { route: routeOf(method, path), endpoint }
      const asking = yield* Effect.forkChild(run({ access }, wanted, {} as AuthorizedRequest, null))
      yield* Deferred.await(recorded)
      const leaving = yield* Effect.forkChild(Fiber.interrupt(asking))
      yield* Effect.yieldNow
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(leaving)
      assert.strictEqual(changed, isCarriedOut)
    })
  )
})
