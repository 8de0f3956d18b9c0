/** Collectors of every kind, and what is pushed to them. */
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { MeterSet, Meters } from "@cairn/core/log"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Schema, Scope } from "effect"
import { HttpClient } from "effect/http"
import { layerCollectorClient } from "../../src/metrics/CollectorClient.ts"
import { makePublishedMetrics } from "../../src/metrics/EffectMetrics.ts"
import { layerMetricsPush } from "../../src/metrics/MetricsPush.ts"
import { MetricsReader } from "../../src/metrics/MetricsReader.ts"
import { SERVER_METRICS } from "../../src/metrics/ServerFamilies.ts"
import type { MetricsPushSettings } from "../../src/settings/TelemetrySettings.ts"

const SECRET = "Bearer of-this-test"

const settings = (url: string, more: Partial<MetricsPushSettings> = {}): MetricsPushSettings => ({
  url,
  headers: { authorization: SECRET },
  protocol: "http/json",
  timeoutMillis: 300,
  intervalMillis: 50,
  serviceName: "audit",
  resource: { "deployment.environment.name": "test" },
  ...more
})

/** For a collector that answers: nothing fails where the machine is late. */
const PATIENT = { timeoutMillis: 30_000 }

interface Pushed {
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: Buffer
}

const collector = (answer: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const pushed: Array<Pushed> = []
      const server = createServer(async (request, response) => {
        const chunks: Array<Buffer> = []
        for await (const chunk of request) chunks.push(Buffer.from(chunk))
        pushed.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(chunks) })
        answer(request, response)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, pushed, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

/** A reader that has read these. */
const reader = () => {
  const meters = new MeterSet()
  meters.counter(SERVER_METRICS.errors, { code: "internal" }).add(3)
  meters.observed(SERVER_METRICS.inboxAge, () => 1.5)
  meters.histogram(SERVER_METRICS.requestDuration, { method: "GET", route: "/x" }).observe(0.02)
  const { context, publish } = makePublishedMetrics()
  publish(meters.samples())
  return Layer.succeed(MetricsReader, MetricsReader.of({ refresh: Effect.void, metrics: context }))
}

/** How many pushes had an outcome. */
type Count = (outcome: "sent" | "failed") => number

/** Pushes until it is enough; what was logged and metered, and how long the end took. */
const push = Effect.fnUntraced(function* (given: MetricsPushSettings, isEnough: (count: Count) => boolean) {
  const lines: Array<string> = []
  const meters = new MeterSet()
  const scope = yield* Scope.make()
  yield* Layer.build(layerMetricsPush(given)).pipe(
    Effect.provide(reader()),
    Effect.provideService(Meters, meters),
    Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])),
    Scope.provide(scope)
  )
  const count: Count = (outcome) =>
    meters.counter(SERVER_METRICS.pushes, { signal: "metrics", outcome }).value
  yield* Effect.sleep(20).pipe(Effect.repeat({ until: () => isEnough(count) }))
  const began = performance.now()
  yield* Scope.close(scope, Exit.void)
  const took = performance.now() - began
  return { warnings: lines.filter((line) => line.includes("WARN")), lines, took, count }
})

const Value = Schema.Struct({ key: Schema.String, value: Schema.Unknown })
const Metric = Schema.Struct({
  name: Schema.String,
  unit: Schema.String,
  sum: Schema.optionalKey(
    Schema.Struct({
      isMonotonic: Schema.Boolean,
      aggregationTemporality: Schema.Number,
      dataPoints: Schema.Array(Schema.Struct({ asDouble: Schema.Number, attributes: Schema.Array(Value) }))
    })
  ),
  gauge: Schema.optionalKey(
    Schema.Struct({ dataPoints: Schema.Array(Schema.Struct({ asDouble: Schema.Number })) })
  ),
  histogram: Schema.optionalKey(
    Schema.Struct({
      dataPoints: Schema.Array(
        Schema.Struct({
          count: Schema.Number,
          sum: Schema.Number,
          bucketCounts: Schema.Array(Schema.Number),
          explicitBounds: Schema.Array(Schema.Number)
        })
      )
    })
  )
})
const decodePushed = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      resourceMetrics: Schema.Tuple([
        Schema.Struct({
          resource: Schema.Struct({ attributes: Schema.Array(Value) }),
          scopeMetrics: Schema.Tuple([Schema.Struct({ metrics: Schema.Array(Metric) })])
        })
      ])
    })
  )
)

