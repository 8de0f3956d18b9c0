/** The metrics of the server around the log: requests, threads, the process. */
import { ERROR_STATUS } from "@cairn/api"
import type { MetricFamily } from "@cairn/core/log"

/** Bounds of the OpenTelemetry convention for the duration of requests. */
const REQUEST_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
/** Turns of an event loop: from one that nobody notices to one in which health checks fail. */
const TURN_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

const METHODS = "the request's method, `other` where no route was found"
const ROUTES = "the path's template in the API, such as `/api/v1/events/:id`; `other` where none was found"

/** The threads of a process. */
export const THREADS = ["main", "log", "delivery"] as const

/** What limits how much somebody may ask for. */
export const LIMITS = [
  "request_rate",
  "session_rate",
  "failed_sessions",
  "failed_keys",
  "open_answers",
  "counts",
  "large_answers",
  "body_size",
  "inbox",
  "events_per_month",
  "exports_per_month",
  "exports_at_once",
  "alert_rules"
] as const
/** A kind of limit. */
export type LimitKind = (typeof LIMITS)[number]

const thread = THREADS

/** The families. */
export const SERVER_METRICS = {
  buildInfo: {
    name: "cairn_build_info",
    type: "gauge",
    help: "Always 1; its labels say what runs",
    labels: {
      version: "the version of Cairn",
      node: "the version of Node",
      database: ["sqlite", "postgres"],
      role: ["all", "api", "worker"]
    }
  },
  requests: {
    name: "cairn_http_requests_total",
    type: "counter",
    help: "Requests that were answered, without those of health checks",
    labels: { method: METHODS, route: ROUTES, status: "the status of the answer" }
  },
  requestDuration: {
    name: "cairn_http_request_duration_seconds",
    type: "histogram",
    unit: "seconds",
    help: "From a request's arrival to its answer's head, which a stream's body follows",
    labels: { method: METHODS, route: ROUTES },
    bounds: REQUEST_BOUNDS
  },
  errors: {
    name: "cairn_http_errors_total",
    type: "counter",
    help: "Requests that were answered with an error, by its code",
    labels: { code: Object.keys(ERROR_STATUS) }
  },
  limited: {
    name: "cairn_limited_requests_total",
    type: "counter",
    help: "Requests that were refused because of a limit, by its kind",
    labels: { limit: LIMITS }
  },
  openAnswers: {
    name: "cairn_open_answers",
    type: "gauge",
    help: "Answers that are open until their clients or the server end them: `live` readers and `exports`",
    labels: { kind: ["live", "exports"] }
  },
  inboxEvents: {
    name: "cairn_inbox_events",
    type: "gauge",
    help: "Accepted events that wait for their place in the chain, of all processes on the database",
    labels: {}
  },
  inboxCapacity: {
    name: "cairn_inbox_capacity_events",
    type: "gauge",
    help: "Events that may wait; beyond it, requests to ingest are refused",
    labels: {}
  },
  inboxAge: {
    name: "cairn_inbox_age_seconds",
    type: "gauge",
    unit: "seconds",
    help: "How long the oldest event has waited for its place in the chain; 0 while none waits",
    labels: {}
  },
  loopDelay: {
    name: "cairn_event_loop_delay_seconds",
    type: "histogram",
    unit: "seconds",
    help: "How late a timer comes that is due every 50 ms: what the thread was busy with instead",
    labels: { thread },
    bounds: TURN_BOUNDS
  },
  longTurns: {
    name: "cairn_event_loop_long_turns_total",
    type: "counter",
    help: "Turns of the event loop that took more than 200 ms",
    labels: { thread }
  },
  loopUtilization: {
    name: "cairn_event_loop_busy_seconds_total",
    type: "counter",
    unit: "seconds",
    help: "Time in which the event loop was not idle",
    labels: { thread }
  },
  heapUsed: {
    name: "cairn_heap_used_bytes",
    type: "gauge",
    unit: "bytes",
    help: "Memory of the thread's heap that is in use",
    labels: { thread }
  },
  heapLimit: {
    name: "cairn_heap_limit_bytes",
    type: "gauge",
    unit: "bytes",
    help: "What the thread's heap may grow to before the process ends",
    labels: { thread }
  },
  externalMemory: {
    name: "cairn_external_memory_bytes",
    type: "gauge",
    unit: "bytes",
    help: "Memory outside the heap that the thread's objects hold, such as buffers",
    labels: { thread }
  },
  sourceAge: {
    name: "cairn_metrics_age_seconds",
    type: "gauge",
    unit: "seconds",
    help: "How old what is shown of a source is: it grows while the source does not answer",
    labels: { source: ["log", "delivery", "database"] }
  },
  pushes: {
    name: "cairn_otlp_pushes_total",
    type: "counter",
    help: "Requests that pushed metrics or traces to a collector, by what became of them",
    labels: { signal: ["metrics", "traces"], outcome: ["sent", "failed"] }
  },
  logLines: {
    name: "cairn_log_lines_total",
    type: "counter",
    help: "Lines of the log, by level",
    labels: { level: ["debug", "info", "warning", "error"] }
  },
  storeFailures: {
    name: "cairn_database_failures_total",
    type: "counter",
    help: "Work in the background that failed because of the database, and is tried again",
    labels: { cause: "the cause in a few words, such as `no connection`" }
  },
  cpu: {
    name: "process_cpu_seconds_total",
    type: "counter",
    unit: "seconds",
    help: "Processor time that the process has used, in user and system mode",
    labels: {}
  },
  resident: {
    name: "process_resident_memory_bytes",
    type: "gauge",
    unit: "bytes",
    help: "Memory of the process that is in RAM, of all its threads",
    labels: {}
  },
  started: {
    name: "process_start_time_seconds",
    type: "gauge",
    unit: "seconds",
    help: "When the process began, in seconds since 1970",
    labels: {}
  },
  openFiles: {
    name: "process_open_fds",
    type: "gauge",
    help: "File descriptors that the process has open; on Linux",
    labels: {}
  },
  mostFiles: {
    name: "process_max_fds",
    type: "gauge",
    help: "File descriptors that the process may have open; on Linux",
    labels: {}
  }
} satisfies Record<string, MetricFamily>
