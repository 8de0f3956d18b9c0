/** Which tests cause what each family of metrics counts, and hold the family against it. */
import { ERROR_STATUS } from "@cairn/api"

/** Of one family. */
export interface Load {
  /** The tests, below `packages`. Together they name the family, and each value of its labels. */
  readonly tests: ReadonlyArray<string>
  /** Values of its labels that no test of metrics causes, and why. */
  readonly except?: Readonly<Record<string, ReadonlyArray<string>>>
}

/** Codes of errors that are counted where all are, and caused by the tests of what answers with them. */
const OTHER_CODES = Object.keys(ERROR_STATUS).filter((code) => !/^(not_found|unavailable)$/.test(code))

/** A server under a load that has everything in it. */
const SERVER = "server/test/hold/Metrics.test.ts"
/** Requests to a server in the test's own process. */
const REQUESTS = "server/test/http/MetricFamilies.test.ts"

const server: Load = { tests: [SERVER] }
const requests: Load = { tests: [REQUESTS] }
const both: Load = { tests: [SERVER, REQUESTS] }
const replicas: Load = { tests: ["server/test/hold/ReadReplicas.test.ts"] }
const retention: Load = { tests: ["server/test/http/Retention.test.ts"] }
/** Two servers that make backups, and a loop over backups that fail. */
const backups: Load = {
  tests: ["server/test/hold/ScheduledBackups.test.ts", "server/test/loops/BackupLoop.test.ts"]
}
const storeCheck: Load = { tests: ["server/test/loops/StoreCheckLoop.test.ts"] }
const verification: Load = { tests: ["core/test/verification/SelfVerification.test.ts"] }

/** The families by their names. */
export const LOADS: Readonly<Record<string, Load>> = {
  cairn_events_received_total: both,
  cairn_events_sequenced_total: both,
  cairn_sequencing_delay_seconds: both,
  cairn_database_operation_duration_seconds: server,
  cairn_log_reads_total: replicas,
  cairn_replica_used: replicas,
  cairn_replica_lag_bytes: replicas,
  cairn_replica_lag_seconds: replicas,
  cairn_search_indexed_events_total: server,
  cairn_search_backlog_events: server,
  cairn_consumer_events_total: server,
  cairn_consumer_lag_events: server,
  cairn_consumer_lag_seconds: server,
  cairn_alerts_raised_total: server,
  cairn_verification_events_total: server,
  cairn_verification_breaks_total: server,
  cairn_verification_lag_events: verification,
  cairn_verification_lag_seconds: verification,
  cairn_checkpoints_signed_total: server,
  cairn_checkpoint_age_seconds: server,
  cairn_anchors_total: server,
  cairn_anchor_age_seconds: server,
  cairn_deliveries_total: { tests: ["delivery/test/outbox/OutboxWorker.test.ts"] },
  cairn_deliveries_in_progress: { tests: ["delivery/test/outbox/OutboxWorker.test.ts"] },
  cairn_stream_batches_total: server,
  cairn_stream_events_total: server,
  cairn_streams_failing: server,
  cairn_stream_lag_events: server,
  cairn_stream_lag_seconds: server,
  cairn_exports_total: { tests: [SERVER, "core/test/export/Exporting.test.ts"] },
  cairn_retention_removed_contents_total: retention,
  cairn_retention_age_seconds: retention,
  cairn_store_check_age_seconds: storeCheck,
  cairn_store_check_damages: storeCheck,
  cairn_backups_total: backups,
  cairn_backup_failing: backups,
  cairn_backup_age_seconds: backups,
  cairn_backup_interval_seconds: backups,
  cairn_backup_size_bytes: backups,
  cairn_backup_duration_seconds: backups,
  cairn_build_info: { ...server, except: { role: ["api", "worker"], database: ["sqlite", "postgres"] } },
  cairn_http_requests_total: requests,
  cairn_http_request_duration_seconds: requests,
  cairn_http_errors_total: { ...requests, except: { code: OTHER_CODES } },
  cairn_limited_requests_total: {
    tests: [
      REQUESTS,
      "server/test/http/long/MetricLimits.test.ts",
      "server/test/http/RateLimit.test.ts",
      "server/test/http/SessionLimits.test.ts",
      "server/test/http/Authentication.test.ts",
      "server/test/http/EventLive.test.ts",
      "server/test/http/Exports.test.ts",
      "server/test/http/Alerts.test.ts"
    ]
  },
  cairn_open_answers: { tests: [REQUESTS, "server/test/http/long/SlowExports.test.ts"] },
  cairn_inbox_events: both,
  cairn_inbox_capacity_events: requests,
  cairn_inbox_age_seconds: both,
  cairn_event_loop_delay_seconds: server,
  cairn_event_loop_long_turns_total: {
    tests: ["server/test/thread/TurnWatch.test.ts"],
    except: { thread: ["log", "delivery"] }
  },
  cairn_event_loop_busy_seconds_total: server,
  cairn_heap_used_bytes: server,
  cairn_heap_limit_bytes: server,
  cairn_external_memory_bytes: server,
  cairn_metrics_age_seconds: both,
  cairn_otlp_pushes_total: {
    tests: [SERVER, "server/test/metrics/MetricsPush.test.ts", "server/test/trace/ThreadTracing.test.ts"]
  },
  cairn_log_lines_total: { ...server, except: { level: ["debug", "info", "warning"] } },
  cairn_database_failures_total: { tests: ["server/test/loops/StoreIncidents.test.ts"] },
  process_cpu_seconds_total: server,
  process_resident_memory_bytes: server,
  process_start_time_seconds: server,
  process_open_fds: server,
  process_max_fds: server
}
