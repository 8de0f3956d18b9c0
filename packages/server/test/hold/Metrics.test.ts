/** A server under a load that has everything in it, and what its metrics say of that. */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Anvil } from "../../../anchor-base/test/Anvil.ts"
import { startWebServer } from "../../../delivery/test/peers/WebServer.ts"
import { FAMILIES } from "../../src/metrics/Families.ts"
import { anchor, chainVariables } from "../support/AnchoredLog.ts"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { scrapedSeries, scrapedValue } from "../support/ScrapedMetrics.ts"
import { DATABASES, testDatabases } from "../support/TestDatabase.ts"

killLeftovers()

/** Milliseconds that a busy machine may take over anything. */
const PATIENCE = 90_000
const TOKEN = "0123456789abcdef0123456789abcdef"
/** Prometheus' own tool, of Debian's package `prometheus`. */
const PROMTOOL = "/usr/bin/promtool"
const EVENTS = 1_200

const decodeMade = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Struct({ id: Schema.String }) }))

const make = async (client: ApiClient, path: string, body: unknown) => {
  const answer = await client.request("POST", `/api/v1${path}`, body)
  assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
  return answer.body
}

const batch = (events: number, from = 0) => ({
  events: Array.from({ length: events }, (_, index) => ({
    actor_id: `secret-actor-${(from + index) % 600}`,
    action: "secret.deleted",
    tenant_id: "secret-tenant",
    idempotency_key: `secret-key-${from + index}`
  }))
})

/** Gives out what a server's metrics say. */
const scraping = (url: string, headers: Record<string, string> = {}) => {
  const text = async () => {
    const response = await fetch(`${url}/metrics`, { headers })
    assert.strictEqual(response.status, 200)
    return await response.text()
  }
  const reaches = (
    name: string,
    labels: Record<string, string> = {},
    is: (value: number) => boolean = (value) => value > 0
  ) =>
    eventually(
      `${name} ${JSON.stringify(labels)}`,
      async () => {
        const value = scrapedValue(await text(), name, labels)
        return value !== undefined && is(value) ? value : undefined
      },
      PATIENCE
    )
  return { text, reaches }
}

