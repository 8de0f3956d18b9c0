import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { decodeDestination } from "../../src/sinks/Sinks.ts"
import { certificate } from "../peers/Certificates.ts"
import { type Answer, type Received, startWebServer, status } from "../peers/WebServer.ts"
import { records, texts } from "./Records.ts"
import { environment, openSink, type Peer, sinkContract } from "./SinkContract.ts"

const taken = (received: ReadonlyArray<Received>): ReadonlyArray<string> =>
  received.flatMap(({ headers, body }) => {
    const text = body.toString("utf8")
    if (headers["content-type"] !== "application/json") return text.trimEnd().split("\n")
    return JSON.parse(text).map((item: unknown) => (typeof item === "string" ? item : JSON.stringify(item)))
  })

const peer = (body: "ndjson" | "array") =>
  Effect.gen(function* () {
    let answer: Answer = status(200)
    const kept: Array<Received> = []
    const { port } = yield* startWebServer((request, response, raw) => {
      answer(request, response, raw)
      if (response.statusCode === 200 && response.writableEnded) kept.push(request)
    })
    const made: Peer = {
      config: { type: "https", url: `http://logs.example:${port}/logs`, body },
      arrived: async () => taken(kept),
      fail: () => {
        answer = status(503)
      },
      repair: () => {
        answer = status(200)
      },
      hang: () => {
        answer = () => {}
      }
    }
    return made
  })

const reach = { dials: true, waits: true, said: { taken: /^200 $/, refused: /^503 $/ } }
sinkContract("https, one record a line", reach, peer("ndjson"))
sinkContract("https, as an array", reach, peer("array"))

/** What a server that answers so is sent, and what comes of it. */
const sent = (answer: Answer, config: Record<string, unknown> = {}) =>
  Effect.gen(function* () {
    const { port, received, connections } = yield* startWebServer(answer)
    const url = `http://127.0.0.1:${port}/logs?a=b`
    const sink = yield* openSink({ type: "https", url, ...config }, environment("cairn"))
    const first = yield* Effect.result(sink.send(records(7, 9)))
    const second = yield* Effect.result(sink.send(records(10, 10)))
    return { received, first, second, connections: connections() }
  })

describe("https", () => {
  it.live("says which records it sends, and who sends them", () =>
    Effect.gen(function* () {
      const { received } = yield* sent(status(204), { authorization: "Bearer secret" })
      const [request] = received
      assert.include(request, { method: "POST", path: "/logs?a=b" })
      assert.deepInclude(request?.headers, {
        authorization: "Bearer secret",
        "content-type": "application/x-ndjson",
        "x-cairn-first-sequence": "7",
        "x-cairn-last-sequence": "9"
      })
    })
  )

  it.live("keeps its connection for the next batch", () =>
    Effect.gen(function* () {
      const { connections } = yield* sent(status(200))
      assert.strictEqual(connections, 1)
    })
  )

  it.live("repeats what the destination says, but no secret and no line break, and heeds Retry-After", () =>
    Effect.gen(function* () {
      const refuse = status(429, { "retry-after": "30" }, "bad token:\nBearer secret")
      const { first } = yield* sent(refuse, { authorization: "Bearer secret" })
      assert.include(Result.isFailure(first) ? first.failure : {}, {
        reason: "the destination returned 429: bad token: ***",
        retryAfter: 30_000_000
      })
    })
  )

  it.live.each([301, 400, 410, 500])("takes %i for a failure", (code) =>
    Effect.gen(function* () {
      const { first } = yield* sent(status(code, { location: "http://127.0.0.1/" }))
      assert.isTrue(Result.isFailure(first))
    })
  )

  it.live("speaks TLS to whom it is told to trust", () =>
    Effect.gen(function* () {
      const { port, received } = yield* startWebServer(status(200), certificate(["logs.example"]))
      const config = { type: "https", url: `https://logs.example:${port}/`, body: "array" }
      const sink = yield* openSink(config, environment("cairn"))
      yield* sink.send(records(1, 2))
      assert.deepStrictEqual([...taken(received)], [...texts(records(1, 2))])
    })
  )

  it("refuses, before anything is sent, a URL that may not be called", () => {
    const { guard, ...rest } = environment("cairn")
    const strict = { ...rest, guard: { ...guard, checkUrl: () => guard.checkUrl("https://10.0.0.1/") } }
    const destination = Result.getOrThrow(decodeDestination({ type: "https", url: "https://a.example/" }))
    const check = destination.check(strict)
    assert.strictEqual(
      Result.isFailure(check) ? check.failure.message : "",
      "destination.url: 10.0.0.1: is not a public address; the operator of Cairn can allow it with CAIRN_OUTBOUND_ALLOW"
    )
  })
})
