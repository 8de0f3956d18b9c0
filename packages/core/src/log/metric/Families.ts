/** The metrics of the log and of what follows it. */
import type { MetricFamily } from "./Meters.ts"

/** From what a commit takes on a good disk to what a request waits for. */
const WORK_BOUNDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300
]

/** What became of an event that somebody sent. */
const ACCEPT_OUTCOMES = [
  "accepted",
  "duplicate",
  "invalid",
  "over_quota",
  "inbox_full",
  "unavailable"
] as const
/** The families. */
export const LOG_METRICS = {
  received: {
    name: "cairn_events_received_total",
    type: "counter",
    help: "Events that were sent to be recorded, by what became of them; a request that is refused as a whole counts as one",
    labels: { outcome: ACCEPT_OUTCOMES }
  },
  sequenced: {
    name: "cairn_events_sequenced_total",
    type: "counter",
    help: "Events that got their place in the chain by this process",
    labels: {}
  },
  sequencingDelay: {
    name: "cairn_sequencing_delay_seconds",
    type: "histogram",
    unit: "seconds",
    help: "From acceptance to the place in the chain, of the oldest event of each log in each append",
    labels: {},
    bounds: WORK_BOUNDS
  },
  databaseTime: {
    name: "cairn_database_operation_duration_seconds",
    type: "histogram",
    unit: "seconds",
    help: "What the database takes for a unit of work, as its caller sees it: `accept` is a commit of events that were sent, `append` one to the log, `consume` one of what follows it, and `read` a read of the log",
    labels: { operation: ["accept", "append", "consume", "read"] },
    bounds: WORK_BOUNDS
  },
  logReads: {
    name: "cairn_log_reads_total",
    type: "counter",
    help: "Reads of the log that a read replica may answer, by who did: a replica, or the primary where none could; only where there are replicas",
    labels: { source: ["primary", "replica"] }
  },
  replicaUsed: {
    name: "cairn_replica_used",
    type: "gauge",
    help: "Whether a read replica is used: 1, or 0 while it is behind, gone, promoted or another database",
    labels: { replica: "the number of its host in `CAIRN_DATABASE_READ_URL`, from 1" }
  },
  replicaLagBytes: {
    name: "cairn_replica_lag_bytes",
    type: "gauge",
    unit: "bytes",
    help: "What the primary has written and a read replica has not replayed, as both said last",
    labels: { replica: "the number of its host in `CAIRN_DATABASE_READ_URL`, from 1" }
  },
  replicaLagSeconds: {
    name: "cairn_replica_lag_seconds",
    type: "gauge",
    unit: "seconds",
    help: "For how long there has been something on the primary that a read replica has not replayed, by looks a second apart; 0 where it has replayed all",
    labels: { replica: "the number of its host in `CAIRN_DATABASE_READ_URL`, from 1" }
  },
  indexed: {
    name: "cairn_search_indexed_events_total",
    type: "counter",
    help: "Events that this process put into the index that filters, searches and facets read",
    labels: {}
  },
  searchBacklog: {
    name: "cairn_search_backlog_events",
    type: "gauge",
    help: "Events of all logs that are in no frame of the index yet, which searches read one by one; some hundred a log are ordinary",
    labels: {}
  },
  consumed: {
    name: "cairn_consumer_events_total",
    type: "counter",
    help: "Events that a consumer of the logs has evaluated in this process",
    labels: { consumer: ["alerts"] }
  },
  consumerLagEvents: {
    name: "cairn_consumer_lag_events",
    type: "gauge",
    help: "Events that a consumer is behind the logs, of all logs; a paused one is not behind",
    labels: { consumer: ["alerts"] }
  },
  consumerLagSeconds: {
    name: "cairn_consumer_lag_seconds",
    type: "gauge",
    unit: "seconds",
    help: "How long the oldest event that a consumer has not evaluated has been in its log",
    labels: { consumer: ["alerts"] }
  },
  alertsRaised: {
    name: "cairn_alerts_raised_total",
    type: "counter",
    help: "Alerts that rules have raised in this process",
    labels: {}
  },
  verified: {
    name: "cairn_verification_events_total",
    type: "counter",
    help: "Events that the service's own verification has checked in this process",
    labels: {}
  },
  verificationBreaks: {
    name: "cairn_verification_breaks_total",
    type: "counter",
    help: "Breaks that the service's own verification has found in this process; any is an alarm",
    labels: {}
  },
  verificationLagEvents: {
    name: "cairn_verification_lag_events",
    type: "gauge",
    help: "Events that the verification in progress has still to check, of all logs",
    labels: {}
  },
  verificationLagSeconds: {
    name: "cairn_verification_lag_seconds",
    type: "gauge",
    unit: "seconds",
    help: "How long the longest verification in progress has taken so far; 0 once all logs are checked to their ends",
    labels: {}
  },
  checkpointsSigned: {
    name: "cairn_checkpoints_signed_total",
    type: "counter",
    help: "Checkpoints that this process has signed on its schedule",
    labels: {}
  },
  checkpointAge: {
    name: "cairn_checkpoint_age_seconds",
    type: "gauge",
    unit: "seconds",
    help: "How long ago the newest checkpoint of any log was signed on schedule; it grows while no log does",
    labels: {}
  },
  anchors: {
    name: "cairn_anchors_total",
    type: "counter",
    help: "What this process did for anchors: periods closed, anchors created of them, submitted to the chain and confirmed by it",
    labels: { step: ["closed", "created", "submitted", "confirmed"] }
  },
  anchorAge: {
    name: "cairn_anchor_age_seconds",
    type: "gauge",
    unit: "seconds",
    help: "How long ago the newest confirmed transaction with anchors was signed; absent while there is none",
    labels: {}
  },
  deliveries: {
    name: "cairn_deliveries_total",
    type: "counter",
    help: "Attempts to deliver messages: `delivered`, `retried` later after a failure, or `failed` for good",
    labels: { channel: ["webhook", "mail", "stream"], outcome: ["delivered", "retried", "failed"] }
  },
  deliveriesOpen: {
    name: "cairn_deliveries_in_progress",
    type: "gauge",
    help: "Messages that this process is delivering now",
    labels: { channel: ["webhook", "mail", "stream"] }
  },
  streamBatches: {
    name: "cairn_stream_batches_total",
    type: "counter",
    help: "Batches of log streams, by what became of them at their destinations",
    labels: { outcome: ["sent", "failed"] }
  },
  streamEvents: {
    name: "cairn_stream_events_total",
    type: "counter",
    help: "Events that destinations of log streams have acknowledged",
    labels: {}
  },
  streamsFailing: {
    name: "cairn_streams_failing",
    type: "gauge",
    help: "Log streams of this process whose destinations did not take their last batch",
    labels: {}
  },
  streamLagEvents: {
    name: "cairn_stream_lag_events",
    type: "gauge",
    help: "Events that log streams are behind their logs, of all enabled streams of this process",
    labels: {}
  },
  streamLagSeconds: {
    name: "cairn_stream_lag_seconds",
    type: "gauge",
    unit: "seconds",
    help: "How long the oldest event that a log stream has not sent has been in its log",
    labels: {}
  },
  exports: {
    name: "cairn_exports_total",
    type: "counter",
    help: "Attempts at exports in this process: `completed`, `retried` after a failure, or `failed` for good",
    labels: { outcome: ["completed", "retried", "failed"] }
  },
  retentionRemoved: {
    name: "cairn_retention_removed_contents_total",
    type: "counter",
    help: "Contents that this process has removed because their retention time was over",
    labels: {}
  },
  retentionAge: {
    name: "cairn_retention_age_seconds",
    type: "gauge",
    unit: "seconds",
    help: "How long ago this process applied retention to all workspaces, without a failure; absent until it has",
    labels: {}
  },
  storeCheckAge: {
    name: "cairn_store_check_age_seconds",
    type: "gauge",
    unit: "seconds",
    help: "How long ago this process checked whether the database finds all that it holds; absent until it has",
    labels: {}
  },
  storeCheckDamages: {
    name: "cairn_store_check_damages",
    type: "gauge",
    help: "Damages of the database that the last check found; any is an alarm",
    labels: {}
  }
} satisfies Record<string, MetricFamily>
