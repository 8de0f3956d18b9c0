/** The export of filtered events to a file, as the interface returns it. */
import { Schema } from "effect"
import * as Field from "../encoding/FieldSchemas.ts"
import { type ConditionName, OneOrSeveral } from "../event/EventFilter.ts"
import { EventTime } from "../event/EventTime.ts"

const condition = (description: string) => Schema.optionalKey(OneOrSeveral.annotate({ description }))

/** The conditions of an export, one value or several each, as they were given. */
const conditions = {
  actor_id: condition("The actor's id"),
  action: condition("An action, `prefix.*` for all below a prefix, or `*.suffix` for all that end so"),
  category: condition("The action's category"),
  resource: condition("The resource's type"),
  resource_id: condition("The resource's id"),
  resource_name: condition("The resource's name"),
  target_type: condition("Type of a target"),
  target_id: condition("Id of a target; with `target_type`, of the same one"),
  tenant_id: condition("The tenant"),
  session_id: condition("The session"),
  country: condition("The country of the actor's address"),
  search: condition("Text within actor name, action, resource name or metadata; of several, each")
} as const satisfies Readonly<Record<ConditionName, unknown>>

/** The filters of an export. */
export const ExportFilters = Schema.Struct({
  from: Schema.optionalKey(Field.text("Recorded, or occurred, at or after; as it was given")),
  to: Schema.optionalKey(Field.text("Recorded, or occurred, at or before; as it was given")),
  time: Schema.optionalKey(
    EventTime.annotate({
      description: "The time that orders the events, and that `from` and `to` compare with"
    })
  ),
  ...conditions
}).annotate({
  identifier: "ExportFilters",
  description: "What an export is restricted to; without members, to nothing"
})
export type ExportFilters = typeof ExportFilters.Type

/** How far an export is. */
export const ExportStatus = Schema.Literals(["pending", "processing", "completed", "failed"]).annotate({
  description: "`pending`, then `processing`, then `completed` or `failed`, which are final"
})
export type ExportStatus = typeof ExportStatus.Type

/** What the file is. */
export const ExportFormat = Schema.Literals(["csv", "ndjson", "evidence"]).annotate({
  description: "A table, one event a line, or the bundle that the offline verifier reads"
})
export type ExportFormat = typeof ExportFormat.Type

/** An export. Members that are known only at completion are null before. */
export const Export = Schema.Struct({
  id: Field.prefixedId("exp", "The export's id: `exp_` and a UUID"),
  status: ExportStatus,
  format: ExportFormat,
  filters: ExportFilters,
  progress: Schema.Int.annotate({
    description: "How much of the log was looked through, in percent",
    minimum: 0,
    maximum: 100
  }),
  total_rows: Field.nullable(Field.count(), "Events in the file; null until it is completed"),
  file_size: Field.nullable(Field.count(), "The file's size in bytes; null until it is completed"),
  download_url: Field.nullable(
    Schema.String.annotate({ format: "uri-reference" }),
    "A signed link to the file, which needs no API key and ends with the access of who has asked; null until it is completed"
  ),
  created_at: Field.timestamp("When it was asked for"),
  expires_at: Field.nullable(
    Field.timestamp(),
    "When file and link end, seven days after creation; null until it is completed"
  )
}).annotate({
  identifier: "Export",
  description: "An export. Members that are known only at completion are null before"
})
export type Export = typeof Export.Type
