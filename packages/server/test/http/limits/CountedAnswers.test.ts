import { EventEmitter } from "node:events"
import { Api, type EndpointName, permissionFor } from "@cairn/api"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { AuthorizedRequest } from "../../../src/http/gate/Endpoint.ts"
import { type AnswerBudget, makeAnswerBudget } from "../../../src/http/limits/AnswerBudget.ts"
import { countedAnswer } from "../../../src/http/limits/CountedAnswers.ts"
import { type Answer, jsonTextAnswer } from "../../../src/http/plumbing/Answer.ts"

const KIB = 1024

const NAMES: ReadonlyArray<EndpointName> = Object.values(Api.groups)
  .flatMap((group) => Object.values(group.endpoints))
  .map(({ identifier }) => identifier)
  // What is about the person who has signed in is small: at most a page of sessions.
  .filter((name) => permissionFor(name) !== null)

/** Those that reserve by themselves: the budget is given to them where they are made. */
const BY_THEMSELVES = ["listEvents", "eventProofs"]

/** Those whose answers are large by what is stored, and not by what is walked through. */
const RESERVED = /^list|^getEvent$|^eventProof$/

const settled = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow)

/** Runs an operation whose answer is this; gives what is taken until the client has it, and after. */
const takenBy = Effect.fnUntraced(function* (budget: AnswerBudget, name: EndpointName, answer: Answer) {
  const response = Object.assign(new EventEmitter(), { socket: null, headersSent: true })
  const request = { response, identity: { workspaceId: "w" } } as unknown as AuthorizedRequest
  let reserved = 0
  const endpoint = () =>
    Effect.sync(() => {
      reserved = budget.taken()
      return answer
    })
  assert.strictEqual(yield* countedAnswer(budget, name, endpoint)(request), answer)
  assert.strictEqual(reserved > 256 * KIB, RESERVED.test(name) && !BY_THEMSELVES.includes(name), name)
  yield* settled
  const before = budget.taken()
  response.emit("close")
  yield* settled
  return [before, budget.taken()]
})

describe("The answer of every operation", () => {
  it.effect("is counted until its client has it, if it is large and in memory", () =>
    Effect.gen(function* () {
      const budget = yield* makeAnswerBudget(8 * KIB * KIB)
      const size = 260 * KIB
      for (const name of NAMES) {
        const counted = BY_THEMSELVES.includes(name) ? 0 : size
        const large = jsonTextAnswer("x".repeat(size))
        assert.deepStrictEqual(yield* takenBy(budget, name, large), [counted, 0], name)
        const small = jsonTextAnswer("x".repeat(60 * KIB))
        assert.deepStrictEqual(yield* takenBy(budget, name, small), [0, 0], name)
        const file = { ...large, body: Stream.make(new Uint8Array(size)) }
        assert.deepStrictEqual(yield* takenBy(budget, name, file), [0, 0], name)
      }
      assert.isAbove(NAMES.length, 50)
    }).pipe(Effect.scoped)
  )
})
