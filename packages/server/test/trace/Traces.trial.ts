/** A request's trace through the threads of a server, as a collector and the receivers see it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { startWebServer } from "../../../delivery/test/peers/WebServer.ts"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { testDatabases } from "../support/TestDatabase.ts"

killLeftovers()

/** Milliseconds that a busy machine may take over anything. */
const PATIENCE = 60_000
const PARENT = "00f067aa0ba902b7"

const Attribute = Schema.Struct({ key: Schema.String, value: Schema.Unknown })
const Span = Schema.Struct({
  traceId: Schema.String,
  spanId: Schema.String,
  parentSpanId: Schema.optionalKey(Schema.String),
  name: Schema.String,
  kind: Schema.Number,
  startTimeUnixNano: Schema.String,
  endTimeUnixNano: Schema.String,
  attributes: Schema.Array(Attribute),
  links: Schema.Array(Schema.Struct({ traceId: Schema.String }))
})
type Span = typeof Span.Type
const decodePushed = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      resourceSpans: Schema.Array(
        Schema.Struct({
          resource: Schema.Struct({ attributes: Schema.Array(Attribute) }),
          scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Span) }))
        })
      )
    })
  )
)

/** A `traceparent` of this trace. */
const parent = (traceId: string, flags = "01") => `00-${traceId}-${PARENT}-${flags}`

const traceId = (number: number) => number.toString(16).padStart(32, "a")

/** A server with a webhook, an alert rule and a log stream, and everything that it pushes and sends. */
const startTraced = Effect.fnUntraced(function* (variables: Record<string, string>) {
  const collector = yield* startWebServer((_, response) => response.writeHead(200).end("{}"))
  const receiver = yield* startWebServer((_, response) => response.writeHead(200).end())
  const server = yield* Effect.promise(async () => {
    const { database } = await newDatabase()
    const options = {
      database,
      variables: {
        CAIRN_OUTBOUND_ALLOW: "127.0.0.0/8",
        CAIRN_OUTBOUND_HTTP: "true",
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `http://127.0.0.1:${collector.port}/spans`,
        OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-tenant=of-this-test",
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        ...variables
      }
    }
    const tenant = await makeTenant("Secret Name", options)
    const started = await startServer(options)
    const client = apiClient(started.baseUrl, tenant.key)
    const url = `http://127.0.0.1:${receiver.port}`
    const make = async (path: string, body: unknown) =>
      assert.isBelow((await client.request("POST", `/api/v1${path}`, body)).status, 300)
    await make("/webhooks", { url: `${url}/webhook` })
    await make("/alert-rules", {
      name: "All",
      rule_type: "repeated_action",
      action: "secret.*",
      parameters: { threshold: 2 }
    })
    const destination = { type: "https", url: `${url}/stream`, body: "ndjson" }
    await make("/log-streams", { name: "Stream", batch_seconds: 0, destination })
    // Once it has delivered something, the delivery thread hears of traces.
    assert.strictEqual((await client.send({ actor_id: "first", action: "secret.begun" })).status, 202)
    const isDelivered = () => receiver.received.some(({ path }) => path === "/stream")
    await eventually("the first event", async () => isDelivered() || undefined, PATIENCE)
    return { ...started, client, tenant }
  })
  const spans = (): ReadonlyArray<Span> =>
    collector.received.flatMap(({ body }) =>
      decodePushed(String(body)).resourceSpans.flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap((scope) => scope.spans)
      )
    )
  const send = async (path: string, body: unknown, headers: Record<string, string>) =>
    assert.strictEqual((await server.client.request("POST", `/api/v1${path}`, body, headers)).status, 202)
  return { ...server, collector, receiver, spans, send }
})

const { newDatabase } = testDatabases("SQLite")

const event = { actor_id: "secret-actor", action: "secret.deleted", tenant_id: "secret-tenant" }

const found = (spans: ReadonlyArray<Span>, name: string): Span => {
  const span = spans.find((one) => one.name === name)
  assert.isDefined(span, `${name} of ${spans.map((one) => one.name)}`)
  return span
}

const said = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value as object)[0]]))