describe.concurrent("a push of the metrics", () => {
  it.live("has what a scrape has, under the same names, with the headers that are set", () =>
    Effect.gen(function* () {
      const { url, pushed } = yield* collector((_, response) => response.end("{}"))
      const { warnings, count } = yield* push(
        settings(`${url}/base/v1/metrics`, PATIENT),
        (count) => count("sent") > 1
      )
      assert.strictEqual(count("failed"), 0)
      assert.deepStrictEqual(warnings, [])
      const [first] = pushed
      assert.strictEqual(first?.path, "/base/v1/metrics")
      assert.strictEqual(first?.headers.authorization, SECRET)
      const [{ resource, scopeMetrics }] = decodePushed(String(first?.body)).resourceMetrics
      const attributes = Object.fromEntries(resource.attributes.map(({ key, value }) => [key, value]))
      assert.deepInclude(attributes, { "service.name": { stringValue: "audit" } })
      assert.deepInclude(attributes, { "deployment.environment.name": { stringValue: "test" } })
      const metrics = new Map(scopeMetrics[0].metrics.map((metric) => [metric.name, metric]))
      const errors = metrics.get("cairn_http_errors_total")?.sum
      assert.strictEqual(errors?.isMonotonic, true)
      assert.strictEqual(errors?.aggregationTemporality, 2)
      assert.strictEqual(errors?.dataPoints[0]?.asDouble, 3)
      const age = metrics.get("cairn_inbox_age_seconds")
      assert.strictEqual(age?.unit, "s")
      assert.strictEqual(age?.gauge?.dataPoints[0]?.asDouble, 1.5)
      const duration = metrics.get("cairn_http_request_duration_seconds")?.histogram?.dataPoints[0]
      assert.deepStrictEqual(duration?.explicitBounds, [...SERVER_METRICS.requestDuration.bounds])
      assert.deepStrictEqual(duration?.bucketCounts.slice(0, 4), [0, 0, 1, 0])
      assert.strictEqual(duration?.count, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is protobuf unless JSON is asked for", () =>
    Effect.gen(function* () {
      const { url, pushed } = yield* collector((_, response) => response.end())
      yield* push(settings(url, { ...PATIENT, protocol: "http/protobuf" }), (count) => count("sent") > 0)
      assert.strictEqual(pushed[0]?.headers["content-type"], "application/x-protobuf")
      assert.include(pushed[0]?.body.toString("latin1"), "cairn_http_errors_total")
    }).pipe(Effect.scoped)
  )

  const hostile: Record<string, RequestListener> = {
    fails: (_, response) => response.writeHead(500).end("secret of the collector"),
    "sends it elsewhere": (_, response) => response.writeHead(307, { location: "/elsewhere" }).end(),
    "never answers": () => {},
    "never ends its answer": (_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write("x".repeat(100_000)), 1)
      response.on("close", () => clearInterval(timer))
    },
    "tells it to come again in a thousand years": (_, response) =>
      response.writeHead(429, { "retry-after": "31557600000" }).end(),
    "breaks the connection": (request) => request.socket.destroy()
  }

  it.live.each(Object.entries(hostile))("costs no more than a line, if the collector %s", ([, answer]) =>
    Effect.gen(function* () {
      const { url, pushed } = yield* collector(answer)
      const { warnings, lines, took, count } = yield* push(
        settings(url),
        (count) => pushed.length > 0 && count("failed") + count("sent") > 0
      )
      assert.deepStrictEqual(new Set(pushed.map(({ path }) => path)), new Set(["/"]))
      if (!answer.toString().includes("setInterval")) assert.isAtLeast(count("failed"), 1)
      assert.strictEqual(warnings.length, count("failed") > 0 ? 1 : 0)
      // A second, however busy the machine is; for a collector that never answers, it could be for ever.
      assert.isBelow(took, 15_000)
      for (const line of lines) {
        assert.notInclude(line, SECRET)
        assert.notInclude(line, "secret of the collector")
      }
    }).pipe(Effect.scoped)
  )

  it.live("is not told by the collector how long to wait", () =>
    Effect.gen(function* () {
      const { url } = yield* collector((_, response) => response.writeHead(429, { "retry-after": "9" }).end())
      const { status, headers } = yield* Effect.provide(
        HttpClient.post(url),
        layerCollectorClient("metrics", 1_000)
      )
      assert.strictEqual(status, 429)
      assert.isUndefined(headers["retry-after"])
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([])))
  )

  it.live("costs no more than a line, if there is no collector", () =>
    Effect.gen(function* () {
      const { url, server } = yield* collector(() => {})
      yield* Effect.promise(() => new Promise((resolve) => server.close(resolve)))
      const { warnings, count } = yield* push(settings(url), (count) => count("failed") > 0)
      assert.lengthOf(warnings, 1)
      assert.include(warnings[0], "ECONNREFUSED")
      assert.isAbove(count("failed"), 0)
      assert.strictEqual(count("sent"), 0)
    }).pipe(Effect.scoped)
  )
})
