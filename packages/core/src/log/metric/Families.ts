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
  }
} satisfies Record<string, MetricFamily>