describe("traces of a server", () => {
  it.live(
    "go with an event from its request through every thread to who receives it",
    () =>
      Effect.gen(function* () {
        const { client, send, spans, stop, receiver, collector, tenant } = yield* startTraced({})
        yield* Effect.promise(async () => {
          const traced = traceId(1)
          const body = { events: [event, event, event] }
          await send("/events/batch", body, { traceparent: parent(traced), tracestate: "vendor=secret" })
          const whole = await eventually(
            "the whole trace",
            async () => {
              const of = spans().filter((span) => span.traceId === traced)
              const names = new Set(of.map(({ name }) => name))
              return names.has("sequence") && names.has("deliver webhook") && names.has("deliver stream")
                ? of
                : undefined
            },
            PATIENCE
          )
          const request = found(whole, "POST /api/v1/events/batch")
          const accept = found(whole, "accept")
          assert.strictEqual(request.parentSpanId, PARENT)
          assert.strictEqual(request.kind, 2)
          assert.deepStrictEqual(said(request), {
            "http.request.method": "POST",
            "http.route": "/api/v1/events/batch",
            "http.response.status_code": 202
          })
          assert.strictEqual(accept.parentSpanId, request.spanId)
          assert.deepStrictEqual(said(accept), { "cairn.events": 3 })
          const sequence = found(whole, "sequence")
          assert.strictEqual(sequence.parentSpanId, accept.spanId)
          for (const channel of ["webhook", "stream"]) {
            const deliver = found(whole, `deliver ${channel}`)
            assert.strictEqual(deliver.parentSpanId, accept.spanId)
            assert.deepStrictEqual(said(deliver), {
              "cairn.channel": channel,
              "cairn.outcome": "delivered"
            })
            const told = receiver.received.find(
              ({ path, headers }) => path === `/${channel}` && headers.traceparent !== undefined
            )
            assert.strictEqual(told?.headers.traceparent, `00-${traced}-${deliver.spanId}-01`)
            assert.isUndefined(told?.headers.tracestate)
          }
          // One after the other, as they happened.
          assert.isTrue(BigInt(request.startTimeUnixNano) <= BigInt(accept.startTimeUnixNano))
          assert.isTrue(BigInt(accept.startTimeUnixNano) <= BigInt(sequence.endTimeUnixNano))

          // One that accepts nothing, and asks for what is nowhere.
          const lost = { traceparent: parent(traceId(2)) }
          const path = "/api/v1/events/5ec2e700-0000-4000-8000-000000000000"
          assert.strictEqual((await client.request("GET", path, undefined, lost)).status, 404)
          const read = await eventually(
            "the read",
            async () => spans().find((span) => span.traceId === traceId(2)),
            PATIENCE
          )
          assert.strictEqual(read.name, "GET /api/v1/events/:id")
          assert.strictEqual(said(read)["http.response.status_code"], 404)

          const [first] = collector.received
          assert.strictEqual(first?.path, "/spans")
          assert.strictEqual(first?.headers["x-tenant"], "of-this-test")
          const secrets = ["secret", "Secret", "5ec2e700", tenant.workspaceId, tenant.key]
          for (const { body: pushed } of collector.received)
            for (const secret of secrets) assert.notInclude(String(pushed), secret)
          await stop()
        })
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "are made of what clients sample, and of nothing else",
    () =>
      Effect.gen(function* () {
        const { send, spans, stop, receiver, collector } = yield* startTraced({})
        yield* Effect.promise(async () => {
          const hostile = [
            parent(traceId(1), "00"),
            parent("0".repeat(32)),
            `${parent(traceId(2))}-more`,
            `ff${parent(traceId(2)).slice(2)}`,
            `${parent(traceId(2))}, ${parent(traceId(3))}`,
            parent("<script>alert(document.cookie)</"),
            `00-${"a".repeat(4_000)}`,
            ""
          ]
          for (const traceparent of hostile) await send("/events", event, { traceparent })
          await send("/events", event, {})
          // One that is sampled, after all of them.
          await send("/events", event, { traceparent: parent(traceId(9)), tracestate: "x".repeat(4_000) })
          await eventually(
            "the one trace",
            async () => spans().some(({ name }) => name === "deliver stream") || undefined,
            PATIENCE
          )
          assert.deepStrictEqual(new Set(spans().map((span) => span.traceId)), new Set([traceId(9)]))
          const told = receiver.received.flatMap(({ headers: { traceparent } }) => traceparent ?? [])
          for (const traceparent of told) assert.include(traceparent, traceId(9))
          await stop()
          assert.isAbove(collector.received.length, 0)
        })
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "are not made where a sampler says so, whatever clients say",
    () =>
      Effect.gen(function* () {
        const { send, stop, receiver, collector } = yield* startTraced({
          OTEL_TRACES_SAMPLER: "traceidratio",
          OTEL_TRACES_SAMPLER_ARG: "0"
        })
        yield* Effect.promise(async () => {
          for (let sent = 0; sent < 5; sent++)
            await send("/events", event, { traceparent: parent(traceId(sent + 1)) })
          const isThere = (wanted: string) => receiver.received.some(({ path }) => path === wanted)
          await eventually(
            "both",
            async () => (isThere("/stream") && isThere("/webhook")) || undefined,
            PATIENCE
          )
          await stop()
          assert.lengthOf(collector.received, 0)
          for (const { headers } of receiver.received) assert.isUndefined(headers.traceparent)
        })
      }).pipe(Effect.scoped),
    180_000
  )
})
