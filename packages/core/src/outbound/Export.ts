/** The export of filtered events to a file, as the interface returns it. */
import { Schema } from "effect"

/** The filters of an export. */
export const ExportFilters = Schema.Struct({
  from: Schema.optionalKey(Schema.String),
  to: Schema.optionalKey(Schema.String),
  actor_id: Schema.optionalKey(Schema.String),
  action: Schema.optionalKey(Schema.String),
  resource: Schema.optionalKey(Schema.String),
  tenant_id: Schema.optionalKey(Schema.String),
  session_id: Schema.optionalKey(Schema.String),
  search: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ExportFilters" })
export type ExportFilters = typeof ExportFilters.Type

/** `pending → processing → completed | failed`; the last two are final. */
export const ExportStatus = Schema.Literals(["pending", "processing", "completed", "failed"])
export type ExportStatus = typeof ExportStatus.Type

/** What the file is: a table, one event a line, or the bundle that the offline verifier reads. */
export const ExportFormat = Schema.Literals(["csv", "ndjson", "evidence"])
export type ExportFormat = typeof ExportFormat.Type

/** An export. Members that are known only at completion are null before. */
export const Export = Schema.Struct({
  id: Schema.String.annotate({ description: "`exp_` and a UUID" }),
  status: ExportStatus,
  format: ExportFormat,
  filters: ExportFilters,
  progress: Schema.Int.annotate({ description: "How much of the log was looked through, in percent" }),
  total_rows: Schema.NullOr(Schema.Int),
  /** Bytes. */
  file_size: Schema.NullOr(Schema.Int),
  download_url: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  /** Seven days after creation. */
  expires_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Export" })
export type Export = typeof Export.Type
