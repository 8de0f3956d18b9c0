/** The bodies that create and change a log stream. */
import { Schema } from "effect"
import { restriction } from "../workspace/Restriction.ts"
import { LogStreamSettings } from "./LogStreamSettings.ts"

/** Where a stream sends events. */
export const DestinationView = Schema.Record(Schema.String, Schema.Unknown).annotate({
  description:
    "Its `type` is `https`, `syslog`, `s3`, `splunk_hec` or `file`, and says what else it has. Secrets are shown as `***`, and a `***` that is " +
    "sent back keeps the secret."
})

const nullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Where a new stream begins. */
export const StreamStart = Schema.Literals(["now", "beginning"])
export type StreamStart = typeof StreamStart.Type

/** A new stream; what is left out has its default. */
export const LogStreamInput = Schema.toEncoded(
  Schema.Struct({
    ...LogStreamSettings.fields,
    action: restriction("Only events whose action matches this pattern; all where it is left out"),
    tenant_id: restriction("Only this tenant's events; every tenant's where it is left out"),
    destination: DestinationView,
    start: nullable(StreamStart).annotate({
      description:
        "`now`, the default, sends what is recorded from now on; `beginning` sends the whole log first"
    })
  })
).annotate({ identifier: "LogStreamInput" })

/**
 * A change of a stream. Omitted fields are not changed, null removes what may be missing, and a destination
 * is replaced as a whole. `tenant_id` and `action` can be replaced but not lifted.
 */
export const LogStreamPatch = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  enabled: Schema.optionalKey(Schema.Boolean),
  format: Schema.optionalKey(Schema.String),
  action: nullable(Schema.String).annotate({ description: "Replaced, never lifted; `*` is every action" }),
  tenant_id: nullable(Schema.String).annotate({
    description: "Replaced, never lifted: a stream of every tenant is another stream"
  }),
  batch_events: nullable(Schema.Int),
  batch_seconds: nullable(Schema.Int),
  checkpoints: nullable(Schema.Boolean),
  destination: Schema.optionalKey(DestinationView)
}).annotate({ identifier: "LogStreamPatch" })
