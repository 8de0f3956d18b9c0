/** The traces of a thread, which requests there are spans of, and collectors that do not take them. */
import { createServer, IncomingMessage, type RequestListener, ServerResponse } from "node:http"
import { type AddressInfo, Socket } from "node:net"
import {
  AcceptedTraces,
  beginSpan,
  endSpan,
  MeterSet,
  Meters,
  Tracing,
  type TracingShape
} from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Scope, Tracer } from "effect"
import { Exchange } from "../../src/http/plumbing/Exchange.ts"
import { SERVER_METRICS } from "../../src/metrics/ServerFamilies.ts"
import type { OtlpTarget } from "../../src/settings/TelemetrySettings.ts"
import { isSampled, MOST_TRACED_A_SECOND, RequestTraces } from "../../src/trace/RequestTraces.ts"
import { layerThreadTracing } from "../../src/trace/ThreadTracing.ts"

const target = (url: string): OtlpTarget => ({
  url,
  headers: {},
  protocol: "http/json",
  timeoutMillis: 300,
  serviceName: "audit",
  resource: {}
})

const span = (number: number) =>
  Tracer.externalSpan({
    traceId: number.toString(16).padStart(32, "a"),
    spanId: number.toString(16).padStart(16, "b")
  })

const collector = (answer: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request, response) => {
        request.resume()
        request.on("end", () => answer(request, response))
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

/** The tracing of a thread that pushes nowhere. */
const tracingOn = Effect.fnUntraced(function* (channel: string) {
  const context = yield* Layer.build(layerThreadTracing(target("http://127.0.0.1:9/"), channel))
  const tracing = yield* Effect.provide(Tracing, context)
  assert.isDefined(tracing)
  return tracing as TracingShape
})

describe.concurrent("the traces of a thread", () => {
  it.live("are known before the event loop has had a turn, with a bound on what is kept", () =>
    Effect.gen(function* () {
      const accepting = yield* tracingOn("known at once")
      const sequencing = yield* tracingOn("known at once")
      const elsewhere = yield* tracingOn("another process")
      assert.deepStrictEqual(
        sequencing.acceptedBy(() => assert.fail("nothing to ask for")),
        []
      )
      accepting.announce(["one", "two"], span(1))
      // At once: the event may be in the log thread's hands before its event loop turns.
      const [found, ...others] = sequencing.acceptedBy(() => ["none", "one", "two"])
      assert.deepStrictEqual([found?.traceId, found?.spanId], [span(1).traceId, span(1).spanId])
      assert.lengthOf(others, 0)
      assert.lengthOf(
        elsewhere.acceptedBy(() => ["one"]),
        0
      )
      accepting.announce(
        Array.from({ length: 1_000 }, (_, index) => `event ${index}`),
        span(2)
      )
      assert.lengthOf(
        sequencing.acceptedBy(() => ["event 99"]),
        1
      )
      assert.lengthOf(
        sequencing.acceptedBy(() => ["event 100"]),
        0
      )
      // Turns of the event loop bring them as well, where nobody asks.
      accepting.announce(["three"], span(3))
      yield* Effect.sleep(50)
      assert.lengthOf(
        sequencing.acceptedBy(() => ["three"]),
        1
      )
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([])))
  )

  it("make room for the newest", () => {
    const accepted = new AcceptedTraces(3)
    accepted.note(["one", "two"], span(1))
    accepted.note(["three", "four"], span(2))
    assert.deepStrictEqual(accepted.of(["one"]), [])
    assert.deepStrictEqual(accepted.of(["two", "three", "four"]), [span(1), span(2)])
  })

  const hostile: Record<string, RequestListener> = {
    fails: (_, response) => response.writeHead(500).end("secret of the collector"),
    "never answers": () => {},
    "breaks the connection": (request) => request.socket.destroy()
  }

  it.live.each(Object.entries(hostile))("cost no more than a line, if the collector %s", ([, answer]) =>
    Effect.gen(function* () {
      const { url } = yield* collector(answer)
      const lines: Array<string> = []
      const meters = new MeterSet()
      const scope = yield* Scope.make()
      const context = yield* Layer.build(layerThreadTracing(target(url), "hostile")).pipe(
        Effect.provideService(Meters, meters),
        Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])),
        Scope.provide(scope)
      )
      const tracing = (yield* Effect.provide(Tracing, context)) as TracingShape
      // As many as make a push by themselves.
      for (let count = 0; count < 600; count++)
        endSpan(
          tracing,
          beginSpan(tracing, { name: "accept", kind: "producer", parent: span(1) }),
          {},
          "failed"
        )
      const failed = meters.counter(SERVER_METRICS.pushes, { signal: "traces", outcome: "failed" })
      yield* Effect.sleep(20).pipe(Effect.repeat({ until: () => failed.value > 0 }))
      const began = performance.now()
      yield* Scope.close(scope, Exit.void)
      // A second, however busy the machine is; for a collector that never answers, it could be for ever.
      assert.isBelow(performance.now() - began, 15_000)
      const warnings = lines.filter((line) => line.includes("WARN"))
      assert.lengthOf(warnings, 1)
      assert.include(warnings[0], "Traces cannot be pushed")
      assert.notInclude(warnings[0], "secret")
    }).pipe(Effect.scoped)
  )
})

describe("the sampling of requests", () => {
  const parent = (sampled: boolean, traceId = "a".repeat(32)) => ({
    traceId,
    spanId: "b".repeat(16),
    sampled
  })
  const never = () => assert.fail("nothing random in it")

  it("is the client's where it is based on the parent", () => {
    for (const ratio of [0, 1]) {
      const sampling = { parentBased: true, ratio }
      assert.isTrue(isSampled(sampling, parent(true), never))
      assert.isFalse(isSampled(sampling, parent(false), never))
      assert.strictEqual(
        isSampled(sampling, undefined, () => 0.5),
        ratio === 1
      )
    }
  })

  it("is the same for a trace in every process where it is a share, whatever the client says", () => {
    const sampling = { parentBased: false, ratio: 0.25 }
    const low = `${"f".repeat(19)}3${"f".repeat(12)}`
    const high = `${"0".repeat(19)}4${"0".repeat(12)}`
    for (const sampled of [true, false]) {
      assert.isTrue(isSampled(sampling, parent(sampled, low), never))
      assert.isFalse(isSampled(sampling, parent(sampled, high), never))
    }
    assert.isTrue(isSampled(sampling, undefined, () => 0.2))
    assert.isFalse(isSampled(sampling, undefined, () => 0.3))
  })

  it.live("ends where a second has had enough of them", () =>
    Effect.gen(function* () {
      const tracing = yield* tracingOn("enough")
      let now = 1_000_000
      const traces = new RequestTraces(tracing, { parentBased: true, ratio: 1 }, () => now)
      const begun = () => {
        const message = Object.assign(new IncomingMessage(new Socket()), { method: "POST" })
        const arrived = {
          message,
          response: new ServerResponse(message),
          url: "/api/v1/events?secret",
          begun: 0
        }
        const exchange = new Exchange(arrived, () => "id")
        traces.begin(exchange)
        traces.end(exchange, 202)
        return exchange.span
      }
      const spans = Array.from({ length: MOST_TRACED_A_SECOND + 50 }, begun)
      assert.lengthOf(
        spans.filter((one) => one !== undefined),
        MOST_TRACED_A_SECOND
      )
      assert.strictEqual(spans[0]?.name, "POST /api/v1/events")
      now += 1_000
      assert.isDefined(begun())
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([])))
  )
})
