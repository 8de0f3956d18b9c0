import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { type Answer, type Received, startWebServer, status } from "../peers/WebServer.ts"
import { records } from "./Records.ts"
import { environment, openSink, type Peer, sinkContract } from "./SinkContract.ts"

const TOKEN = "0b54c2a1-6f0e-4f5a-9c3f-0a1b2c3d4e5f"

/** Reads a request as the collector does: JSON objects one after the other. */
const read = ({ body }: Received) =>
  body
    .toString("utf8")
    .split("\n")
    .map((line) => JSON.parse(line))

/** Answers as the collector is documented to. */
const collector: Answer = ({ path, headers }, response) => {
  const [code, text] =
    path !== "/services/collector/event"
      ? [404, "not found"]
      : headers.authorization !== `Splunk ${TOKEN}`
        ? [403, '{"text":"Invalid token","code":4}']
        : [200, '{"text":"Success","code":0}']
  response.writeHead(code).end(text)
}

const busy: Answer = status(503, {}, '{"text":"Server is busy","code":9}')

sinkContract(
  "splunk_hec",
  { dials: true, waits: true, said: { taken: /^200 .*Success/, refused: /^503 .*busy/ } },
  Effect.gen(function* () {
    let answer: Answer = collector
    const kept: Array<Received> = []
    const { port } = yield* startWebServer((request, response, raw) => {
      if (answer === collector) kept.push(request)
      answer(request, response, raw)
    })
    const made: Peer = {
      config: { type: "splunk_hec", url: `http://logs.example:${port}`, token: TOKEN },
      arrived: async () =>
        kept.flatMap(read).map(({ event }) => (typeof event === "string" ? event : JSON.stringify(event))),
      fail: () => {
        answer = busy
      },
      repair: () => {
        answer = collector
      },
      hang: () => {
        answer = () => {}
      }
    }
    return made
  })
)

/** What comes of sending two records to a collector that answers so. */
const sent = (answer: Answer, config: Record<string, unknown> = {}) =>
  Effect.gen(function* () {
    const { port, received } = yield* startWebServer(answer)
    const base = { type: "splunk_hec", url: `http://127.0.0.1:${port}/`, token: TOKEN }
    const sink = yield* openSink({ ...base, ...config }, environment("cairn"))
    return { received, result: yield* Effect.result(sink.send(records(1, 2))) }
  })

describe("splunk_hec", () => {
  it.live("wraps each event with its time to the microsecond, host, source and type", () =>
    Effect.gen(function* () {
      const { received, result } = yield* sent(collector, { index: "audit" })
      assert.isTrue(Result.isSuccess(result))
      const [request] = received
      if (request === undefined) return assert.fail("nothing arrived")
      assert.include(request.body.toString("utf8").split("\n")[0], '{"time":1714568371.000000,')
      const [first] = read(request)
      const { event, ...envelope } = first
      assert.strictEqual(event.id, "event-1")
      assert.deepStrictEqual(envelope, {
        time: 1_714_568_371,
        host: "wsp_1",
        source: "cairn",
        sourcetype: "cairn:audit",
        index: "audit"
      })
    })
  )

  it.live.each([
    ["a wrong token", collector, { token: "other" }, "the destination returned 403"],
    ["a busy collector", busy, {}, "Server is busy"],
    ["a proxy's page", status(200, {}, "<html>Welcome</html>"), {}, "Welcome"],
    ["a 200 with an error's code", status(200, {}, '{"text":"No data","code":5}'), {}, "No data"]
  ] as const)("takes %s for a failure", ([, answer, config, reason]) =>
    Effect.gen(function* () {
      const { result } = yield* sent(answer, config)
      assert.include(Result.isFailure(result) ? result.failure.reason : "", reason)
    })
  )
})
