/** The bodies that create and change a log stream. */
import { Schema, Struct } from "effect"
import { glob } from "../alert/ParameterSchemas.ts"
import { LogStreamSettings, tenantId } from "./LogStreamSettings.ts"

/** Its kinds are the `DestinationSchemas`; the code that sends to them checks it. */
const Destination = Schema.Record(Schema.String, Schema.Unknown)

/** Where a new stream begins. */
export const StreamStart = Schema.Literals(["now", "beginning"])
export type StreamStart = typeof StreamStart.Type

const { name, action, tenant_id, ...settings } = Struct.map(LogStreamSettings.fields, Schema.toType)
const { enabled, format, ...nullable } = settings

/** A new stream; what is left out has its default. */
export const LogStreamInput = Schema.Struct({
  name,
  ...Struct.map(Struct.map({ enabled, format }, Schema.NullOr), Schema.optionalKey),
  ...Struct.map(nullable, Schema.optionalKey),
  action: Schema.optionalKey(
    glob.annotate({
      description: "Only events whose action matches this pattern; all where it is left out"
    })
  ),
  tenant_id: Schema.optionalKey(
    tenantId.annotate({ description: "Only this tenant's events; every tenant's where it is left out" })
  ),
  destination: Destination,
  start: Schema.optionalKey(
    Schema.NullOr(StreamStart).annotate({
      description:
        "`now`, the default, sends what is recorded from now on; `beginning` sends the whole log first"
    })
  )
}).annotate({
  identifier: "LogStreamInput",
  description: "A new stream; what is left out or null has its default"
})

/**
 * A change of a stream. Omitted fields are not changed, null removes what may be missing, and a destination
 * is replaced as a whole. `tenant_id` and `action` can be replaced but not lifted.
 */
export const LogStreamPatch = Schema.Struct({
  name: Schema.optionalKey(name),
  ...Struct.map(settings, Schema.optionalKey),
  action: Schema.optionalKey(action.annotate({ description: "Replaced, never lifted; `*` is every action" })),
  tenant_id: Schema.optionalKey(
    tenant_id.annotate({
      description: "Replaced, never lifted: a stream of every tenant is another stream"
    })
  ),
  destination: Schema.optionalKey(Destination)
}).annotate({
  identifier: "LogStreamPatch",
  description: "What to change of a stream; fields that are left out stay"
})