describe.each(DATABASES)("the metrics of a server on %s", (kind) => {
  const { newDatabase } = testDatabases(kind)

  it.live(
    "show each thing that happens, from every thread, and nothing of what is in the log",
    () =>
      Effect.gen(function* () {
        let down = false
        const receiver = yield* startWebServer((_, response) => {
          response.writeHead(down ? 503 : 200).end()
        })
        const failing = yield* startWebServer((_, response) => {
          response.writeHead(410).end()
        })
        const collector = yield* startWebServer((_, response) => {
          response.writeHead(200).end()
        })
        const node = yield* Effect.acquireRelease(
          Effect.promise(async () => {
            const started = new Anvil({})
            await started.start()
            return started
          }),
          (started) => Effect.promise(() => started.stop())
        )
        yield* Effect.promise(async () => {
          const { database, disarm, run } = await newDatabase()
          const variables = {
            ...chainVariables(node.url),
            CAIRN_OUTBOUND_ALLOW: "127.0.0.0/8",
            CAIRN_OUTBOUND_HTTP: "true",
            CAIRN_VERIFY_EVERY_SECONDS: "1",
            CAIRN_CHECKPOINT_EVERY_SECONDS: "1",
            CAIRN_METRICS_TOKEN: TOKEN,
            CAIRN_METRICS_PORT: "0",
            OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
            OTEL_METRIC_EXPORT_INTERVAL: "1000"
          }
          const options = { database, variables }
          const tenant = await makeTenant("Secret Name", options)
          const server = await startServer(options)
          const client = apiClient(server.baseUrl, tenant.key)
          const { text, reaches } = scraping(server.baseUrl, { authorization: `Bearer ${TOKEN}` })

          // The port of its own shows the same, for no token.
          const [, port = ""] = /Metrics are at (http:\S+)\/metrics/.exec(server.stderr()) ?? []
          await scraping(port).reaches("cairn_build_info", { role: "all" })
          assert.strictEqual((await fetch(`${port}/api/v1/events`)).status, 404)
          assert.strictEqual((await fetch(`${port}/metrics`, { method: "POST" })).status, 405)

          await make(client, "/webhooks", { url: `http://127.0.0.1:${receiver.port}/` })
          await make(client, "/webhooks", { url: `http://127.0.0.1:${failing.port}/` })
          const destination = { type: "https", url: `http://127.0.0.1:${receiver.port}/`, body: "ndjson" }
          await make(client, "/log-streams", {
            name: "Stream",
            start: "beginning",
            batch_events: 100,
            batch_seconds: 0,
            destination
          })
          await make(client, "/alert-rules", {
            name: "Many",
            rule_type: "repeated_action",
            action: "secret.*",
            parameters: { threshold: 2 }
          })
          for (let sent = 0; sent < EVENTS; sent += 100) await make(client, "/events/batch", batch(100, sent))
          await make(client, "/events/batch", batch(10))
          assert.strictEqual((await client.send({ actor_id: "" })).status, 422)
          await reaches("cairn_events_received_total", { outcome: "accepted" }, (count) => count >= EVENTS)
          await reaches("cairn_events_received_total", { outcome: "duplicate" }, (count) => count === 10)
          await reaches("cairn_events_received_total", { outcome: "invalid" }, (count) => count === 1)
          await reaches("cairn_events_sequenced_total", {}, (count) => count >= EVENTS)
          await reaches("cairn_sequencing_delay_seconds_count")
          await reaches("cairn_inbox_events", {}, (depth) => depth === 0)
          await reaches("cairn_inbox_age_seconds", {}, (age) => age === 0)
          for (const operation of ["accept", "append", "consume", "read"])
            await reaches("cairn_database_operation_duration_seconds_count", { operation })
          await reaches("cairn_search_indexed_events_total", {}, (count) => count >= 1_024)
          await reaches("cairn_search_backlog_events", {}, (count) => count < 600)
          await reaches("cairn_consumer_events_total", { consumer: "alerts" }, (count) => count >= EVENTS)
          await reaches("cairn_consumer_lag_events", { consumer: "alerts" }, (lag) => lag === 0)
          await reaches("cairn_consumer_lag_seconds", { consumer: "alerts" }, (lag) => lag === 0)
          await reaches("cairn_alerts_raised_total")
          await reaches("cairn_deliveries_total", { channel: "webhook", outcome: "delivered" })
          await reaches("cairn_deliveries_total", { channel: "webhook", outcome: "failed" })
          await reaches("cairn_stream_batches_total", { outcome: "sent" })
          await reaches("cairn_stream_events_total", {}, (count) => count >= EVENTS)
          await reaches("cairn_verification_events_total", {}, (count) => count >= EVENTS)
          await reaches("cairn_checkpoints_signed_total")
          await reaches("cairn_checkpoint_age_seconds", {}, (age) => age < 600)
          decodeMade(await make(client, "/exports", {}))
          await reaches("cairn_exports_total", { outcome: "completed" })
          await anchor(node, client)
          for (const step of ["closed", "created", "submitted", "confirmed"])
            await reaches("cairn_anchors_total", { step })
          await reaches("cairn_anchor_age_seconds", {}, (age) => age < 600)
          for (const thread of ["main", "log", "delivery"]) {
            await reaches("cairn_event_loop_delay_seconds_count", { thread })
            await reaches("cairn_event_loop_busy_seconds_total", { thread })
            await reaches("cairn_heap_used_bytes", { thread }, (bytes) => bytes > 1_000_000)
            await reaches("cairn_heap_limit_bytes", { thread }, (bytes) => bytes > 10_000_000)
            await reaches("cairn_external_memory_bytes", { thread }, (bytes) => bytes > 10_000)
          }
          await reaches("process_cpu_seconds_total", {}, (seconds) => seconds > 1)
          await reaches("process_resident_memory_bytes", {}, (bytes) => bytes > 50_000_000)
          const began = await reaches("process_start_time_seconds")
          assert.isBelow(Math.abs(Date.now() / 1_000 - began), 600)
          const open = await reaches("process_open_fds", {}, (count) => count > 10)
          await reaches("process_max_fds", {}, (count) => count > open)
          for (const source of ["log", "delivery", "database"])
            await reaches("cairn_metrics_age_seconds", { source }, (age) => age < 5)

          // A destination that is down is behind, and once it is back it is not.
          down = true
          await make(client, "/events/batch", batch(100, EVENTS))
          await reaches("cairn_streams_failing", {}, (count) => count === 1)
          await reaches("cairn_stream_batches_total", { outcome: "failed" })
          await reaches("cairn_stream_lag_events", {}, (lag) => lag >= 100)
          await reaches("cairn_stream_lag_seconds", {}, (lag) => lag > 1)
          down = false
          await reaches("cairn_streams_failing", {}, (count) => count === 0)
          await reaches("cairn_stream_lag_events", {}, (lag) => lag === 0)

          assert.strictEqual(scrapedValue(await text(), "cairn_verification_breaks_total"), 0)
          await disarm()
          await run("UPDATE event SET salt = '00000000000000000000000000000000' WHERE sequence = 3")
          await reaches("cairn_verification_breaks_total")
          await reaches("cairn_log_lines_total", { level: "error" })

          await reaches("cairn_otlp_pushes_total", { signal: "metrics", outcome: "sent" })
          const [last] = collector.received.slice(-1)
          for (const name of [
            "cairn_events_sequenced_total",
            "cairn_deliveries_total",
            "cairn_heap_used_bytes"
          ])
            assert.include(last?.body.toString("latin1"), name)
          for (const { body } of collector.received) assert.notInclude(body.toString("latin1"), "secret")

          const shown = await text()
          for (const secret of ["secret", "Secret", tenant.workspaceId, tenant.key, TOKEN])
            assert.notInclude(shown, secret)
          const known = new Set(
            FAMILIES.flatMap(({ name, type }) =>
              type === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name]
            )
          )
          assert.deepStrictEqual(
            scrapedSeries(shown).filter(({ name }) => !known.has(name)),
            []
          )
          if (existsSync(PROMTOOL))
            execFileSync(PROMTOOL, ["check", "metrics"], {
              input: shown,
              stdio: ["pipe", "ignore", "inherit"]
            })
          await server.stop()
        })
      }).pipe(Effect.scoped),
    600_000
  )
})
