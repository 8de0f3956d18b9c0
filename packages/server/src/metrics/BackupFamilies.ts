/** The metrics of backups, where `CAIRN_BACKUP_STORE` is set. */
import type { MetricFamily } from "@cairn/core/log"

/** What became of a backup: it was restored and holds, it does not, or it could not be made or verified. */
export const BACKUP_OUTCOMES = ["holds", "does_not_hold", "failed"] as const

/** The families. */
export const BACKUP_METRICS = {
  backups: {
    name: "cairn_backups_total",
    type: "counter",
    help: "Backups on schedule that this process had made, restored and verified, and older ones that it read again, by what was found: any that `does_not_hold` is an alarm",
    labels: { outcome: BACKUP_OUTCOMES }
  },
  backupFailing: {
    name: "cairn_backup_failing",
    type: "gauge",
    help: "Is 1 while the newest backup does not hold, or could not be made, or the store cannot be read; else 0",
    labels: {}
  },
  backupAge: {
    name: "cairn_backup_age_seconds",
    type: "gauge",
    unit: "seconds",
    help: "How old the newest backup is that was restored and holds; while there is none, how long this process has run",
    labels: {}
  },
  backupInterval: {
    name: "cairn_backup_interval_seconds",
    type: "gauge",
    unit: "seconds",
    help: "How old it may become before another one is made, as configured",
    labels: {}
  },
  backupBytes: {
    name: "cairn_backup_size_bytes",
    type: "gauge",
    unit: "bytes",
    help: "Bytes of the newest backup that holds",
    labels: {}
  },
  backupTime: {
    name: "cairn_backup_duration_seconds",
    type: "gauge",
    unit: "seconds",
    help: "What making, restoring and verifying it took",
    labels: {}
  }
} satisfies Record<string, MetricFamily>
