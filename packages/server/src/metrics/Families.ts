/** Every family of metrics that the service has: what `/metrics`, OTLP and `docs/Metrics.md` know. */
import { LOG_METRICS, type MetricFamily } from "@cairn/core/log"
import { BACKUP_METRICS } from "./BackupFamilies.ts"
import { SERVER_METRICS } from "./ServerFamilies.ts"

/** The families, in the order in which the document lists them. */
export const FAMILIES: ReadonlyArray<MetricFamily> = [
  ...Object.values<MetricFamily>(LOG_METRICS),
  ...Object.values<MetricFamily>(BACKUP_METRICS),
  ...Object.values<MetricFamily>(SERVER_METRICS)
]
